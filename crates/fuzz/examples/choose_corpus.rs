//! Chooses inputs that differ in what they make of a network, and writes them where the targets that run networks look for their corpus:
//! `cargo run --release -p parshall-fuzz --example choose_corpus`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use parshall_fuzz::{network, Bytes};
use serde_json::Value;

const MOST: usize = 48;

/// All kinds and names that a value holds.
fn words(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if let Value::String(text) = value {
                found.insert(format!("{name}={text}"));
            }
            found.insert(name.clone());
            words(value, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| words(item, found)),
        _ => {}
    }
}

fn main() {
    let (mut known, mut chosen, mut state) = (BTreeSet::new(), Vec::new(), 1u64);
    for _ in 0..20_000 {
        let input: Vec<u8> = (0..160)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        let network = network(&mut Bytes::new(&input));
        let mut found = BTreeSet::new();
        words(&network, &mut found);
        let transport = &network["flows"][0]["transport"];
        let (queue, control) = (&network["links"][0]["queue"]["kind"], &transport["control"]["kind"]);
        found.insert(format!("{queue} {control}"));
        let fresh = found.difference(&known).count();
        if fresh > 0 && chosen.len() < MOST {
            known.extend(found);
            chosen.push(input);
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/__fuzz__/networks/corpus");
    fs::create_dir_all(&folder).expect("a folder");
    for (number, input) in chosen.iter().enumerate() {
        fs::write(folder.join(format!("{number:02}")), input).expect("a file");
    }
    println!("{} inputs, {} kinds and names", chosen.len(), known.len());
}
