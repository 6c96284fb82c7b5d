//! Level shifts told from long memory, by a likelihood ratio in the frequency domain.
//!
//! A shift puts power into the lowest frequencies as long memory does, but with the phases of a step. So steps are regressed out
//! of the Fourier transform at the frequencies that local Whittle estimation uses, each frequency weighed with the spectrum
//! of H, and H is found anew: the ratio is twice the gain of the local Whittle likelihood, at the best place and the best H.
//! It is the supremum test for a shift at an unknown time (Andrews 1993) with the long memory itself estimated under both
//! hypotheses, as Lavielle and Moulines (2000) least squares are without. Its critical values grow with H and were simulated.
//!
//! Shifts are looked for in the normal scores of the samples, which say by their ranks alone what the level does: the critical
//! values hold for Gaussian series, and one late sample or a heavy tail would pass for a level otherwise. Of independent samples
//! the scores have the same law whatever the law of the samples. H is that of the samples themselves.

use alloc::vec::Vec;

use super::fft::{Complex, Fft};
use super::local_whittle::Bandwidth;
use super::scores::Scores;
use super::series::Series;
use super::tables::SHIFT_CRITICAL;
use super::SeriesError;
use crate::error::ConfigError;
use crate::math::{round, sqrt, square};

/// Most shifts that are looked for.
pub const MOST_SHIFTS: usize = 3;

/// Fewest samples: 23 frequencies.
const LEAST_SAMPLES: usize = 128;

/// Places where a shift is looked for first, between these shares of the series.
const PLACES: usize = 91;
const TRIMMED: f64 = 0.05;

/// Places that lie closer to one that was chosen are left out: two steps beside each other are an outlier, no level.
const APART: usize = 6;

/// Fewest samples that differ from the commonest value. Fewer are events, whose sum over a low frequency is not Gaussian.
const LEAST_VARIED: usize = 20;

/// Values of H at which the likelihood is worked out; a parabola is drawn through the best.
const GRID: usize = 11;

fn grid(i: usize) -> f64 {
    0.3 + 0.1 * i as f64
}

/// Findings about shifts of the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifts {
    count: usize,
    at: [usize; MOST_SHIFTS],
    /// Twice the gain of the log-likelihood of the normal scores with 1, 2 ... shifts.
    pub ratios: [f64; MOST_SHIFTS],
    /// Critical values of the ratios: each is exceeded by chance in 1.7 % of Gaussian series of that H, or
    /// less.
    pub critical: [f64; MOST_SHIFTS],
    /// H by local Whittle estimation with 0, 1, 2 ... shifts taken out.
    pub h: [f64; MOST_SHIFTS + 1],
}

impl Shifts {
    /// Index of the first sample of each new level, in order of time; empty if no ratio exceeds its critical value.
    pub fn at(&self) -> &[usize] {
        &self.at[..self.count]
    }

    /// H with the shifts taken out that were found. It is a little too low, since the best places are chosen.
    pub fn h_without(&self) -> f64 {
        self.h[self.count]
    }
}

/// Looks for level shifts in series of every length up to the one that it was made for, and allocates only when it is made.
///
/// ```
/// use parshall_estimators::long_memory::LevelShifts;
///
/// let mut shifts = LevelShifts::new(512)?;
/// let noise = |t: u32| f64::from(t * t * 97 % 251) / 251.0;
/// let xs: Vec<f64> = (0..512).map(|t| noise(t) + if t < 300 { 0.0 } else { 1.0 }).collect();
/// let found = shifts.find(&xs).unwrap();
/// assert_eq!(found.at().len(), 1);
/// assert!(found.at()[0].abs_diff(300) < 5);
/// # Ok::<(), parshall_estimators::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelShifts {
    series: Series,
    test: ShiftTest,
}

impl LevelShifts {
    /// For series of at most `longest` samples.
    ///
    /// # Errors
    /// Less than 128 samples.
    pub fn new(longest: usize) -> Result<Self, ConfigError> {
        ConfigError::unless(longest >= LEAST_SAMPLES, "window", longest, "at least 128 samples")?;
        Ok(LevelShifts { series: Series::new(longest), test: ShiftTest::new(longest) })
    }

    /// Fewest samples that shifts are looked for in: 128.
    pub fn least_samples() -> usize {
        LEAST_SAMPLES
    }

