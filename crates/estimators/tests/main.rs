//! All tests of the estimators from outside, in one binary.

mod arima_fit;
mod counting;
mod estmred_c;
mod no_allocation;
mod nonresponsive_no_allocation;
mod responsiveness;
