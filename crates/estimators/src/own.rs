//! Parts that somebody else wrote, as a configuration names them: enough to know their code again, and to find it.
//!
//! [`RtoConfig::User`](crate::rto::RtoConfig::User) and [`ForecasterConfig::User`](crate::forecast::ForecasterConfig::User) are
//! such parts, and other crates have more of them. They are for programs that are given code at run time: a class of a
//! scripting language, a shared library. A Rust program that has an estimator of its own implements
//! [`RtoEstimator`](crate::rto::RtoEstimator) or [`Forecaster`](crate::forecast::Forecaster) and needs none of this.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Debug};
use core::time::Duration;

use crate::error::ConfigError;

/// The code of a part: what all makers of parts have in common.
pub trait Code: Debug + Send + Sync {
    /// The name for messages: that of the part's class.
    fn name(&self) -> &str;

    /// Time that one call may take; `None` for any.
    fn time_limit(&self) -> Option<Duration>;

    /// Does a whole run; a place to take and give back what all calls of a run need.
    fn around(&self, run: &mut dyn FnMut()) {
        run();
    }
}

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
    Text(String),
    /// A list.
    List(Vec<Value>),
}

/// A part by name. `M` is what makes such parts.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, bound = ""))]
pub struct Config<M: ?Sized> {
    /// Form in which its code comes.
    pub form: String,
    /// Place of its code: a class as `module:Name`, a library as a path.
    pub source: String,
    /// Hash of its code.
    pub code: String,
    /// Parameters that are not at their defaults.
    #[cfg_attr(feature = "serde", serde(default))]
    pub values: BTreeMap<String, Value>,
    /// Maker of such parts, once it has been found.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub maker: Found<M>,
}

impl<M: ?Sized> Config<M> {
    /// The maker, which has to have been handed over.
    ///
    /// # Errors
    /// If it was not.
    pub fn found(&self) -> Result<&Arc<M>, ConfigError> {
        let missing = || {
            let value = format_args!("{:?}", self.source);
            ConfigError::new("source", value, "code that is handed over")
        };
        self.maker.0.as_ref().ok_or_else(missing)
    }
}

impl<M: ?Sized> Clone for Config<M> {
    fn clone(&self) -> Self {
        Config {
            form: self.form.clone(),
            source: self.source.clone(),
            code: self.code.clone(),
            values: self.values.clone(),
            maker: self.maker.clone(),
        }
    }
}

impl<M: ?Sized> PartialEq for Config<M> {
    fn eq(&self, other: &Self) -> bool {
        (&self.form, &self.source, &self.code, &self.values)
            == (&other.form, &other.source, &other.code, &other.values)
    }
}

/// The maker of a part, if it has been found. It does not take part in comparisons: the code's hash does.
pub struct Found<M: ?Sized>(pub Option<Arc<M>>);

impl<M: ?Sized> Clone for Found<M> {
    fn clone(&self) -> Self {
        Found(self.0.clone())
    }
}

impl<M: ?Sized> Default for Found<M> {
    fn default() -> Self {
        Found(None)
    }
}

impl<M: ?Sized> Debug for Found<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Found" } else { "not found" })
    }
}
