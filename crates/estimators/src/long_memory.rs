//! Long memory: the Hurst parameter H of a series.
//!
//! A stationary series has long memory if its autocovariance at lag k falls like `k^(2H-2)` with `1/2 < H < 1`, so that its sum
//! diverges; its spectral density grows like `w^(1-2H)` towards frequency 0 (Beran 1994). Without memory, or with short memory,
//! H is 1/2. A level shift, a trend and a unit root raise an estimate of H as long memory does.

mod fft;
mod flags;
mod hurst;
mod local_whittle;
mod periodogram;
mod series;

pub use flags::Flags;
pub use hurst::Hurst;
pub use local_whittle::{Bandwidth, LocalWhittle};
pub use series::SeriesError;
