//! A user's control as a scenario names it.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Maker;
use crate::Parameters;

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum Value {
    /// A truth value.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number that is not whole.
    Number(f64),
    /// Text.
    Text(SmolStr),
    /// A list.
    List(Vec<Value>),
}

/// A user's control by name: enough to know it again, and to find it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Config {
    /// Form in which its code comes.
    pub form: SmolStr,
    /// Place of its code: a class as `module:Name`, a library as a path.
    pub source: SmolStr,
    /// Hash of its code.
    pub code: SmolStr,
    /// Parameters that are not at their defaults.
    #[cfg_attr(feature = "serde", serde(default))]
    pub values: BTreeMap<SmolStr, Value>,
    /// Maker of such controls, once it has been found.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub maker: Found,
}

impl Parameters for Config {
    fn timed(&self) -> bool {
        true
    }

    fn exact_echo(&self) -> bool {
        self.maker.0.as_ref().is_some_and(|maker| maker.exact_echo())
    }
}

/// The maker of a control, if it has been found. It does not take part in comparisons: the code's hash does.
#[derive(Clone, Debug, Default)]
pub struct Found(pub Option<Arc<dyn Maker>>);

impl PartialEq for Found {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
