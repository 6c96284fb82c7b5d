//! Answers of a user's control: what is one, and what ends in a failure.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::samples::{ack, loss, start};

/// A control that leaves the same answer behind whatever it is asked.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    answer: Answer,
    after: f64,
}

impl UserControl for Fixed {
    fn on_ack(&mut self, answer: &mut Answer, _: &AckSample<'_>) -> Result<(), Failure> {
        *answer = self.answer;
        Ok(())
    }

    fn after_loss(&mut self, _: &mut Answer, _: &Loss, _: Method) -> Result<f64, Failure> {
        Ok(self.after)
    }

    fn on_restart(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Err(Failure::new("does not restart"))
    }

    fn on_timer(&mut self, _: &mut Answer, _: Time) -> Result<(), Failure> {
        Ok(())
    }
}

impl Code for Fixed {
    fn name(&self) -> &str {
        "Fixed"
    }

    fn time_limit(&self) -> Option<Duration> {
        None
    }
}

impl Maker for Fixed {
    fn make(&self, _: &Start<'_>, _: &mut Answer) -> Result<Box<dyn UserControl>, Failure> {
        Ok(Box::new(*self))
    }

    fn exact_echo(&self) -> bool {
        true
    }
}

const WINDOW: Window = Window { cwnd: 10.0, ssthresh: 20.0 };
const SOUND: Answer = Answer { window: WINDOW, pacing_rate: 0.0, wake_at: f64::INFINITY };

fn config(answer: Answer, after: f64) -> Config {
    let maker: Found<dyn Maker> = Found(Some(Arc::new(Fixed { answer, after })));
    Config {
        form: "rust".into(),
        source: "here".into(),
        code: "00".into(),
        values: Default::default(),
        maker,
    }
}

fn control(answer: Answer, after: f64) -> User {
    User::new(&config(answer, after), &start(), &mut WINDOW.clone())
}

/// The message of a panic, if there is one.
fn failure(call: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(call)).err()?;
    panic.downcast_ref::<String>().cloned()
}

/// The failure of an ACK at 100 s that is answered so.
fn of_answer(answer: Answer) -> Option<String> {
    failure(|| control(answer, 1.0).on_ack(&mut WINDOW.clone(), &ack(0.0, 0.1)))
}

fn with_window(cwnd: f64, ssthresh: f64) -> Answer {
    Answer { window: Window { cwnd, ssthresh }, ..SOUND }
}

#[test]
fn answers_within_bounds_are_taken() {
    let mut window = WINDOW;
    let answer =
        Answer { window: Window { cwnd: 1.0, ssthresh: 0.0 }, pacing_rate: 1.0 / 3600.0, wake_at: 100.5 };
    let mut user = control(answer, 0.0);
    user.on_ack(&mut window, &ack(0.0, 0.1));
    assert_eq!(window, answer.window);
    assert_eq!((user.pacing_rate(), user.wake_at()), (Some(1.0 / 3600.0), Time::from_secs(100.5)));
    assert_eq!(user.after_loss(&window, &loss(1.0)), 0.0);
    // A timer that has expired is gone.
    user.on_timer(&mut window, Time::from_secs(100.5));
    assert_eq!(user.wake_at(), Time::NEVER);
    for answer in [with_window(MOST_PACKETS, f64::INFINITY), Answer { pacing_rate: 1e12, ..SOUND }] {
        assert_eq!(of_answer(answer), None);
    }
}

#[test]
fn answers_out_of_bounds_are_failures_that_name_the_value() {
    let cases = [
        (with_window(0.99, 0.0), "cwnd is 0.99, expected 1 to 16777216 packets"),
        (with_window(f64::NAN, 0.0), "cwnd is NaN, expected 1 to 16777216 packets"),
        (with_window(2.0 * MOST_PACKETS, 0.0), "cwnd is 33554432, expected 1 to 16777216 packets"),
        (with_window(2.0, -0.5), "ssthresh is -0.5, expected 0 packets or more"),
        (
            Answer { pacing_rate: 0.99 / 3600.0, ..SOUND },
            "pacing_rate is 0.000275, expected a packet an hour to 1e12 a second, or 0 for none",
        ),
        (
            Answer { wake_at: 100.0, ..SOUND },
            "wake_at is 100, expected a time to come, in seconds, or infinity",
        ),
    ];
    for (answer, expected) in cases {
        let place = "Fixed.on_ack, flow f, 100 s: ";
        assert_eq!(of_answer(answer), Some(format!("{place}{expected}")));
    }
}

#[test]
fn a_window_after_a_loss_is_a_number_of_packets() {
    for (after, shown) in [(-1.0, "-1"), (f64::NAN, "NaN"), (2.0 * MOST_PACKETS, "33554432")] {
        let message = failure(|| {
            control(SOUND, after).after_mark(&WINDOW, &loss(1.0));
        });
        let expected =
            format!("Fixed.on_mark, flow f, 0 s: window after it is {shown}, expected 0 to 16777216 packets");
        assert_eq!(message, Some(expected));
    }
}

#[test]
fn code_that_was_not_handed_over_is_a_failure_where_its_flow_starts() {
    let config = Config { maker: Found(None), ..config(SOUND, 1.0) };
    let message = failure(|| {
        User::<Unwatched>::new(&config, &start(), &mut WINDOW.clone());
    });
    assert_eq!(message.as_deref(), Some("here.on_start, flow f, 0 s: its code was not handed over"));
}

/// A watch that writes down what it sees.
#[derive(Debug)]
struct Noting;

static NOTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Noting {
    fn note(text: String) {
        NOTED.lock().expect("nobody panics here").push(text);
    }
}

impl Watch for Noting {
    fn new(named: &Named) -> Self {
        Noting::note(format!("{} for {}", named.class, named.owner));
        Noting
    }

    fn enter(&self, method: Method, now: Time) {
        Noting::note(format!("{} at {} s", method.name(), now.secs()));
    }

    fn leave(&self) {
        Noting::note("back".into());
    }

    fn fail(_: &Named, _: Method, _: Time, failure: Failure) -> ! {
        Noting::note(failure.to_string());
        std::panic::resume_unwind(Box::new(()))
    }
}

#[test]
fn a_watch_sees_each_call_and_the_failure() {
    let run = || {
        let mut user = User::<Noting>::new(&config(SOUND, 1.0), &start(), &mut WINDOW.clone());
        user.after_loss(&WINDOW, &loss(1.0));
        user.on_restart(&mut WINDOW.clone(), &Silence { now: Time::from_secs(2.0), last_sent: Time::ZERO });
    };
    assert!(catch_unwind(run).is_err());
    let expected = [
        "Fixed for flow f",
        "on_start at 0 s",
        "back",
        "on_loss at 0 s",
        "back",
        "on_restart at 2 s",
        "back",
        "does not restart",
    ];
    assert_eq!(*NOTED.lock().expect("nobody panics here"), expected);
}
