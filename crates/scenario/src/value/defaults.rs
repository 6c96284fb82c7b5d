//! Defaults that several parts share.

pub(super) fn yes() -> bool {
    true
}

pub(super) fn one() -> f64 {
    1.0
}

pub(super) fn default_payload() -> u32 {
    1000
}

pub(super) fn default_max_probability() -> f64 {
    0.1
}
