//! A control that this crate does not have, from outside of it.

use std::sync::Arc;
use std::time::Duration;

use parshall_sim::control::user::{Answer, Code, Failure, Found, Maker, Method, UserControl};
use parshall_sim::control::{AckSample, Loss, Start};
use parshall_sim::internal::{run_once, Batch, Folding, Job, Plan};
use parshall_sim::scenario::{Flow, Link, OwnPart, Tcp};
use parshall_sim::units::{Rate, Time};
use parshall_sim::{run_many, RunError};

use super::*;

/// AIMD, until it does something else.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Own {
    Sound,
    Fails,
    Hangs,
    Panics,
}

impl UserControl for Own {
    fn on_ack(&mut self, answer: &mut Answer, ack: &AckSample<'_>) -> Result<(), Failure> {
        let late = ack.now > Time::from_secs(2.0);
        if late && *self == Own::Fails {
            return Err(Failure::new("had enough"));
        }
        if late && *self == Own::Hangs {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if late && *self == Own::Panics {
            std::panic::resume_unwind(Box::new("what now"));
        }
        if ack.may_grow {
            answer.window.open_as_reno(ack);
        }
        Ok(())
    }

    fn after_loss(&mut self, _: &mut Answer, loss: &Loss, _: Method) -> Result<f64, Failure> {
        Ok(loss.in_use / 2.0)
    }

    fn on_restart(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Ok(())
    }

    fn on_timer(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Ok(())
    }
}

impl Code for Own {
    fn name(&self) -> &str {
        "Own"
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_millis(200))
    }
}

impl Maker for Own {
    fn make(&self, _: &Start<'_>, _: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        Ok(Box::new(*self))
    }

    fn exact_echo(&self) -> bool {
        false
    }
}

fn scenario(control: Value) -> Scenario {
    let flow = json!({"name": "f", "source": "a", "destination": "b", "app": {"kind": "bulk"},
                      "transport": {"kind": "tcp", "recovery": "sack", "control": control}});
    let queue = droptail(20);
    let link = json!({"between": ["a", "b"], "rate": 5e6, "delay": 0.02, "queue": queue});
    serde_json::from_value(json!({"duration": 10.0, "hosts": ["a", "b"], "links": [link], "flows": [flow]}))
        .expect("a scenario")
}

fn user() -> Scenario {
    scenario(json!({"kind": "user", "form": "rust", "source": "here", "code": "00", "values": {"gain": 1.5}}))
}

fn plan(own: Own) -> Plan {
    let mut scenario = user();
    let found = |part: OwnPart<'_>| -> Result<(), ()> {
        let OwnPart::Control(config) = part else { panic!("a control, not {part:?}") };
        assert_eq!((config.form.as_str(), config.source.as_str(), config.values.len()), ("rust", "here", 1));
        config.maker = Found(Some(Arc::new(own)));
        Ok(())
    };
    scenario.hand_over(found).expect("it is here");
    Plan::of(scenario, Folding::On).expect("a plan")
}

#[test]
fn it_does_what_the_engines_own_does() {
    let ours = run_once(plan(Own::Sound), 1, None).expect("a recording");
    let theirs = run(&scenario(json!({"kind": "aimd"})), 1).expect("a recording");
    for table in ["flows", "ports"] {
        let columns = |recording: &Recording| recording.table(table).expect("a table").clone();
        assert_eq!(columns(&ours), columns(&theirs));
    }
}

#[test]
fn code_that_was_not_handed_over_is_asked_for() {
    let error = run(&user(), 1).expect_err("nobody handed it over");
    assert_eq!(
        error.to_string(),
        "flows[0].transport.control.source: got \"here\", expected code that is handed over"
    );
}

#[test]
fn a_failure_ends_its_run_and_says_where() {
    let failure = run_once(plan(Own::Fails), 1, None).expect_err("a failure");
    let text = failure.to_string();
    assert!(text.starts_with("Own.on_ack, flow f, 2.0") && text.ends_with(" s: had enough"), "{text}");
    let RunError::Part(failed) = failure else { panic!("{failure:?}") };
    assert_eq!((failed.method, failed.failure.message.as_str()), (Method::Ack, "had enough"));
}

#[test]
fn a_run_that_hangs_is_given_up_and_the_next_one_takes_its_place() {
    let plans = [Own::Sound, Own::Hangs, Own::Sound, Own::Hangs, Own::Fails].map(plan).map(Arc::new);
    let jobs = plans.into_iter().map(|plan| Job::new(plan, 1)).collect();
    let mut batch = Batch::start_joining(jobs, 1);
    let mut ended = vec![String::new(); 5];
    while let Some(done) = batch.next(Duration::from_secs(1)) {
        for (indices, result) in done {
            for index in indices {
                ended[index] = result.as_ref().map_or_else(ToString::to_string, |_| "done".into());
            }
        }
    }
    assert_eq!((ended[0].as_str(), ended[2].as_str()), ("done", "done"));
    assert!(ended[1].contains("does not return for "), "{ended:?}");
    assert!(ended[3].starts_with("Own.on_ack, flow f, 2.0"), "{ended:?}");
    assert!(ended[4].ends_with("had enough"), "{ended:?}");
}

/// Flows share what is equal of their transports, and these differ in nothing that can be seen.
#[test]
fn two_controls_of_one_name_are_two() {
    let links = ["a", "b"].map(|end| Link::new((end, "c"), Rate::from_bps(5e6), Time::from_secs(0.02)));
    let flow = |name, source, own| Flow::bulk(name, source, "c", Tcp::with_control_of(own));
    let flows = [flow("sound", "a", Own::Sound), flow("fails", "b", Own::Fails)];
    let error = run(&Scenario::new(Time::from_secs(10.0), links, flows), 1).expect_err("one fails");
    let RunError::Part(failed) = error else { panic!("{error}") };
    assert_eq!((failed.part.as_str(), failed.owner.as_str()), ("Own", "flow fails"));
}

/// Code that panics is no fault of the engine, and says where as any other failure does.
#[test]
fn a_control_that_panics_ends_its_run_alone() {
    let flows = |own| [Flow::bulk("f", "a", "b", Tcp::with_control_of(own))];
    let link = || Link::new(("a", "b"), Rate::from_bps(5e6), Time::from_secs(0.02));
    let scenario = Scenario::new(Time::from_secs(10.0), [link()], flows(Own::Panics));
    let results: Vec<_> = run_many(&scenario, 0..3, 1).expect("it can be run").collect();
    assert_eq!(results.len(), 3);
    for (_, result) in results {
        let text = result.expect_err("it panics").to_string();
        assert!(
            text.starts_with("Own.on_ack, flow f, 2.0") && text.ends_with(" s: panicked: what now"),
            "{text}"
        );
    }
}
