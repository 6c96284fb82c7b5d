//! The estimator in Rust and the kernel's in C: equal bits on the same samples, and no undefined behaviour in C.

use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parshall_estimators::nonresponsive::{ByteSample, Estmred, EstmredConfig, Form};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/estmred");
const CORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../linux/qdisc");

/// The driver, compiled; `None` where there is no C compiler.
fn compiled(name: &str, flags: &[&str]) -> Option<PathBuf> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let built = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-I", CORE])
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(format!("{HERE}/driver.c"))
        .status();
    match built {
        Ok(status) => {
            assert!(status.success(), "the C code does not compile");
            Some(program)
        }
        Err(_) => {
            eprintln!("skipped: there is no C compiler (cc)");
            None
        }
    }
}

/// Numbers that look random: Vigna's splitmix64.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// A number of any magnitude.
    fn any(&mut self) -> u64 {
        let by = self.below(64);
        self.next() >> by
    }
}

type Samples = Box<dyn Iterator<Item = (u64, ByteSample)>>;

/// A configuration and the samples that follow.
#[derive(Clone)]
struct Run {
    config: EstmredConfig,
    kind: Kind,
    samples: u64,
    seed: u64,
}

#[derive(Clone)]
enum Kind {
    /// Packets at a queue that fills, drops and runs empty.
    Port,
    /// Numbers of any magnitude.
    Extreme,
    /// Counts of a simulated port, each 10 ms.
    Recorded(Vec<ByteSample>),
}

impl Run {
    fn stream(&self) -> Samples {
        let (mut random, mut now, samples) = (Random(self.seed), 0u64, self.samples as usize);
        match self.kind.clone() {
            Kind::Port => {
                let mut backlog = 0u64;
                let gap = 2_000_000 * u64::from(self.config.avpkt) / self.config.bandwidth + 1;
                let ever = std::iter::repeat_with(move || {
                    let arrived = 40 + random.below(1461);
                    // Calm and busy times take turns.
                    let calm = (now / 1_500_000) % 4 == 3;
                    now += random.below(gap) + if calm { gap } else { 0 };
                    backlog = (backlog + random.below(1500)).saturating_sub(random.below(1500)).min(90_000);
                    let hit = !calm && random.below(90_000) < backlog / 8;
                    let marks = random.below(2) == 0;
                    let dropped = if hit && !marks { arrived } else { 0 };
                    let marked = if hit && marks { arrived } else { 0 };
                    (now, ByteSample { backlog, arrived, dropped, marked })
                });
                Box::new(ever.take(samples))
            }
            Kind::Extreme => {
                let ever = std::iter::repeat_with(move || {
                    // Time goes back at times, which a clock of a kernel does not.
                    now = if random.below(50) == 0 {
                        random.any()
                    } else {
                        now.saturating_add(random.any() >> 20)
                    };
                    let bytes =
                        |random: &mut Random| random.any() >> if random.below(20) == 0 { 0 } else { 18 };
                    let backlog = bytes(&mut random);
                    let arrived = bytes(&mut random);
                    let dropped = if random.below(3) == 0 { bytes(&mut random) } else { 0 };
                    let marked = if random.below(3) == 0 { bytes(&mut random) } else { 0 };
                    (now, ByteSample { backlog, arrived, dropped, marked })
                });
                Box::new(ever.take(samples))
            }
            Kind::Recorded(rows) => {
                let ticks = (0..).map(|tick: u64| tick * 10_000);
                Box::new(ticks.zip(rows.into_iter().cycle()).take(samples))
            }
        }
    }

    fn config_words(&self) -> [u64; 21] {
        let c = &self.config;
        let form = [Form::Basic, Form::MultiHop].iter().position(|&form| form == c.form).map_or(3, |i| i + 1);
        [
            c.bandwidth,
            c.avpkt.into(),
            c.delay.into(),
            c.rtt.into(),
            c.sampling.into(),
            c.interval.into(),
            c.clock.into(),
            form as u64,
            c.count_drops.into(),
            c.gamma1.into(),
            c.gamma2.into(),
            c.backlog_alpha.into(),
            c.signal_alpha.into(),
            c.drop_alpha.into(),
            c.average_alpha.into(),
            c.pzthd.into(),
            c.off.into(),
            c.start_flows,
            c.start_load,
            c.start_elsewhere.into(),
            self.samples,
        ]
    }

