//! Errors that end a run early say so, and the next run goes on as if nothing had been.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use parshall_sim::scenario::{DropTail, Flow, Link, Pie, Scenario, Series, Tcp};
use parshall_sim::units::{Rate, Time};
use parshall_sim::{run, run_with, Memory, Need, RunError, RunOptions};

fn scenario(seconds: f64) -> Scenario {
    let link = Link::new(("a", "b"), Rate::mbit(100.0), Time::ms(10.0)).with_queue(DropTail::packets(50));
    Scenario::new(Time::from_secs(seconds), [link], [Flow::bulk("f", "a", "b", Tcp::default())])
}

#[test]
fn a_run_that_no_memory_holds_is_not_started() {
    let mut enormous = scenario(1e6);
    enormous.links[0].rate = Rate::gbit(10.0);
    enormous.flows = vec![Flow::constant("f", "a", "b", Rate::gbit(9.0))];
    enormous.record.packets = vec!["*".into()];
    let Err(RunError::OutOfReach(reason)) = run(&enormous, 1) else { panic!("it would take terabytes") };
    assert!(reason.bytes > 10 * reason.total, "{reason}");
    assert!(!reason.to_string().contains('\n'));
}

/// With a limit it is started, and ends where the memory is asked for.
#[test]
fn memory_that_is_not_there_is_an_error_and_the_next_run_goes_on() {
    const ROWS: u64 = 1 << 32;
    if Memory::now().is_none_or(|memory| memory.available > 8 * ROWS) {
        return; // There is, or the system does not tell.
    }
    let short = scenario(1.0);
    let before = run(&short, 1).expect("a recording");
    let mut long = scenario(1e-6 * ROWS as f64);
    long.record.flow_series = Some(Series::new(["*"], Time::us(1.0)));
    let error =
        run_with(&long, 1, &RunOptions::new().max_events(1 << 40)).expect_err("there is no such memory");
    let RunError::LowMemory(low) = error else { panic!("{error}") };
    let Need::List { items, bytes } = low.need else { panic!("a list: {low}") };
    assert_eq!((items, bytes, low.at), ("rows of flow_series", 8 * ROWS, Time::ZERO));
    assert!(low.memory.is_some_and(|memory| memory.available < bytes), "{low}");
    assert_eq!(run(&short, 1).expect("a recording"), before);
}

#[test]
fn another_thread_can_stop_a_run() {
    let (wanted, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let options = RunOptions::new().progress({
        let (wanted, seen) = (wanted.clone(), seen.clone());
        move |now| {
            seen.store(now > Time::ZERO, Ordering::Relaxed);
            if wanted.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    });
    let running = std::thread::spawn(move || run_with(&scenario(1e6), 1, &options));
    while !seen.load(Ordering::Relaxed) {
        std::thread::yield_now();
    }
    wanted.store(true, Ordering::Relaxed);
    assert!(matches!(running.join().expect("nothing unwinds"), Err(RunError::Stopped)));
}

/// The updates of a queue between two packets are steps within one event.
#[test]
fn a_run_can_be_stopped_within_an_event() {
    let mut busy = scenario(10.0);
    busy.links[0] = busy.links[0].clone().with_queue(Pie { update: Time::from_ps(1), ..Pie::default() });
    busy.flows = vec![Flow::constant("f", "a", "b", Rate::from_bps(8000.0))];
    let asked = Arc::new(AtomicU64::new(0));
    let options = RunOptions::new().progress({
        let asked = asked.clone();
        move |_| match asked.fetch_add(1, Ordering::Relaxed) {
            0..100 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    });
    assert!(matches!(run_with(&busy, 1, &options), Err(RunError::Stopped)));
    assert!(asked.load(Ordering::Relaxed) > 100);
}

#[test]
fn a_limit_and_a_fault_of_the_scenario_are_told_apart() {
    let most = RunOptions::new().max_events(5000);
    let Err(RunError::MaxEvents { at, limit: 5000 }) = run_with(&scenario(100.0), 1, &most) else {
        panic!("it takes more")
    };
    assert!(at > Time::ZERO && at < Time::from_secs(100.0));
    let mut faulty = scenario(1.0);
    faulty.flows[0].source = "c".into();
    let Err(RunError::Scenario(error)) = run_with(&faulty, 1, &most) else { panic!("there is no c") };
    assert_eq!(error.path, "flows[0].source");
}
