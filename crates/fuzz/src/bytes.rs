//! An input of a fuzzer as a source of choices. When it is used up every choice is the first one.

/// Bytes that are read one after the other.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// All of an input.
    pub fn new(input: &'a [u8]) -> Self {
        Bytes(input)
    }

    /// Returns whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// A number below `end`, which is above 0.
    pub fn below(&mut self, end: usize) -> usize {
        let two = usize::from(self.byte()) << 8 | usize::from(self.byte());
        two % end
    }

    /// One of a list, which is not empty.
    pub fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Any number there is, infinite ones and none included.
    pub fn real(&mut self) -> f64 {
        let mut bits = [0; 8];
        bits.iter_mut().for_each(|byte| *byte = self.byte());
        f64::from_le_bytes(bits)
    }

    /// A number that a measurement might give, or any.
    pub fn measured(&mut self) -> f64 {
        match self.byte() {
            0..=15 => self.real(),
            16..=31 => 0.0,
            32..=47 => 1e300,
            _ => f64::from(self.byte()) * 10f64.powi(self.below(12) as i32 - 8),
        }
    }
}