    /// Expected output of the driver for this run.
    fn expected(&self) -> Vec<u64> {
        let defaults = EstmredConfig::new(0, 0, 0);
        let defaults = u64::from(defaults.gamma2) << 8
            | u64::from(defaults.signal_alpha) << 24
            | u64::from(defaults.off) << 40;
        let mut estmred = match Estmred::new(&self.config) {
            Ok(estmred) => estmred,
            Err(fault) => return vec![defaults | fault as u64],
        };
        let mut said = vec![defaults];
        for (now, sample) in self.stream() {
            if estmred.take(now, &sample) {
                let e = estmred.estimate();
                let numbers =
                    [e.share.unwrap_or(-1), e.average.unwrap_or(-1), e.n_s, e.z0, e.rtt_ms, e.excitation];
                assert!((-1..=1 << 14).contains(&numbers[0]) && (-1..=1 << 14).contains(&numbers[1]));
                said.extend(numbers.map(|x| x as u64));
                said.extend([e.arrived, u64::from(e.flags.bits())]);
            }
        }
        said.extend(estmred.parameters().map(|x| x as u64));
        said.extend([estmred.estimates(), estmred.sleeps(), u64::from(estmred.is_asleep())]);
        said
    }
}

/// Compares the driver's output for each run with Rust; returns how many estimates there were.
fn compare(driver: &Path, runs: &[Run]) -> usize {
    let mut child =
        Command::new(driver).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the driver runs");
    let mut input = BufWriter::with_capacity(1 << 20, child.stdin.take().unwrap());
    let theirs = runs.to_vec();
    let writer = std::thread::spawn(move || {
        for run in &theirs {
            run.config_words().iter().for_each(|word| input.write_all(&word.to_ne_bytes()).unwrap());
            for (now, s) in run.stream() {
                for word in [now, s.backlog, s.arrived, s.dropped, s.marked] {
                    input.write_all(&word.to_ne_bytes()).unwrap();
                }
            }
        }
    });
    let mut said = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut said).unwrap();
    writer.join().expect("the driver read everything");
    assert!(child.wait().unwrap().success(), "the driver failed");
    let words: Vec<u64> = said.chunks(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect();
    let mut at = 0;
    for (i, run) in runs.iter().enumerate() {
        let expected = run.expected();
        let got = &words[at..words.len().min(at + expected.len())];
        assert!(got == expected.as_slice(), "run {i} differs: {:?}", run.config);
        at += expected.len();
    }
    assert_eq!(at, words.len());
    words.len() / 8
}

/// Settings as operators choose them.
fn sensible(random: &mut Random) -> EstmredConfig {
    let bandwidth = [125_000, 3_500_000, 12_500_000, 125_000_000][random.below(4) as usize];
    let delay = [500, 5000, 50_000][random.below(3) as usize];
    EstmredConfig {
        rtt: if random.below(3) == 0 { 2 * delay } else { 0 },
        clock: if random.below(3) == 0 && delay >= 50_000 { 10_000 } else { 0 },
        form: if random.below(3) == 0 { Form::MultiHop } else { Form::Basic },
        count_drops: random.below(2) == 0,
        interval: 1 + random.below(30) as u32,
        pzthd: random.below(5) as u32,
        off: random.below(2) as u32 * 40,
        backlog_alpha: random.below(16_384) as u32,
        signal_alpha: random.below(16_384) as u32,
        ..EstmredConfig::new(bandwidth, 1000, delay)
    }
}

/// Settings of any magnitude, most of them within their ranges.
fn extreme(random: &mut Random) -> EstmredConfig {
    let alpha = |random: &mut Random| [0, 1, 16_383, random.below(16_500)][random.below(4) as usize] as u32;
    let delay = (random.any() >> 34) as u32;
    EstmredConfig {
        bandwidth: random.any() >> 22,
        avpkt: 1 + (random.any() >> 48) as u32,
        delay,
        rtt: if random.below(2) == 0 { (random.any() >> 34) as u32 } else { 0 },
        sampling: if random.below(4) == 0 { delay } else { 0 },
        interval: 1 + random.below(10) as u32,
        clock: 0,
        form: [Form::Basic, Form::MultiHop, Form::Cbr][(random.below(7) / 3) as usize],
        count_drops: random.below(2) == 0,
        gamma1: if random.below(3) == 0 { 0 } else { (random.any() >> 32) as u32 },
        gamma2: 1 + random.below(33_000) as u32,
        backlog_alpha: alpha(random),
        signal_alpha: alpha(random),
        drop_alpha: alpha(random),
        average_alpha: alpha(random),
        pzthd: random.below(4) as u32,
        off: random.below(3) as u32 * 20,
        start_flows: random.any() >> 19,
        start_load: random.any() >> 19,
        start_elsewhere: random.below(16_500) as u32,
    }
}

