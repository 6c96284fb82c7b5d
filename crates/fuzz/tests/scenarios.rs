//! Text of any kind is a scenario or is refused, and so is a scenario that somebody has spoiled; nothing panics.

use bolero::check;
use parshall_fuzz::{network, spoiled, Bytes};
use parshall_sim::internal::{Folding, Plan};
use parshall_sim::scenario::Scenario;
use parshall_sim::Expected;

#[test]
fn any_text() {
    check!().for_each(|input: &[u8]| {
        if let Ok(scenario) = serde_json::from_slice::<Scenario>(input) {
            let _ = Plan::new(&scenario, Folding::On);
        }
    });
}

/// Any scenario that compiles must have a finite cost.
#[test]
fn any_values() {
    check!().for_each(|input: &[u8]| {
        let (first, rest) = input.split_at(input.len() / 2);
        let value = spoiled(&mut Bytes::new(rest), network(&mut Bytes::new(first)));
        let Ok(scenario) = serde_json::from_value::<Scenario>(value) else {
            return;
        };
        match Plan::new(&scenario, Folding::On) {
            Ok(plan) => {
                let expected = Expected::of(&plan);
                assert!(expected.events >= 0.0 && expected.bytes >= 0.0, "{expected:?}");
            }
            Err(error) => assert!(!error.expected.is_empty() && !error.to_string().contains('\n')),
        }
    });
}
