use super::*;

/// Evidence of simulated flows and what the learner's own library makes of it: a line has a probability and the numbers.
const ROWS: &str = include_str!("rows.txt");

fn rows() -> Vec<(f64, [f32; COUNT])> {
    let numbers =
        |line: &str| -> Vec<f64> { line.split(' ').map(|word| word.parse().expect("a number")).collect() };
    let row = |line: &str| {
        let every = numbers(line);
        assert_eq!(every.len(), COUNT + 1);
        (every[0], core::array::from_fn(|i| every[i + 1] as f32))
    };
    ROWS.lines().map(row).collect()
}

#[test]
fn the_table_says_what_its_learner_says() {
    let rows = rows();
    assert!(rows.len() >= 100);
    for (probability, numbers) in &rows {
        let found = deaf(numbers);
        // Leaves are rounded to 1/4096.
        assert!((found - probability).abs() < 1e-3, "{found} for {probability}");
    }
    // They are of every kind.
    for label in [Label::Responds, Label::Unknown, Label::Deaf] {
        assert!(rows.iter().filter(|(deaf, _)| Label::of(*deaf) == label).count() >= 10, "{label:?}");
    }
}

#[test]
fn who_has_shown_nothing_is_unknown() {
    let mut nothing = [f32::NAN; COUNT];
    (nothing[0], nothing[1], nothing[2]) = (-1.0, -1.0, 1.0);
    assert_eq!(deaf(&nothing), 0.5);
    assert_eq!(Label::of(0.5), Label::Unknown);
}

#[test]
fn bounds_widen_with_doubt() {
    let halves: Vec<f64> = (0..=1000).map(|i| half_width(f64::from(i) / 1000.0)).collect();
    assert!(halves.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(halves[0] < 0.02 && halves[1000] > 0.1 && halves[1000] <= 1.0);
    for (doubt, half) in WIDTHS {
        assert!((half_width(f64::from(doubt)) - f64::from(half)).abs() < 1e-12);
    }
}

#[test]
fn every_node_looks_at_a_number() {
    for tree in &TREES {
        assert!(tree.numbers.iter().all(|&number| usize::from(number) < COUNT));
        assert!(tree.thresholds.iter().all(|&half| !from_upper_half(half).is_nan()));
    }
}
