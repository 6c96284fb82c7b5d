//! Input of the estimators in whole numbers.

/// Counts of a port since the last call, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteSample {
    /// Queue length now.
    pub backlog: u64,
    /// Bytes that arrived, dropped ones included.
    pub arrived: u64,
    /// Bytes that the queue dropped.
    pub dropped: u64,
    /// Bytes that the queue marked (ECN).
    pub marked: u64,
}
