//! The controls there are. A new one is a file beside this one and a line at the end of this one.

use crate::units::Time;
use crate::user::{self, Unwatched, User, Watch};
use crate::{aimd, arima_vegas, bbr, binomial, copa, cubic, dctcp, dual, tcp_tp, vegas, veno};
use crate::{AckSample, Congestion, InvalidParameter, Loss, Parameters, Silence, Start, Window};

/// Defines [`Control`], a choice with its parameters, and [`AnyControl`], a state, which hands each call on to the
/// control inside.
macro_rules! controls {
    ($($(#[$doc:meta])* $module:ident::$name:ident,)*) => {
        /// A congestion control and its parameters, as a plain value.
        ///
        /// [`Control::NAMES`] lists those that can be named without parameters: `"cubic".parse::<Control>()`.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case"))]
        #[non_exhaustive]
        pub enum Control {
            $($(#[$doc])* $name($module::Config),)*
            /// A control that the caller hands over.
            User(user::Config),
        }

        impl Control {
            /// Checks the parameters; see [`Parameters::check`].
            ///
            /// # Errors
            /// The first that is out of its range.
            pub fn check(&self) -> Result<(), InvalidParameter> {
                match self {
                    $(Control::$name(config) => config.check(),)*
                    Control::User(config) => config.check(),
                }
            }

            /// Tells if receivers have to report marks packet by packet; see [`Parameters::exact_echo`].
            pub fn exact_echo(&self) -> bool {
                match self {
                    $(Control::$name(config) => config.exact_echo(),)*
                    Control::User(config) => config.exact_echo(),
                }
            }

            /// Tells if the control cannot do without marks; see [`Parameters::needs_marks`].
            pub fn needs_marks(&self) -> bool {
                match self {
                    $(Control::$name(config) => config.needs_marks(),)*
                    Control::User(config) => config.needs_marks(),
                }
            }

            /// Tells if the control asks to be paced, for a timer and for the path; see [`Congestion::PACED`].
            pub fn paced(&self) -> bool {
                match self {
                    $(Control::$name(_) => <$module::$name as Congestion>::PACED,)*
                    Control::User(_) => <User as Congestion>::PACED,
                }
            }

            /// Tells if the control goes by round-trip times; see [`Parameters::timed`].
            pub fn timed(&self) -> bool {
                match self {
                    $(Control::$name(config) => config.timed(),)*
                    Control::User(config) => config.timed(),
                }
            }

            /// Tells if nothing else moves the window in recovery; see [`Congestion::RULES_RECOVERY`].
            pub fn rules_recovery(&self) -> bool {
                match self {
                    $(Control::$name(_) => <$module::$name as Congestion>::RULES_RECOVERY,)*
                    Control::User(_) => <User as Congestion>::RULES_RECOVERY,
                }
            }
        }

        /// The state of any control. That of AIMD is empty, and a box of it is no more than the tag.
        ///
        /// `W` watches over a control that is handed over, and is nothing to the others: write the type without it.
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum AnyControl<W = Unwatched> {
            $($(#[$doc])* $name(Box<$module::$name>),)*
            /// A control that the caller has handed over.
            User(Box<User<W>>),
        }

        impl<W: Watch> AnyControl<W> {
            /// A control at the start of a connection. `control` has passed its [`check`](Control::check). One that is handed over
            /// may change the window that its connection begins with.
            pub fn new(control: &Control, start: &Start<'_>, window: &mut Window) -> Self {
                match control {
                    $(Control::$name(config) => AnyControl::$name(Box::new($module::$name::new(config, start))),)*
                    Control::User(config) => AnyControl::User(Box::new(User::new(config, start, window))),
                }
            }

            /// See [`Congestion::on_ack`]. The sample is put together for the control that is there, so that one which looks at
            /// little costs little.
            #[inline(always)]
            pub fn on_ack<'a>(&mut self, window: &mut Window, ack: impl Fn() -> AckSample<'a>) {
                match self {
                    $(AnyControl::$name(c) => c.on_ack(window, &ack()),)*
                    AnyControl::User(c) => c.on_ack(window, &ack()),
                }
            }

            /// See [`Congestion::after_loss`].
            pub fn after_loss(&mut self, window: &Window, loss: &Loss) -> f64 {
                match self {
                    $(AnyControl::$name(c) => c.after_loss(window, loss),)*
                    AnyControl::User(c) => c.after_loss(window, loss),
                }
            }

            /// See [`Congestion::after_mark`].
            pub fn after_mark(&mut self, window: &Window, loss: &Loss) -> f64 {
                match self {
                    $(AnyControl::$name(c) => c.after_mark(window, loss),)*
                    AnyControl::User(c) => c.after_mark(window, loss),
                }
            }

            /// See [`Congestion::after_timeout`].
            pub fn after_timeout(&mut self, window: &Window, loss: &Loss) -> f64 {
                match self {
                    $(AnyControl::$name(c) => c.after_timeout(window, loss),)*
                    AnyControl::User(c) => c.after_timeout(window, loss),
                }
            }

            /// See [`Congestion::on_timeout`].
            pub fn on_timeout(&mut self, loss: &Loss) {
                match self {
                    $(AnyControl::$name(c) => c.on_timeout(loss),)*
                    AnyControl::User(c) => c.on_timeout(loss),
                }
            }

            /// See [`Congestion::on_begin`].
            pub fn on_begin(&mut self, window: &Window, now: Time, srtt: Option<f64>) {
                match self {
                    $(AnyControl::$name(c) => c.on_begin(window, now, srtt),)*
                    AnyControl::User(c) => c.on_begin(window, now, srtt),
                }
            }

            /// See [`Congestion::on_restart`].
            pub fn on_restart(&mut self, window: &mut Window, silence: &Silence) {
                match self {
                    $(AnyControl::$name(c) => c.on_restart(window, silence),)*
                    AnyControl::User(c) => c.on_restart(window, silence),
                }
            }

            /// See [`Congestion::on_timer`].
            pub fn on_timer(&mut self, window: &mut Window, now: Time) {
                match self {
                    $(AnyControl::$name(c) => c.on_timer(window, now),)*
                    AnyControl::User(c) => c.on_timer(window, now),
                }
            }

            /// See [`Congestion::pacing_rate`].
            pub fn pacing_rate(&self) -> Option<f64> {
                match self {
                    $(AnyControl::$name(c) => c.pacing_rate(),)*
                    AnyControl::User(c) => c.pacing_rate(),
                }
            }

            /// See [`Congestion::wake_at`].
            pub fn wake_at(&self) -> Time {
                match self {
                    $(AnyControl::$name(c) => c.wake_at(),)*
                    AnyControl::User(c) => c.wake_at(),
                }
            }
        }
    };
}

controls! {
    /// One packet a round trip up, half down (RFC 5681).
    aimd::Aimd,
    /// CA-ARTT: Vegas that decides on a forecast (Jeyasekar et al. 2014).
    arima_vegas::ArimaVegas,
    /// BBR, version 1 (Cardwell et al. 2016).
    bbr::Bbr,
    /// alpha / w^k a round trip up, beta w^l down: IIAD with k = 1 and l = 0, SQRT with 1/2 each.
    binomial::Binomial,
    /// Copa (Arun and Balakrishnan 2018).
    copa::Copa,
    /// CUBIC (RFC 9438).
    cubic::Cubic,
    /// DCTCP (RFC 8257).
    dctcp::Dctcp,
    /// DUAL, with any forecaster (Wang and Crowcroft 1992).
    dual::Dual,
    /// TCP-TP (He et al. 2002).
    tcp_tp::TcpTp,
    /// Vegas (Brakmo and Peterson 1995).
    vegas::Vegas,
    /// Veno (Fu and Liew 2003).
    veno::Veno,
}

impl Default for Control {
    fn default() -> Self {
        Control::Aimd(aimd::Config {})
    }
}
