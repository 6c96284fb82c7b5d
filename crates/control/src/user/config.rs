//! A user's control as a scenario names it.

use parshall_estimators::own;

use super::Maker;
use crate::Parameters;

/// A user's control by name: enough to know it again, and to find it.
pub type Config = own::Config<dyn Maker>;

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn exact_echo(&self) -> bool {
        self.maker.0.as_ref().is_some_and(|maker| maker.exact_echo())
    }
}
