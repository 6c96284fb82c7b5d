//! Patterns of flow names: rules of conditioners and groups of experiments go by them.

use super::place::{quoted, Place};
use super::{Checked, PortPlan};
use crate::error::ScenarioError;
use crate::scenario::{Flow, Loss};

/// Returns whether a name matches a pattern, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Checks that each of these patterns is that of a flow.
pub(super) fn check_patterns(at: &Place<'_>, patterns: &[String], flows: &[Flow]) -> Checked<()> {
    for (index, pattern) in patterns.iter().enumerate() {
        if !flows.iter().any(|flow| matches(pattern, &flow.name)) {
            let expected = "the name of a flow, in which * stands for any text";
            let path = format!("{at}.flows[{index}]");
            return Err(ScenarioError::new(path, quoted(pattern), expected));
        }
    }
    Ok(())
}

/// Checks the groups that ports make experiments with. The ports are those of the links, two each.
pub(super) fn check_groups(ports: &[PortPlan], flows: &[Flow]) -> Checked<()> {
    let links = Place::of("links");
    for (index, port) in ports.iter().enumerate() {
        let Some(Loss::Treatment(config)) = port.loss.as_deref() else {
            continue;
        };
        let link = links.item(index / 2);
        let back = link.field("reverse");
        let at = if index % 2 == 0 { link } else { back };
        let loss = at.field("loss");
        let groups = loss.field("groups");
        for (index, group) in config.groups.iter().enumerate() {
            check_patterns(&groups.item(index), &group.flows, flows)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("*", "tcp1"),
            ("tcp*", "tcp1"),
            ("*1", "tcp1"),
            ("t*p*", "tcp1"),
            ("tcp1", "tcp1"),
            ("a*a", "aa"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("", "tcp1"), ("tcp", "tcp1"), ("*2", "tcp1"), ("p*", "tcp1"), ("t*x*1", "tcp1"), ("a*a", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
