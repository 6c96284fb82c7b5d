//! Settings of the filter of packet pairs, as a plain value.

use crate::error::ConfigError;

/// Largest window of pairs.
const MAX_PAIRS: u32 = 4096;

/// Method that finds the mode of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Filter {
    /// The sample where a kernel density is greatest (Lai and Baker 1999): no edges of bins to fall between.
    #[default]
    Density,
    /// The mean of the fullest bin, where all bins have the same relative width.
    Histogram,
}

/// Settings of the filter of packet pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct PacketPairSettings {
    /// Method that finds the mode.
    pub filter: Filter,
    /// Reach of a sample, or width of a bin, as a part of its rate: from 0.01 to 1.
    pub width: f64,
    /// Number of the newest pairs that count: from 1 to 4096.
    pub window: u32,
    /// Least ratio of the spacing of ACKs to that of the packets sent, for a pair: at least 1, where 1 is
    /// the filter of Lai and Baker. ACKs let packets go one service time apart, and with s other packets between two of them
    /// they come s + 1 apart: whatever does not ask for more than that measures the cross traffic.
    pub stretch: f64,
}

impl Default for PacketPairSettings {
    fn default() -> Self {
        PacketPairSettings { filter: Filter::Density, width: 0.1, window: 128, stretch: 5.0 }
    }
}

impl PacketPairSettings {
    /// Checks that every setting is in its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let wide = (0.01..=1.0).contains(&self.width);
        ConfigError::unless(wide, "width", self.width, "a number from 0.01 to 1")?;
        let window = (1..=MAX_PAIRS).contains(&self.window);
        ConfigError::unless(window, "window", self.window, "a whole number from 1 to 4096")?;
        let stretch = self.stretch >= 1.0 && self.stretch.is_finite();
        ConfigError::unless(stretch, "stretch", self.stretch, "a number of at least 1")
    }
}
