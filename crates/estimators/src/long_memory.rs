//! Long memory: the Hurst parameter H of a series.
//!
//! A stationary series has long memory if its autocovariance at lag k falls like `k^(2H-2)` with `1/2 < H < 1`, so that its sum
//! diverges; its spectral density grows like `w^(1-2H)` towards frequency 0 (Beran 1994). Without memory, or with short memory,
//! H is 1/2. A level shift, a trend and a unit root raise an estimate of H as long memory does.

mod aggregate;
mod aggregated_variance;
mod autocovariance;
mod estimator;
mod fft;
mod flags;
mod generator;
mod hurst;
mod level_shift;
mod line;
mod local_whittle;
mod periodogram;
mod rescaled_range;
mod scores;
mod series;
mod special;
mod table;
#[allow(clippy::approx_constant)] // Tabulated numbers come near to anything.
mod tables;
mod wavelet;
mod whittle;

pub use aggregate::Aggregate;
pub use autocovariance::Process;
pub use estimator::{HurstEstimator, Method, Point};
pub use flags::Flags;
pub use generator::Generator;
pub use hurst::Hurst;
pub use level_shift::{LevelShifts, Shifts, MOST_SHIFTS};
pub use local_whittle::{Bandwidth, LocalWhittle};
pub use series::SeriesError;
pub use whittle::Family;
