//! Names of controls, for a command line or a file of settings.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::cubic;
use crate::hystart::HyStartRule;
use crate::{arima_vegas, bbr, binomial, copa, dctcp, dual, tcp_tp, vegas, veno, Control};

impl Control {
    /// The names that [`Control::from_str`] knows. Parameters are the defaults of each control's source.
    ///
    /// | name | control |
    /// |---|---|
    /// | `aimd` | one packet a round trip up, half down: [`crate::aimd`] |
    /// | `arima-vegas` | Vegas that decides on a forecast: [`arima_vegas`] |
    /// | `bbr` | BBR, version 1: [`bbr`] |
    /// | `bbr-bounds` | the same, with the bounds of version 3 on rate and window |
    /// | `bbr-linux` | version 1 as Linux has it |
    /// | `copa` | Copa: [`copa`] |
    /// | `cubic` | CUBIC: [`cubic`] |
    /// | `cubic-hystart++` | CUBIC whose slow start ends by HyStart++ |
    /// | `cubic-linux` | CUBIC as Linux has it, with HyStart |
    /// | `dctcp` | DCTCP, which needs marks: [`dctcp`] |
    /// | `dual` | DUAL: [`dual`] |
    /// | `iiad` | inverse increase, additive decrease: [`binomial`] with k = 1 and l = 0 |
    /// | `sqrt` | [`binomial`] with k = l = 1/2 |
    /// | `tcp-tp` | TCP-TP: [`tcp_tp`] |
    /// | `vegas` | Vegas: [`vegas`] |
    /// | `veno` | Veno: [`veno`] |
    pub const NAMES: [&str; 16] = [
        "aimd",
        "arima-vegas",
        "bbr",
        "bbr-bounds",
        "bbr-linux",
        "copa",
        "cubic",
        "cubic-hystart++",
        "cubic-linux",
        "dctcp",
        "dual",
        "iiad",
        "sqrt",
        "tcp-tp",
        "vegas",
        "veno",
    ];
}

/// Finds a control by one of [`Control::NAMES`].
impl FromStr for Control {
    type Err = UnknownControl;

    fn from_str(name: &str) -> Result<Self, UnknownControl> {
        let binomial = |k, l| Control::Binomial(binomial::Config { k, l, alpha: 1.0, beta: 0.5 });
        let cubic = cubic::Config::default();
        Ok(match name {
            "aimd" => Control::default(),
            "arima-vegas" => Control::ArimaVegas(arima_vegas::Config::default()),
            "bbr" => Control::Bbr(bbr::Config::default()),
            "bbr-bounds" => Control::Bbr(bbr::Config { bounds: true, variant: None }),
            "bbr-linux" => Control::Bbr(bbr::Config::default().linux()),
            "copa" => Control::Copa(copa::Config::default()),
            "cubic" => Control::Cubic(cubic),
            "cubic-hystart++" => {
                Control::Cubic(cubic::Config { hystart: Some(HyStartRule::PlusPlus), ..cubic })
            }
            "cubic-linux" => Control::Cubic(cubic.linux()),
            "dctcp" => Control::Dctcp(dctcp::Config::default()),
            "dual" => Control::Dual(dual::Config::default()),
            "iiad" => binomial(1.0, 0.0),
            "sqrt" => binomial(0.5, 0.5),
            "tcp-tp" => Control::TcpTp(tcp_tp::Config::default()),
            "vegas" => Control::Vegas(vegas::Config::default()),
            "veno" => Control::Veno(veno::Config::default()),
            _ => return Err(UnknownControl { name: name.into() }),
        })
    }
}

/// The error of a name that no control has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownControl {
    name: String,
}

impl fmt::Display for UnknownControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown control {}; choose from {}", self.name, Control::NAMES.join(", "))
    }
}

impl Error for UnknownControl {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_another_control_whose_parameters_make_sense() {
        let controls = Control::NAMES.map(|name| name.parse::<Control>().expect(name));
        for (index, control) in controls.iter().enumerate() {
            assert_eq!(control.check(), Ok(()), "{}", Control::NAMES[index]);
            assert!(!controls[..index].contains(control), "{} is there twice", Control::NAMES[index]);
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_there_are() {
        let error = "reno".parse::<Control>().expect_err("no such name").to_string();
        assert!(error.starts_with("unknown control reno; choose from aimd, arima-vegas, "), "{error}");
        assert!(error.ends_with(", veno") && error.lines().count() == 1, "{error}");
    }

    /// A kind with a default has its own name for it in files, too.
    #[cfg(feature = "serde")]
    #[test]
    fn names_of_defaults_are_those_of_kinds() {
        for name in Control::NAMES {
            let written = serde_json::json!({ "kind": name });
            if let Ok(control) = serde_json::from_value::<Control>(written) {
                assert_eq!(name.parse(), Ok(control), "{name}");
            }
        }
    }
}
