//! A control that this crate does not have, from outside of it.

use std::sync::Arc;
use std::time::Duration;

use parshall_sim::compile::{Folding, Plan};
use parshall_sim::control::user::{Answer, Config, Failure, Maker, Method, UserControl};
use parshall_sim::control::{AckSample, Loss, Start};
use parshall_sim::run::{run_once, Batch, Job};
use parshall_sim::units::Time;

use super::*;

/// AIMD, until it does something else.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Own {
    Sound,
    Fails,
    Hangs,
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

impl Maker for Own {
    fn name(&self) -> &str {
        "Own"
    }

    fn make(&self, _: &Start<'_>, _: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        Ok(Box::new(*self))
    }

    fn exact_echo(&self) -> bool {
        false
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_millis(200))
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
    let found = |config: &Config| -> Result<Arc<dyn Maker>, ()> {
        assert_eq!((config.form.as_str(), config.source.as_str(), config.values.len()), ("rust", "here", 1));
        Ok(Arc::new(own))
    };
    scenario.hand_over(found).expect("it is here");
    Plan::of(scenario, Folding::On).expect("a plan")
}

#[test]
fn it_does_what_the_engines_own_does() {
    let ours = run_once(plan(Own::Sound), 1, None).expect("a recording");
    let theirs = run(&scenario(json!({"kind": "aimd"})), 1).expect("a recording");
    for table in ["flows", "ports"] {
        let columns = |recording: &Recording| {
            let table = recording.tables.iter().find(|each| each.name == table).expect("a table");
            format!("{:?}", table.columns)
        };
        assert_eq!(columns(&ours), columns(&theirs));
    }
}

#[test]
fn code_that_was_not_handed_over_is_asked_for() {
    let error = run(&user(), 1).expect_err("nobody handed it over");
    assert_eq!(
        error.to_string(),
        "flows[0].transport.control.source: got \"here\", expected rust code that is handed over"
    );
}

#[test]
fn a_failure_ends_its_run_and_says_where() {
    let failure = run_once(plan(Own::Fails), 1, None).expect_err("a failure");
    assert!(failure.message.starts_with("Own.on_ack, flow f, 2.0"), "{failure}");
    assert!(failure.message.ends_with(" s: had enough"), "{failure}");
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