    /// Shifts of the mean of a series.
    ///
    /// # Errors
    /// Too few samples or more than there is room for, a sample that is not finite, or a series that does not vary.
    pub fn find(&mut self, xs: &[f64]) -> Result<Shifts, SeriesError> {
        let xs = self.series.take([xs, &[]], LEAST_SAMPLES)?;
        self.test.of(xs).ok_or(SeriesError::Constant)
    }
}

/// The regression of steps, by columns that are made orthogonal to those that were chosen before.
#[derive(Clone, Debug)]
pub(super) struct ShiftTest {
    scores: Scores,
    fft: Fft,
    transform: Vec<Complex>,
    places: Vec<usize>,
    /// Transforms of unit steps, one place behind the other.
    steps: Vec<Complex>,
    /// Weights of the frequencies, one H behind the other.
    weights: Vec<f64>,
    /// For each place and H: product with what is left of the series, and square, less what chosen columns explain.
    left: Vec<[(f64, f64); GRID]>,
    /// For each place: products with the chosen columns, which have length 1.
    explained: Vec<[[f64; GRID]; MOST_SHIFTS]>,
}

impl ShiftTest {
    /// For series of at most `longest` samples.
    pub(super) fn new(longest: usize) -> Self {
        let frequencies = Bandwidth::default().of(longest);
        ShiftTest {
            scores: Scores::new(longest),
            fft: Fft::new(longest),
            transform: Vec::with_capacity(frequencies),
            places: Vec::with_capacity(PLACES),
            steps: Vec::with_capacity(PLACES * frequencies),
            weights: Vec::with_capacity(GRID * frequencies),
            left: Vec::with_capacity(PLACES),
            explained: Vec::with_capacity(PLACES),
        }
    }

    /// Shifts of a series that is centred and scaled; `None` if its lowest frequencies are empty.
    pub(super) fn of(&mut self, xs: &[f64]) -> Option<Shifts> {
        self.frame(xs.len());
        let mut scores = core::mem::take(&mut self.scores);
        scores.take(xs);
        let found = self.search(scores.values());
        let varied = scores.varied();
        self.scores = scores;
        let (mut found, chosen) = found?;
        if varied < LEAST_VARIED {
            found.count = 0;
        }
        let mut rest = self.project(xs)?;
        found.h[0] = lowest(&rest).0;
        for (k, &place) in chosen.iter().enumerate() {
            self.choose(place, k, &mut rest);
            found.h[k + 1] = lowest(&rest).0;
        }
        let found_at = &mut found.at[..found.count];
        found_at.iter_mut().zip(chosen).for_each(|(at, place)| *at = self.places[place]);
        found_at.sort_unstable();
        refine(self.scores.values(), found_at);
        Some(found)
    }

    /// Ratios of the scores, how many shifts they are evidence of, and the places of steps in the order of choice.
    fn search(&mut self, scores: &[f64]) -> Option<(Shifts, [usize; MOST_SHIFTS])> {
        let mut rest = self.project(scores)?;
        let m = self.transform.len() as f64;
        let none = lowest(&rest).1;
        let mut found = Shifts {
            count: 0,
            at: [0; MOST_SHIFTS],
            ratios: [0.0; MOST_SHIFTS],
            critical: [0.0; MOST_SHIFTS],
            h: [0.0; MOST_SHIFTS + 1],
        };
        let mut chosen = [0; MOST_SHIFTS];
        for (k, place) in chosen.iter_mut().enumerate() {
            *place = self.best(&rest);
            self.choose(*place, k, &mut rest);
            let (h, with) = lowest(&rest);
            found.ratios[k] = m * (none - with);
            found.critical[k] = SHIFT_CRITICAL[k].at(scores.len(), h);
        }
        found.count = significant(&found);
        Some((found, chosen))
    }

