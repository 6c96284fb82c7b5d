//! Who takes part in the experiments of ports, and what came of them as a table.

use parshall_estimators::treatment::Label;

use super::Simulation;
use crate::compile::{matches, FlowPlan, Plan};
use crate::network::Port;
use crate::random::fnv1a;
use crate::record::{Table, TreatmentRow, TreatmentTable};
use crate::room::{self, Room};
use crate::scenario::{Flow, Loss, TreatedGroup};

/// The name in messages of what grows here.
const ROWS: &str = "rows of treatment";

/// Enrols the flows of groups at the ports that ask them: by their hops, and by keys that their names alone decide.
pub(super) fn enrol(plan: &Plan, ports: &mut [Port]) {
    for (index, port) in plan.ports.iter().enumerate() {
        let (Some(Loss::Treatment(config)), Some(treated)) = (port.loss.as_deref(), ports[index].treated())
        else {
            continue;
        };
        for (number, (flow, FlowPlan { data_hops, .. })) in
            plan.scenario_flows.iter().zip(&plan.flows).enumerate()
        {
            let path = plan.path(*data_hops);
            let owner = plan.owners.get(number).map_or(number, |&owner| owner as usize);
            let name = &plan.scenario_flows[owner].name;
            let group = config.groups.iter().position(|group| belongs(group, flow, name));
            let Some(group) = group.filter(|_| path.iter().any(|hop| hop.port as usize == index)) else {
                continue;
            };
            // A packet that was taken through several ports at once comes with the number of the first of these hops.
            for hop in *data_hops..*data_hops + path.len() as u32 {
                treated.enrol(hop, group as u32, fnv1a(&flow.name));
            }
        }
    }
}

/// Returns whether a flow of this name belongs to a group; members of an application have the name of the latter.
fn belongs(group: &TreatedGroup, flow: &Flow, name: &str) -> bool {
    let named = group.flows.is_empty() || group.flows.iter().any(|pattern| matches(pattern, name));
    named && (group.dscp.is_empty() || group.dscp.contains(&flow.dscp))
}

impl Simulation {
    /// Outcomes of experiments after each pair of blocks that asked, if any port makes experiments.
    pub(super) fn treatments(&mut self) -> Option<Table> {
        let end = self.end;
        let mut rows = Vec::new();
        let mut any = false;
        for (index, port) in self.ports.iter_mut().enumerate() {
            let Some(treated) = port.treated() else {
                continue;
            };
            any = true;
            for each in treated.take(end) {
                let outcome = each.outcome;
                rows.add(
                    TreatmentRow {
                        time: outcome.end_s,
                        port: index as i32,
                        group: each.group as i32,
                        lower: outcome.lower,
                        effect: outcome.effect.unwrap_or(f64::NAN),
                        upper: outcome.upper,
                        price: outcome.price,
                        packets: outcome.packets,
                        signals: outcome.signals,
                        pairs: u64::from(outcome.pairs),
                        label: match outcome.label {
                            Label::Responds => -1,
                            Label::Unknown => 0,
                            Label::Deaf => 1,
                        },
                    },
                    ROWS,
                );
            }
        }
        room::to_sort(&rows, ROWS);
        rows.sort_by(|a: &TreatmentRow, b| a.time.total_cmp(&b.time));
        let mut table = TreatmentTable::default();
        rows.into_iter().for_each(|row| table.push(row));
        any.then(|| table.into_table())
    }
}
