//! Assertions on a finished run.

mod fairness;
mod losses;
mod rates;
mod recovery;
mod twice;

use std::ops::RangeInclusive;

use parshall_sim::units::Time;

pub use twice::{check_same_trace_twice, same_trace_twice};

use crate::failure::{Failure, Verdict};
use crate::picture::Limit;
use crate::report::Report;

/// The assertions of a [`Report`] as results: [`Report::check`].
#[derive(Clone, Copy, Debug)]
pub struct Checks<'a> {
    report: &'a Report,
}

impl<'a> Checks<'a> {
    pub(crate) fn of(report: &'a Report) -> Self {
        Checks { report }
    }

    /// An error with this verdict.
    fn fails(&self, assertion: &'static str, verdict: Verdict, limit: Option<Limit>) -> Result<(), Failure> {
        Err(Failure::of(self.report, assertion, verdict, limit))
    }
}

/// Makes of each check an assertion that panics.
macro_rules! assertions {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*);)*) => {
        impl Report {
            $(
                $(#[$doc])*
                ///
                /// # Panics
                /// If that is not so, with the text of the [`Failure`].
                #[track_caller]
                pub fn $name(&self, $($argument: $type),*) -> &Self {
                    if let Err(failure) = self.check().$name($($argument),*) {
                        panic!("{failure}");
                    }
                    self
                }
            )*
        }
    };
}

assertions! {
    /// Asserts that goodput is at least this share of what the bottleneck can carry; see [`Report::share_of_link`].
    goodput_at_least(share: f64);
    /// Asserts that 95 % of the datagrams spent no longer than this in queues; see [`Report::delays`].
    p95_delay_at_most(most: Time);
    /// Asserts that the stack's goodput over the mean of the cross traffic's flows, which are Linux's CUBIC, is in this range. The
    /// flows come from [`Kit::with_linux_cubic`](crate::Kit::with_linux_cubic).
    fair_beside_linux_cubic(ratio: RangeInclusive<f64>);
    /// Asserts that the stack's goodput over the mean of the cross traffic's flows is in this range, whatever their congestion control.
    fair_beside_cross_traffic(ratio: RangeInclusive<f64>);
    /// Asserts that the stack is back soon after the last outage of the bottleneck: within so many base round-trip times of before
    /// the outage there is one in which datagrams that arrive fill half of its share of the link.
    recovers_within(round_trips: u32);
    /// Asserts that the stack sends nothing again unless something was lost, in either direction, within the last second or
    /// the last ten base round-trip times, whichever is longer. It goes by [`Marks::note_sent_again`](crate::Marks::note_sent_again).
    no_spurious_retransmission_without_loss();
    /// Asserts that no datagram was lost or dropped in either direction.
    no_loss();
}