fn recorded() -> Vec<ByteSample> {
    let text = std::fs::read_to_string(format!("{HERE}/port.csv")).unwrap();
    let row = |line: &str| {
        let mut numbers = line.split(',').map(|number| number.parse().unwrap());
        let mut next = || numbers.next().unwrap();
        ByteSample { backlog: next(), arrived: next(), dropped: next(), marked: 0 }
    };
    text.lines().skip(2).map(row).collect()
}

#[test]
fn c_and_rust_give_equal_bits_on_ten_million_packets() {
    let Some(driver) = compiled("estmred-driver", &[]) else { return };
    let mut random = Random(1);
    let runs: Vec<Run> = (0..50)
        .map(|seed| Run { config: sensible(&mut random), kind: Kind::Port, samples: 200_000, seed })
        .collect();
    assert_eq!(runs.iter().map(|run| run.samples).sum::<u64>(), 10_000_000);
    assert!(compare(&driver, &runs) > 10_000);
}

#[test]
fn c_and_rust_give_equal_bits_on_a_recorded_port() {
    let Some(driver) = compiled("estmred-driver-recorded", &[]) else { return };
    let rows = recorded();
    assert_eq!(rows.len(), 3000);
    let printed = EstmredConfig { clock: 10_000, ..EstmredConfig::new(3_500_000, 1000, 50_000) };
    let runs: Vec<Run> = [
        printed,
        EstmredConfig { form: Form::MultiHop, count_drops: true, ..printed },
        EstmredConfig { rtt: 120_000, pzthd: 1, ..printed },
    ]
    .into_iter()
    .map(|config| Run { config, kind: Kind::Recorded(rows.clone()), samples: 3000, seed: 0 })
    .collect();
    // 30 s in estimates of 21 samples of 40 ms, each of 8 numbers.
    assert!(compare(&driver, &runs) >= 3 * 35);
}

#[test]
fn c_has_no_undefined_behaviour_whatever_it_is_fed() {
    let flags = ["-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let Some(driver) = compiled("estmred-driver-ubsan", &flags) else { return };
    let mut random = Random(2);
    let runs: Vec<Run> = (0..12_000)
        .map(|seed| Run { config: extreme(&mut random), kind: Kind::Extreme, samples: 500, seed })
        .collect();
    let accepted = runs.iter().filter(|run| Estmred::new(&run.config).is_ok()).count();
    assert!(accepted > 1500, "{accepted} configurations are within their ranges");
    assert!(compare(&driver, &runs) > 10_000);
}

/// With z0 all but frozen and twice as many arrivals from an instant on, the average goes to the new share by
/// 1 - alpha an estimation interval, not a sampling interval.
#[test]
fn the_average_forgets_from_one_estimation_interval_to_the_next() {
    let one = f64::from(1 << 14);
    let config =
        EstmredConfig { interval: 20, gamma2: 1, pzthd: 0, ..EstmredConfig::new(3_500_000, 1000, 50_000) };
    let alpha = f64::from(config.average_alpha) / one;
    let mut estmred = Estmred::new(&config).expect("settings within their ranges");
    let (mut filtered, mut seen) = (None::<(f64, f64)>, 0);
    for i in 0..120_000 {
        let arrived = if i < 30_000 { 1000 } else { 2000 };
        let sample = ByteSample { backlog: 20_000, arrived, dropped: 20 * (i % 2), marked: 0 };
        if estmred.take(i * 250, &sample) {
            let e = estmred.estimate();
            let (z0, share) = (e.z0 as f64, e.share.expect("traffic") as f64 / one);
            let (part, whole) = (z0, z0 / (1.0 - share));
            let (before, all) = filtered.unwrap_or((part, whole));
            let now = (alpha * before + (1.0 - alpha) * part, alpha * all + (1.0 - alpha) * whole);
            filtered = Some(now);
            let average = e.average.expect("an average") as f64 / one;
            assert!((average - (1.0 - now.0 / now.1)).abs() < 0.01, "{average} after {seen}: {now:?}");
            seen += 1;
        }
    }
    assert!(seen > 20);
}
