//! Protection of connections with small windows (Feroz et al. 2000): there a loss costs a timeout.

use parshall_estimators::meter::Colour;

use crate::scenario;

/// Protects packets of connections with small windows (Feroz et al. 2000).
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallWindow {
    below_packets: f64,
    repay: bool,
    /// Yellow and red packets that were made green and have not been paid for.
    owed: [u64; 2],
}

impl SmallWindow {
    /// Nothing is owed yet.
    pub fn new(asked: &scenario::SmallWindow) -> Self {
        SmallWindow { below_packets: asked.below_packets, repay: asked.repay, owed: [0; 2] }
    }

    /// The colour of a packet of a connection with such a window. Where protection is repaid, a later green packet gets
    /// the colour that a protected one would have had (Habib, Bhargava and Fahmy 2002, section VI).
    pub fn colour(&mut self, colour: Colour, window: f64) -> Colour {
        let [yellow, red] = &mut self.owed;
        match colour {
            Colour::Yellow if window < self.below_packets => {
                *yellow += u64::from(self.repay);
                Colour::Green
            }
            Colour::Red if window < self.below_packets => {
                *red += u64::from(self.repay);
                Colour::Green
            }
            Colour::Green if window >= self.below_packets && *red > 0 => {
                *red -= 1;
                Colour::Red
            }
            Colour::Green if window >= self.below_packets && *yellow > 0 => {
                *yellow -= 1;
                Colour::Yellow
            }
            colour => colour,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_protected_is_paid_for() {
        let mut small = SmallWindow { below_packets: 3.0, repay: true, owed: [0; 2] };
        let (green, yellow, red) = (Colour::Green, Colour::Yellow, Colour::Red);
        let packets = [
            (red, 2.0),
            (yellow, 1.0),
            (green, 2.0),
            (yellow, 3.0),
            (green, 5.0),
            (green, 5.0),
            (green, 5.0),
        ];
        let colours = packets.map(|(colour, window)| small.colour(colour, window));
        assert_eq!(colours, [green, green, green, yellow, red, yellow, green]);
        let mut free = SmallWindow { repay: false, ..small };
        assert_eq!(
            packets.map(|(colour, window)| free.colour(colour, window)),
            [green, green, green, yellow, green, green, green]
        );
        // An unknown window decides nothing.
        assert_eq!(small.colour(red, f64::NAN), red);
    }
}
