use super::*;
use proptest::prelude::*;

const FLOWS: u32 = 4;

fn instants(interval: u64, end: u64) -> Vec<u64> {
    (0..end).step_by(interval as usize).collect()
}

/// The values of a column, which says of them before they are there what holds afterwards.
fn column(table: &Table, name: &str) -> Column {
    let column = table.column(name).expect("a column");
    let whole = Column::from(column.clone().into_values().expect("memory"));
    let said = |column: &Column| (column.len(), column.bytes(), column.value_type());
    assert_eq!(said(column), said(&whole));
    assert_eq!(column.values().expect("memory"), whole.values().expect("memory"));
    let mut expanded = column.clone();
    expanded.expand().expect("memory");
    assert!(expanded.is_whole() && expanded == whole && *column == whole);
    whole
}

fn shown(number: u64) -> Shown {
    let x = number as f64;
    Shown { cwnd: x, ssthresh: x + 0.1, rtt: x + 0.2, srtt: x + 0.3, rto: x + 0.4, high_ack: number as i64 }
}

/// Changes of flows: when, to which, and by how much their counts grow.
fn happenings() -> impl Strategy<Value = Vec<(u64, u32, u64)>> {
    prop::collection::vec((0u64..120, 0..FLOWS, 0u64..3), 0..80).prop_map(|mut all| {
        all.sort_unstable();
        all
    })
}

/// Value that the last of these changes shows at an instant or before.
fn last<T: Copy>(noted: &[(u64, u32, T)], flow: u32, at: u64) -> Option<T> {
    noted.iter().rev().find(|(when, of, _)| *of == flow && *when <= at).map(|(_, _, value)| *value)
}

/// Counts in place of growth.
fn counted(grown: &[(u64, u32, u64)]) -> Vec<(u64, u32, u64)> {
    let mut counts = [0; FLOWS as usize];
    let count = |&(at, flow, more): &(u64, u32, u64)| {
        counts[flow as usize] += more;
        (at, flow, counts[flow as usize])
    };
    grown.iter().map(count).collect()
}

proptest! {
    #[test]
    fn a_sample_shows_what_was_noted_last(
        of in prop::sample::select(vec![vec![], vec![2], vec![0, 3], vec![0, 1, 2, 3]]),
        interval in 1u64..150,
        end in 1u64..130,
        states in happenings(),
        delivered in happenings(),
    ) {
        let mut series = FlowSeries::new(&of, Time::from_ps(interval), Time::from_ps(end), FLOWS as usize);
        let (sent, delivered) = (counted(&states), counted(&delivered));
        let changed: Vec<(u64, u32, u64)> =
            (0..).zip(&sent).map(|(number, &(at, flow, _))| (at, flow, number)).collect();
        // Flow by flow, so that most are noted late or ahead of the others.
        for flow in (0..FLOWS).rev() {
            for (number, &(at, of, packets)) in (0..).zip(&sent).filter(|(_, (_, of, _))| *of == flow) {
                if let Some(place) = series.place(of) {
                    series.shows(Time::from_ps(at), place, packets, shown(number));
                }
            }
            for &(at, of, packets) in delivered.iter().filter(|(_, of, _)| *of == flow) {
                series.data_arrived(Time::from_ps(at), of, packets, at % 3);
            }
        }
        let rows: Vec<(u64, u32)> =
            instants(interval, end).into_iter().flat_map(|at| of.iter().map(move |&flow| (at, flow))).collect();
        let counts = |noted: &[(u64, u32, u64)]| -> Column {
            rows.iter().map(|&(at, flow)| last(noted, flow, at).unwrap_or(0)).collect::<Vec<_>>().into()
        };
        let table = series.into_table();
        let times: Vec<f64> = rows.iter().map(|&(at, _)| Time::from_ps(at).secs()).collect();
        prop_assert_eq!(column(&table, "time"), times.into());
        let flows: Vec<i32> = rows.iter().map(|&(_, flow)| flow as i32).collect();
        prop_assert_eq!(column(&table, "flow"), flows.into());
        prop_assert_eq!(column(&table, "packets_sent"), counts(&sent));
        prop_assert_eq!(column(&table, "packets_delivered"), counts(&delivered));
        let mut most = [0; FLOWS as usize];
        let arrivals = delivered.iter().map(|&(at, flow, packets)| {
            let arrived = most[flow as usize].max(packets + at % 3);
            most[flow as usize] = arrived;
            (at, flow, arrived)
        });
        prop_assert_eq!(column(&table, "packets_arrived"), counts(&arrivals.collect::<Vec<_>>()));
        let state = |&(at, flow): &(u64, u32)| last(&changed, flow, at).map_or(Shown::NOTHING, shown);
        let states: Vec<Shown> = rows.iter().map(state).collect();
        let high_acks: Vec<i64> = states.iter().map(|shown| shown.high_ack).collect();
        prop_assert_eq!(column(&table, "high_ack"), high_acks.into());
        let reals = |shown: &Shown| [shown.cwnd, shown.ssthresh, shown.rtt, shown.srtt, shown.rto].map(f64::to_bits);
        for (index, name) in ["cwnd", "ssthresh", "rtt", "srtt", "rto"].into_iter().enumerate() {
            let bits: Vec<u64> = table.f64(name).expect("reals").iter().map(|value| value.to_bits()).collect();
            let expected: Vec<u64> = states.iter().map(|shown| reals(shown)[index]).collect();
            prop_assert_eq!(bits, expected, "{}", name);
        }
    }
}

#[test]
fn changes_fill_block_after_block() {
    let samples = Changes::BLOCK as u64 + 5;
    let mut series = FlowSeries::new(&[0], Time::from_ps(1), Time::from_ps(samples), 1);
    for at in 0..samples {
        series.shows(Time::from_ps(at), 0, at, shown(at));
        series.shows(Time::from_ps(at), 0, at, shown(at + 1));
    }
    assert_eq!(series.changes.blocks.iter().map(Vec::len).collect::<Vec<_>>(), [Changes::BLOCK, 5]);
    let expected: Vec<i64> = (0..samples as i64).map(|at| at + 1).collect();
    assert_eq!(column(&series.into_table(), "high_ack"), expected.into());
}

#[test]
fn what_does_not_fit_into_memory_is_said_at_once() {
    let new = || FlowSeries::new(&[0], Time::from_ps(1), Time::from_secs(1000.0), 1);
    let Err(RunError::LowMemory(low)) = crate::unwind::caught(new) else { panic!("too many samples") };
    assert_eq!((low.at, low.asked()), (Time::ZERO, 8_000_000_000_000_000));
    let beginning = "stopped at 0 s: memory runs low: rows of flow_series need 7450580.6 GiB";
    assert!(low.to_string().starts_with(beginning), "{low}");
}
