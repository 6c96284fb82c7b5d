//! Keys that were meant where an unknown one stands.

use crate::part::Part;

/// Keys that a message lists at most.
const MOST_LISTED: usize = 12;
/// The least likeness of two keys of which one may be meant by the other.
const ALIKE: f64 = 0.6;
/// Keys that a message names.
const MOST_NAMED: usize = 3;

/// The key of a part that was meant by an unknown one, or those that there are, in words.
pub fn known(key: &str, part: &Part) -> String {
    let kind = part.kind.map(|_| "kind");
    let known: Vec<&str> = kind.into_iter().chain(part.fields.iter().map(|field| field.name)).collect();
    if let Some(meant) = meant(key, &known) {
        return format!("the key \"{meant}\"");
    }
    if known.len() <= MOST_LISTED {
        return format!("one of the keys {}", known.join(", "));
    }
    let named: Vec<String> = sharing_words(key, &known).iter().map(|each| format!("\"{each}\"")).collect();
    if named.is_empty() {
        return "a key that parshall schema lists".to_owned();
    }
    format!("a key such as {}", named.join(" or "))
}

/// The key that is most alike, if one is alike enough; of several the last by the alphabet.
pub fn meant<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let alike = known.iter().map(|each| (likeness(each, key), *each)).filter(|(ratio, _)| *ratio >= ALIKE);
    alike.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1))).map(|(_, each)| each)
}

/// Those that share most words with a key.
fn sharing_words<'a>(key: &str, known: &[&'a str]) -> Vec<&'a str> {
    let mut words: Vec<&str> = key.split('_').collect();
    words.sort_unstable();
    words.dedup();
    let shared = |each: &&str| words.iter().filter(|word| each.split('_').any(|own| own == **word)).count();
    let mut sorted = known.to_vec();
    sorted.sort_by_key(|each| std::cmp::Reverse(shared(each)));
    sorted.truncate(MOST_NAMED);
    sorted.retain(|each| shared(each) > 0);
    sorted
}

/// Likeness of two texts, from 0 to 1 (Ratcliff and Obershelp 1988).
fn likeness(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    2.0 * matching(&a, &b) as f64 / (a.len() + b.len()) as f64
}

/// Characters of the longest common stretch, and of those on either side of it.
fn matching(a: &[char], b: &[char]) -> usize {
    let (mut from_a, mut from_b, mut longest) = (0, 0, 0);
    for i in 0..a.len() {
        for j in 0..b.len() {
            let length = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
            if length > longest {
                (from_a, from_b, longest) = (i, j, length);
            }
        }
    }
    if longest == 0 {
        return 0;
    }
    let before = matching(&a[..from_a], &b[..from_b]);
    before + longest + matching(&a[from_a + longest..], &b[from_b + longest..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::{DROP_TAIL, TCP};

    #[test]
    fn the_key_that_was_meant_is_named() {
        assert_eq!(known("limit_pakets", &DROP_TAIL), "the key \"limit_packets\"");
        assert_eq!(known("x", &DROP_TAIL), "one of the keys kind, limit_packets, limit_bytes");
        assert_eq!(known("zzz", &TCP), "a key that parshall schema lists");
        assert!(known("rto_smoothing_factor_x", &TCP).starts_with("a key such as \""));
    }

    #[test]
    fn likeness_is_that_of_ratcliff_and_obershelp() {
        assert_eq!(likeness("abcd", "bcde"), 0.75);
        assert_eq!(likeness("", ""), 1.0);
        assert_eq!(likeness("WIKIMEDIA", "WIKIMANIA"), 14.0 / 18.0);
    }
}
