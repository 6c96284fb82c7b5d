//! White noise for tests.

/// `n` independent numbers, uniform on [-1/2, 1/2) (xorshift64*; Vigna 2016).
pub fn noise(n: usize) -> impl Iterator<Item = f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    (0..n).map(move |_| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    })
}