    /// Transforms of steps at all places, and weights, for series of a length.
    fn frame(&mut self, n: usize) {
        let m = Bandwidth::default().of(n);
        self.places.clear();
        let share = |i: usize| TRIMMED + (1.0 - 2.0 * TRIMMED) * i as f64 / (PLACES - 1) as f64;
        self.places.extend((0..PLACES).map(|i| round(n as f64 * share(i)) as usize));
        let turn = -core::f64::consts::TAU / n as f64;
        self.steps.clear();
        for &t in &self.places {
            self.steps.extend((1..=m).map(|j| step(turn, j, j * t % n)));
        }
        let mean = (1..=m).map(|j| libm::log(j as f64)).sum::<f64>() / m as f64;
        self.weights.clear();
        for i in 0..GRID {
            let weight = |j: usize| libm::exp((2.0 * grid(i) - 1.0) * (libm::log(j as f64) - mean));
            self.weights.extend((1..=m).map(weight));
        }
    }

    /// The transform of a series and its products with the steps; sums of squares of what no step explains so far.
    fn project(&mut self, xs: &[f64]) -> Option<[f64; GRID]> {
        let m = Bandwidth::default().of(xs.len());
        self.transform.clear();
        self.transform.extend_from_slice(&self.fft.of(xs)[1..=m]);
        let mut rest = [0.0; GRID];
        for (rest, weights) in rest.iter_mut().zip(self.weights.chunks_exact(m)) {
            *rest = weights.iter().zip(&self.transform).map(|(w, x)| w * x.power()).sum();
        }
        self.left.clear();
        for column in self.steps.chunks_exact(m) {
            let mut left = [(0.0, 0.0); GRID];
            for (sums, weights) in left.iter_mut().zip(self.weights.chunks_exact(m)) {
                *sums = (product(weights, column, &self.transform), product(weights, column, column));
            }
            self.left.push(left);
        }
        self.explained.clear();
        self.explained.resize(self.places.len(), [[0.0; GRID]; MOST_SHIFTS]);
        rest.iter().all(|&rest| rest > 1e-20).then_some(rest)
    }

    /// The place whose step explains most, at whichever H is then best.
    fn best(&self, rest: &[f64; GRID]) -> usize {
        let value = |left: &[(f64, f64); GRID]| {
            let with = core::array::from_fn(|i| rest[i] - gain(left[i]));
            lowest(&with).1
        };
        let values = self.left.iter().map(value).enumerate();
        values.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
    }

    /// Takes the step at a place out of the series and of all columns.
    fn choose(&mut self, place: usize, k: usize, rest: &mut [f64; GRID]) {
        let m = self.transform.len();
        let chosen = self.left[place];
        let before = self.explained[place];
        for i in 0..GRID {
            rest[i] -= gain(chosen[i]);
        }
        let ours = place * m..(place + 1) * m;
        for other in 0..self.places.len() {
            let column = &self.steps[other * m..(other + 1) * m];
            for i in 0..GRID {
                let length = sqrt(chosen[i].1);
                let weights = &self.weights[i * m..(i + 1) * m];
                let raw = product(weights, column, &self.steps[ours.clone()]);
                let explained = &mut self.explained[other];
                let known: f64 = (0..k).map(|l| explained[l][i] * before[l][i]).sum();
                let along = (raw - known) / length;
                explained[k][i] = along;
                let (with_series, square) = &mut self.left[other][i];
                *with_series -= along * chosen[i].0 / length;
                *square -= along * along;
                if other.abs_diff(place) < APART {
                    // Without a gain, now and at every later choice.
                    *square = f64::INFINITY;
                }
            }
        }
    }
}

/// The transform at frequency `j` of a step from 0 to 1 at time t, where `jt` is `j t` modulo n.
fn step(turn: f64, j: usize, jt: usize) -> Complex {
    let unit = |k: usize| Complex { re: libm::cos(turn * k as f64), im: libm::sin(turn * k as f64) };
    let one = Complex { re: 1.0, im: 0.0 };
    let (above, below) = (unit(jt) - one, one - unit(j));
    let inverse = Complex { re: below.re / below.power(), im: -below.im / below.power() };
    above * inverse
}

/// The weighted inner product of two transforms, over positive and negative frequencies.
fn product(weights: &[f64], a: &[Complex], b: &[Complex]) -> f64 {
    weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * (a.re * b.re + a.im * b.im)).sum()
}

/// By how much a column lowers the sum of squares.
fn gain((with_series, square): (f64, f64)) -> f64 {
    with_series * with_series / square
}

