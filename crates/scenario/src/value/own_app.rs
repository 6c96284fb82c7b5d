//! Applications of the caller's own: what they are told, and what they answer.

use std::fmt::Debug;
use std::sync::Arc;

use parshall_control::random::Stream;
use parshall_control::units::Time;
use parshall_control::user::{Code, Failure};
use parshall_estimators::own::{Config, Found};

use super::App;

/// The answer of an application: what it does now, and when it wants to be asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AppAnswer {
    /// Packets of a transfer that begins now; 0 for none.
    pub packets: u32,
    /// True if that has a new connection. The first one has one anyway, and over UDP there are none.
    pub fresh: bool,
    /// Time from now at which it wants to be asked; `None` leaves what it said before.
    pub wake_in: Option<Time>,
}

/// A transfer that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppDone {
    /// Number of the transfer, from 0.
    pub number: u64,
    /// Packets that it had.
    pub packets: u32,
    /// Time at which it was written.
    pub began: Time,
}

/// An application as somebody else writes it.
///
/// # Errors
/// Every method may return a [`Failure`], which ends what its caller is doing.
pub trait UserApp: Debug + Send + Sync {
    /// Answers at the start of its flow, and whenever the time has come that it named.
    fn on_time(&mut self, now: Time) -> Result<AppAnswer, Failure>;

    /// Answers to the end of a transfer, the one that began first of those under way. Over UDP nobody hears of that.
    fn on_done(&mut self, now: Time, done: &AppDone) -> Result<AppAnswer, Failure>;
}

/// The beginning of an application.
#[derive(Clone, Debug)]
pub struct AppBeginning {
    /// Bytes of data in a packet.
    pub payload_bytes: u32,
    /// Random numbers of its own, the same in each run with the same seed.
    pub stream: Stream,
}

/// Makes an application for each flow that asks for it.
pub trait AppMaker: Code {
    /// An application that has done nothing.
    ///
    /// # Errors
    /// If there is none.
    fn make(&self, beginning: AppBeginning) -> Result<Box<dyn UserApp>, Failure>;

    /// Tells if each transfer is asked for by a request from the destination, which hears of its end.
    fn requests(&self) -> bool {
        false
    }
}

impl App {
    /// An application of the caller's own. It is not part of the scenario's JSON: whoever reads that hands it over
    /// ([`Scenario::hand_over`](super::Scenario::hand_over)).
    pub fn of(maker: impl AppMaker + 'static) -> Self {
        let maker: Arc<dyn AppMaker> = Arc::new(maker);
        App::User(Box::new(Config {
            form: "rust".into(),
            source: maker.name().into(),
            // Two makers of one name are two.
            code: format!("{:p}", Arc::as_ptr(&maker)),
            values: Default::default(),
            maker: Found(Some(maker)),
        }))
    }
}
