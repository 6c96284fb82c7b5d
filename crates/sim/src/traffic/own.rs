//! A source of the caller's own: its answers are checked, and its calls are watched over. Over TCP it hears back.

use std::collections::VecDeque;
use std::sync::Arc;

use super::apps::MOST;
use crate::control::user::{Failure, Method};
use crate::own::{owned_by, Calls};
use crate::random::Stream;
use crate::room::Room;
use crate::scenario::{AppAnswer, AppBeginning, AppDone, AppMaker, UserApp};
use crate::units::Time;

/// A source is looked at after so many calls.
const CALLS: u32 = 1 << 20;

/// So many calls take longer than this, a nanosecond each: a source that asks for more has no end.
const LEAST_PROGRESS: Time = Time::from_ps(1_000_000_000);

/// See the head of this file.
#[derive(Debug)]
pub struct OwnSource {
    app: Box<dyn UserApp>,
    calls: Calls,
    /// True if each transfer is asked for, one at a time.
    asks: bool,
    /// Transfers that have begun.
    begun: u64,
    under_way: VecDeque<AppDone>,
    pace: Pace,
}

impl OwnSource {
    /// The source of a flow, which has done nothing. It hears of the ends of transfers over TCP alone.
    pub fn new(maker: &Arc<dyn AppMaker>, flow: &str, payload_bytes: u32, seed: u64) -> Self {
        owned_by(format!("flow {flow}"), seed, || {
            let (calls, _) = Calls::of(&**maker);
            let stream = Stream::new(seed, &format!("flow/{flow}/source"));
            let app = calls.call(Method::Start, || maker.make(AppBeginning { payload_bytes, stream }));
            let (asks, pace) = (maker.requests(), Pace::default());
            OwnSource { app, calls, asks, begun: 0, under_way: VecDeque::new(), pace }
        })
    }

    /// Asks it when the time has come that it named, or that of the start, and nobody will tell it of the end.
    pub fn emit(&mut self, now: Time) -> AppAnswer {
        let OwnSource { app, pace, .. } = self;
        self.calls.call_at(Method::Time, now, || {
            let answer = checked(app.on_time(now)?, Method::Time)?;
            pace.check(now)?;
            Ok(answer)
        })
    }

    /// Asks it likewise, and keeps what it begins.
    pub fn on_time(&mut self, now: Time) -> AppAnswer {
        let answer = self.emit(now);
        self.begin(Method::Time, answer, now)
    }

    /// Tells it that the transfer which began first is complete.
    pub fn on_done(&mut self, now: Time) -> AppAnswer {
        let Some(done) = self.under_way.pop_front() else {
            return AppAnswer::default();
        };
        let app = &mut self.app;
        let asked = || checked(app.on_done(now, &done)?, Method::Done);
        let answer = self.calls.call_at(Method::Done, now, asked);
        self.begin(Method::Done, answer, now)
    }

    fn begin(&mut self, method: Method, answer: AppAnswer, now: Time) -> AppAnswer {
        let AppAnswer { packets, fresh, .. } = answer;
        if packets == 0 {
            return answer;
        }
        let others = self.under_way.len();
        if others > 0 && (fresh || self.asks) {
            let expected = match fresh {
                true => "none for a new connection, which forgets them",
                false => "one at a time, as each is asked for",
            };
            let failure =
                Failure::new(format!("it writes with {others} transfers under way, expected {expected}"));
            self.calls.fail(method, failure);
        }
        self.under_way.add(AppDone { number: self.begun, packets, began: now }, "transfers under way");
        let fresh = fresh || self.begun == 0;
        self.begun += 1;
        AppAnswer { fresh, ..answer }
    }
}

/// Refuses answers that are none. A time has to pass between two calls of `on_time`.
fn checked(answer: AppAnswer, method: Method) -> Result<AppAnswer, Failure> {
    if answer.packets > MOST {
        return Err(Failure::new(format!("it writes {} packets, expected at most {MOST}", answer.packets)));
    }
    if method == Method::Time && answer.wake_in == Some(Time::ZERO) {
        return Err(Failure::new(
            "wake_in is less than a picosecond, expected seconds, more than 0 in on_time",
        ));
    }
    Ok(answer)
}

/// Progress of simulated time from call to call.
#[derive(Debug, Default)]
struct Pace {
    calls: u32,
    since: Time,
}

impl Pace {
    fn check(&mut self, now: Time) -> Result<(), Failure> {
        self.calls += 1;
        if self.calls < CALLS {
            return Ok(());
        }
        if now.since(self.since) < LEAST_PROGRESS {
            let most = LEAST_PROGRESS.secs();
            return Err(Failure::new(format!(
                "it was asked {CALLS} times within {most} s, expected longer times between"
            )));
        }
        (self.calls, self.since) = (0, now);
        Ok(())
    }
}