/// The best H, and twice the lowest value of the local Whittle function, from sums of squares at the H of the grid.
fn lowest(rest: &[f64; GRID]) -> (f64, f64) {
    let value = |i: usize| 2.0 * libm::log(rest[i].max(1e-300));
    let least = (0..GRID).min_by(|&a, &b| rest[a].total_cmp(&rest[b])).unwrap_or(0);
    let middle = least.clamp(1, GRID - 2);
    let (left, here, right) = (value(middle - 1), value(middle), value(middle + 1));
    let bend = left - 2.0 * here + right;
    let offset = if bend > 0.0 { (0.5 * (left - right) / bend).clamp(-1.0, 1.0) } else { 0.0 };
    let value = here + offset * (0.5 * (right - left) + 0.5 * bend * offset);
    (grid(middle) + (grid(1) - grid(0)) * offset, value)
}

/// Number of shifts: those up to the first ratio that is too great for chance, and each further one that adds as much
/// as a single one has to.
fn significant(found: &Shifts) -> usize {
    let Some(first) = (0..MOST_SHIFTS).find(|&k| found.ratios[k] > found.critical[k]) else { return 0 };
    let adds = |&k: &usize| found.ratios[k] - found.ratios[k - 1] > found.critical[0];
    first + 1 + (first + 1..MOST_SHIFTS).take_while(adds).count()
}

