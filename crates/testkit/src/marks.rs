//! Statements of the stack under test about itself, which no packet shows.

use parshall_sim::units::Time;

/// Instants at which a stack handed bytes to its application, and at which it sent something again.
///
/// A stack, or the test's wrapper of it, keeps one and adds to it as the run goes on; [`Marks::join`] puts those of two
/// endpoints together. Without marks a [`Report`](crate::Report) takes the payload of arriving datagrams for goodput, and
/// cannot tell what was sent again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    delivered: Vec<(Time, u64)>,
    sent_again: Vec<(Time, u64)>,
}

impl Marks {
    /// No marks yet.
    pub fn new() -> Self {
        Marks::default()
    }

    /// Bytes reach the application. Each byte counts once.
    pub fn note_delivered(&mut self, at: Time, bytes: u64) {
        self.delivered.push((at, bytes));
    }

    /// A datagram is sent that carries so many bytes for another time.
    pub fn note_sent_again(&mut self, at: Time, bytes: u64) {
        self.sent_again.push((at, bytes));
    }

    /// Adds the marks of another endpoint.
    pub fn join(&mut self, other: &Marks) {
        self.delivered.extend(&other.delivered);
        self.sent_again.extend(&other.sent_again);
        self.delivered.sort_unstable();
        self.sent_again.sort_unstable();
    }

    /// Bytes that reached the application, each with the instant.
    pub fn delivered(&self) -> &[(Time, u64)] {
        &self.delivered
    }

    /// Bytes that were sent another time, each with the instant.
    pub fn sent_again(&self) -> &[(Time, u64)] {
        &self.sent_again
    }
}
