//! Lists of the parts that a file is made of.

use crate::part::{Kinds, Part};
use crate::parts::{ANY_CONTROL, ANY_LAW, ANY_WEIGHT, CAPACITY, DUMBBELL, SCENARIO};
use crate::takes::Takes;

/// The parts that a scenario file is made of, each before those that it holds.
pub fn all_parts() -> Vec<&'static Part> {
    let mut found = Vec::new();
    [&SCENARIO, &DUMBBELL].into_iter().for_each(|part| collect(part, &mut found));
    found
}

/// The parts that may stand in a field: one, or those of which a kind chooses one.
pub fn parts_in(takes: &Takes) -> &'static [&'static Part] {
    static THE_CAPACITY: [&Part; 1] = [&CAPACITY];
    match kinds_in(takes) {
        Some(kinds) => kinds.parts,
        None if matches!(takes, Takes::Capacity) => &THE_CAPACITY,
        None => &[],
    }
}

/// The kinds of which a field takes one.
pub(crate) fn kinds_in(takes: &Takes) -> Option<&'static Kinds> {
    match takes {
        Takes::OneOf(kinds) | Takes::EachOf(kinds) => Some(kinds),
        Takes::TimeLaw | Takes::NumberLaw => Some(&ANY_LAW),
        Takes::Weight => Some(&ANY_WEIGHT),
        Takes::Control => Some(&ANY_CONTROL),
        _ => None,
    }
}

fn collect(part: &'static Part, found: &mut Vec<&'static Part>) {
    if found.iter().any(|known| std::ptr::eq(*known, part)) {
        return;
    }
    found.push(part);
    for field in part.fields {
        match field.takes {
            Takes::Table(inner) | Takes::Tables(inner) => collect(inner, found),
            ref takes => parts_in(takes).iter().for_each(|inner| collect(inner, found)),
        }
    }
}