/// Moves every place to where the two levels beside it fit best, a hundredth of the series to either side at most.
fn refine(xs: &[f64], at: &mut [usize]) {
    let reach = xs.len() / PLACES + 1;
    for k in 0..at.len() {
        let start = if k == 0 { 0 } else { at[k - 1] };
        let end = at.get(k + 1).copied().unwrap_or(xs.len());
        let (low, high) = (at[k].saturating_sub(reach).max(start + 1), (at[k] + reach).min(end - 1));
        let total: f64 = xs[start..end].iter().sum();
        let mut left: f64 = xs[start..low].iter().sum();
        let mut best = (0.0, at[k]);
        for (t, x) in xs.iter().enumerate().take(high + 1).skip(low) {
            let (before, after) = ((t - start) as f64, (end - t) as f64);
            let between = left * left / before + square(total - left) / after;
            if between > best.0 {
                best = (between, t);
            }
            left += x;
        }
        at[k] = best.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::long_memory::{Generator, Process};

    /// Standard normal variates, from a linear congruential generator.
    fn normals(count: usize, seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let mut draw = || (-2.0 * libm::log(uniform())).sqrt() * libm::cos(std::f64::consts::TAU * uniform());
        (0..count).map(|_| draw()).collect()
    }

    fn path(h: f64, n: usize, seed: u64) -> Vec<f64> {
        let mut generator = Generator::new(Process::Fgn { h }, n).unwrap();
        let variates = normals(generator.normals(), seed);
        generator.path(&variates).to_vec()
    }

    /// The ratio of one shift by its definition: least squares on real and imaginary parts, at every place and H.
    fn ratio_by_definition(xs: &[f64]) -> f64 {
        let n = xs.len();
        let m = Bandwidth::default().of(n);
        let mean = xs.iter().sum::<f64>() / n as f64;
        let transform = |f: &dyn Fn(usize) -> f64, j: usize| -> (f64, f64) {
            (0..n).fold((0.0, 0.0), |(re, im), t| {
                let angle = -std::f64::consts::TAU * (j * t % n) as f64 / n as f64;
                (re + f(t) * libm::cos(angle), im + f(t) * libm::sin(angle))
            })
        };
        let series: Vec<(f64, f64)> = (1..=m).map(|j| transform(&|t| xs[t] - mean, j)).collect();
        let centre = (1..=m).map(|j| libm::log(j as f64)).sum::<f64>() / m as f64;
        let weight = |i: usize, j: usize| libm::exp((2.0 * grid(i) - 1.0) * (libm::log(j as f64) - centre));
        let square = |values: &[(f64, f64)], i: usize| -> f64 {
            values.iter().zip(1..).map(|(x, j)| weight(i, j) * (x.0 * x.0 + x.1 * x.1)).sum()
        };
        let none = lowest(&std::array::from_fn(|i| square(&series, i))).1;
        let with = (0..PLACES).map(|k| {
            let share = TRIMMED + (1.0 - 2.0 * TRIMMED) * k as f64 / (PLACES - 1) as f64;
            let place = (n as f64 * share).round() as usize;
            let step: Vec<(f64, f64)> = (1..=m).map(|j| transform(&|t| f64::from(t >= place), j)).collect();
            let rest = std::array::from_fn(|i| {
                let both = series.iter().zip(&step).zip(1..);
                let product: f64 = both.map(|((x, s), j)| weight(i, j) * (x.0 * s.0 + x.1 * s.1)).sum();
                square(&series, i) - product * product / square(&step, i)
            });
            lowest(&rest).1
        });
        m as f64 * (none - with.fold(f64::INFINITY, f64::min))
    }

    #[test]
    fn the_ratio_is_that_of_its_definition() {
        for seed in 1..4 {
            let xs = path(0.7, 200, seed);
            let found = LevelShifts::new(256).unwrap().find(&xs).unwrap();
            let mut scores = Scores::new(256);
            scores.take(&xs);
            assert!((found.ratios[0] - ratio_by_definition(scores.values())).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn ratios_rise_with_the_number_of_shifts_and_places_lie_apart() {
        let mut shifts = LevelShifts::new(1000).unwrap();
        for seed in 1..40 {
            let mut xs = path(0.6, 600 + 10 * seed as usize, seed);
            xs[200..420].iter_mut().for_each(|x| *x += 3.0);
            let found = shifts.find(&xs).unwrap();
            assert!(found.ratios.windows(2).all(|r| r[0] <= r[1] + 0.5 && r[1] < 1000.0), "{found:?}");
            assert!(found.at().windows(2).all(|pair| pair[1] - pair[0] > xs.len() / 40), "{found:?}");
            assert!(found.at().len() >= 2 && found.at()[0].abs_diff(200) < 10, "{found:?}");
            assert!(found.h_without() < found.h[0]);
        }
    }

    #[test]
    fn neither_units_nor_the_sign_matter() {
        let mut xs = path(0.8, 500, 9);
        xs[250..].iter_mut().for_each(|x| *x += 2.0);
        let mut shifts = LevelShifts::new(500).unwrap();
        let plain = shifts.find(&xs).unwrap();
        let turned: Vec<f64> = xs.iter().map(|x| 7e5 - 1e3 * x).collect();
        let other = shifts.find(&turned).unwrap();
        assert_eq!(plain.at(), other.at());
        assert!((plain.ratios[0] - other.ratios[0]).abs() < 1e-6);
    }

    /// Independent samples of any law have the same scores, so that the share of flagged series is that of white noise.
    #[test]
    fn the_law_of_independent_samples_does_not_matter() {
        let mut shifts = LevelShifts::new(300).unwrap();
        for seed in 1..20 {
            let noise = normals(300, seed);
            let expected = shifts.find(&noise).unwrap();
            let laws: [fn(f64) -> f64; 3] =
                [|x| libm::exp(2.0 * x), |x| if x > 2.0 { 1e6 } else { x }, |x| x * x * x * x * x];
            for law in laws {
                let bent: Vec<f64> = noise.iter().map(|&x| law(x)).collect();
                let found = shifts.find(&bent).unwrap();
                assert_eq!(found.at().is_empty(), expected.at().is_empty(), "{found:?}");
            }
        }
    }

    #[test]
    fn a_few_events_in_a_constant_series_are_no_shift() {
        let mut shifts = LevelShifts::new(400).unwrap();
        for events in 1..8 {
            let mut xs = vec![21.0; 400];
            (0..events).for_each(|k| xs[(37 + 61 * k) % 400] = 400.0);
            assert!(shifts.find(&xs).unwrap().at().is_empty(), "{events}");
        }
        let mut shifted = vec![21.0; 400];
        shifted[250..].fill(22.0);
        shifted[10] = 900.0;
        assert!(shifts.find(&shifted).unwrap().at().contains(&250));
    }

    #[test]
    fn too_little_is_an_error() {
        let mut shifts = LevelShifts::new(300).unwrap();
        assert_eq!(shifts.find(&[0.0; 127]), Err(SeriesError::TooFew { samples: 127, least: 128 }));
        assert_eq!(shifts.find(&[1.0; 200]), Err(SeriesError::Constant));
        let alternating: Vec<f64> = (0..300_u32).map(|t| f64::from(t % 2)).collect();
        assert_eq!(shifts.find(&alternating), Err(SeriesError::Constant));
        assert!(LevelShifts::new(127).is_err());
    }
}
