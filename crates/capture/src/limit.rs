//! Time for which a sender waited for its receiver's window, as a point on the path sees it: what it sent went beyond every
//! window that it had known for longer than an ACK takes to reach it.

/// Instants of which the window is remembered.
const KEPT: usize = 12;

/// Parts of a delay in which windows are told apart.
const PARTS: i64 = 8;

/// Shortest round trip over which waits are told from the time that hosts take, in nanoseconds.
const SHORTEST: i64 = 200_000;

/// Windows of the last round trip, and how long their sender has waited for them.
#[derive(Debug)]
pub struct Limit {
    /// When a window was first offered, and up to which byte until the next of these instants.
    edges: [(i64, u64); KEPT],
    next: usize,
    /// When new data last passed.
    sent: Option<i64>,
    waited: i64,
}

/// Time after which an ACK that passed has reached the sender, and what it caused has come back, with some allowance for hosts.
fn delay(sender_half: i64, path: i64) -> i64 {
    sender_half + sender_half / 20 + (path / 20).min(500_000)
}

impl Default for Limit {
    fn default() -> Self {
        Self { edges: [(i64::MAX, 0); KEPT], next: 0, sent: None, waited: 0 }
    }
}

impl Limit {
    /// Takes in up to which byte the receiver lets send.
    pub fn on_window(&mut self, now: i64, edge: u64, sender_half: i64, path: i64) {
        let newest = &mut self.edges[(self.next + KEPT - 1) % KEPT];
        if newest.0 != i64::MAX && now - newest.0 < delay(sender_half, path) / PARTS {
            newest.1 = newest.1.max(edge);
            return;
        }
        self.edges[self.next] = (now, edge);
        self.next = (self.next + 1) % KEPT;
    }

    /// Takes in new data that ends in front of a byte.
    pub fn on_data(&mut self, now: i64, end: u64, sender_half: i64, path: i64) {
        let before = self.sent.replace(now);
        let (Some(before), true) = (before, path >= SHORTEST) else { return };
        let delay = delay(sender_half, path);
        // Windows only grow, so that the newest that the sender knew is the largest.
        let known = now - delay - delay / PARTS;
        let newest_first = (1..=KEPT).map(|back| self.edges[(self.next + KEPT - back) % KEPT]);
        if newest_first.into_iter().find(|(time, _)| *time <= known).is_some_and(|(_, edge)| end > edge) {
            self.waited += now - before;
        }
    }

    /// Time for which the sender waited, in nanoseconds.
    pub fn waited(&self) -> i64 {
        self.waited
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;

    const MS: i64 = 1_000_000;

    /// A sender with `window` of ten segments that has `flight` of them on its way; of a round trip of 100 ms the part `half` is
    /// between the point and the sender.
    fn waited(window: u64, flight: u64, half: i64) -> i64 {
        let mut limit = Limit::default();
        for turn in 0..1000_u64 {
            // Ten segments a round trip, each of which answers the ACK that passed `half` before.
            let now = turn as i64 * 100 * MS / flight as i64;
            limit.on_window(now, turn + window, half, 100 * MS);
            let arrived = ((now - half) * flight as i64).div_euclid(100 * MS);
            if arrived >= 0 {
                limit.on_data(now, arrived as u64 + flight, half, 100 * MS);
            }
        }
        limit.waited()
    }

    #[test]
    fn a_sender_waits_for_a_window_that_it_fills_and_for_no_other() {
        for half in [0, 30 * MS, 60 * MS] {
            assert!(waited(10, 10, half) > 9_000 * MS, "{half}");
            assert_eq!(waited(20, 10, half), 0, "{half}");
        }
    }
}
