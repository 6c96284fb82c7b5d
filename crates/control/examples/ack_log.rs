//! Drives a control from a log of ACKs and prints its window after each event: `cargo run --example ack_log -- cubic`.
//!
//! The log is that of another sender, so the control decides about a path that does not answer to it. That is enough to
//! show which call belongs to which event, and what a transport has to keep for it: numbers of packets, who is in
//! recovery, and, for controls that are paced, how many packets had been delivered when each was sent.

use std::process::ExitCode;

use parshall_control::units::Time;
use parshall_control::{AckKind, AckSample, AnyControl, Control, Loss, PathSample, Silence, Start, Window};

/// The log of the example.
pub const LOG: &str = include_str!("ack_log.csv");

const INITIAL_WINDOW: f64 = 4.0;

/// One line of the log. Columns that its event does not have are 0.
struct Event<'a> {
    now: Time,
    name: &'a str,
    acked: u32,
    rtt: f64,
    lost: u32,
    marked: bool,
    in_flight: u32,
}

impl<'a> Event<'a> {
    fn parse(line: &'a str) -> Result<Self, String> {
        let columns: Vec<&str> = line.split(',').collect();
        let &[seconds, name, acked, rtt, lost, marked, in_flight] = columns.as_slice() else {
            return Err(format!("{line}: {} columns, expected 7", columns.len()));
        };
        let number = |text: &str| match text {
            "" => Ok(0.0),
            _ => text.parse::<f64>().map_err(|_| format!("{line}: {text} is no number")),
        };
        Ok(Event {
            now: Time::from_secs(number(seconds)?),
            name,
            acked: number(acked)? as u32,
            rtt: number(rtt)? / 1000.0,
            lost: number(lost)? as u32,
            marked: number(marked)? != 0.0,
            in_flight: number(in_flight)? as u32,
        })
    }
}

/// The part of a transport that a control needs.
struct Transport {
    control: AnyControl,
    window: Window,
    paced: bool,
    needs_marks: bool,
    /// Highest packet acknowledged, and sent. What is lost is sent again under a new number, as in QUIC.
    high_ack: i64,
    max_seq: i64,
    /// Losses and marks up to this packet have been answered.
    recover: i64,
    delivered: u64,
    /// The number of packets delivered, each time that it changed.
    deliveries: Vec<(Time, u64)>,
    srtt: f64,
    min_rtt: f64,
    last_event: Time,
}

impl Transport {
    fn new(config: &Control) -> Self {
        let start = Start { initial_window: INITIAL_WINDOW, seed: 1, flow: "log", packet_bytes: 1200 };
        let mut window = Window { cwnd: INITIAL_WINDOW, ssthresh: f64::INFINITY };
        Transport {
            control: AnyControl::new(config, &start, &mut window),
            window,
            paced: config.paced(),
            needs_marks: config.needs_marks(),
            high_ack: -1,
            max_seq: -1,
            recover: -1,
            delivered: 0,
            deliveries: vec![(Time::ZERO, 0)],
            srtt: f64::NAN,
            min_rtt: f64::NAN,
            last_event: Time::ZERO,
        }
    }

    fn on_event(&mut self, event: &Event<'_>) -> Result<(), String> {
        if self.control.wake_at() <= event.now {
            self.control.on_timer(&mut self.window, event.now);
        }
        match event.name {
            "begin" => self.control.on_begin(&self.window, event.now, Some(event.rtt)),
            "ack" => self.on_ack(event),
            "timeout" => self.on_timeout(event),
            "restart" => {
                let silence = Silence { now: event.now, last_sent: self.last_event };
                self.control.on_restart(&mut self.window, &silence);
            }
            name => return Err(format!("event {name}, expected begin, ack, timeout or restart")),
        }
        self.last_event = event.now;
        Ok(())
    }

    /// An ACK: what it says about losses comes before it, what it says about marks behind it.
    fn on_ack(&mut self, event: &Event<'_>) {
        let before = self.high_ack;
        self.high_ack += i64::from(event.acked + event.lost);
        self.max_seq = self.max_seq.max(self.high_ack + i64::from(event.in_flight));
        let in_recovery = before < self.recover;
        if event.lost > 0 && !in_recovery {
            let target = self.control.after_loss(&self.window, &self.loss(event));
            self.reduce(target);
        }
        let path = self.measure(event);
        let kind = match self.high_ack {
            high if high == before => AckKind::Duplicate,
            high if high < self.recover => AckKind::Partial,
            _ => AckKind::New,
        };
        let marked = event.marked && self.needs_marks;
        let sent = event.now - Time::from_secs(event.rtt);
        let ack = AckSample {
            kind,
            ecn_echo: marked,
            may_grow: kind == AckKind::New && !marked,
            path: path.as_ref().filter(|_| self.paced),
            ..AckSample::new(event.now, sent, event.acked, self.high_ack, self.max_seq + 1)
        };
        self.control.on_ack(&mut self.window, || ack);
        if marked && before >= self.recover {
            let target = self.control.after_mark(&self.window, &self.loss(event));
            self.reduce(target);
        }
    }

    /// Everything in flight counts as lost.
    fn on_timeout(&mut self, event: &Event<'_>) {
        let target = self.control.after_timeout(&self.window, &self.loss(event));
        self.window.ssthresh = target.max(2.0);
        self.control.on_timeout(&self.loss(event));
        self.window.cwnd = 1.0;
        (self.high_ack, self.recover) = (self.max_seq, self.max_seq);
    }

    fn loss(&self, event: &Event<'_>) -> Loss {
        Loss {
            now: event.now,
            in_use: f64::from(event.in_flight + event.acked + event.lost).min(self.window.cwnd),
        }
    }

    /// The window after a loss or a mark, which answers whatever else is in flight.
    fn reduce(&mut self, target: f64) {
        self.recover = self.max_seq;
        self.window.ssthresh = target.max(2.0);
        self.window.cwnd = self.window.ssthresh;
    }

    /// The path as an ACK shows it; nothing where it acknowledges nothing.
    fn measure(&mut self, event: &Event<'_>) -> Option<PathSample> {
        if event.acked == 0 {
            return None;
        }
        let first = self.srtt.is_nan();
        self.srtt = if first { event.rtt } else { self.srtt + (event.rtt - self.srtt) / 8.0 };
        self.min_rtt = self.min_rtt.min(event.rtt);
        self.delivered += u64::from(event.acked);
        let sent = event.now - Time::from_secs(event.rtt);
        let (_, prior_delivered) = *self.deliveries.iter().rev().find(|(at, _)| *at <= sent)?;
        self.deliveries.push((event.now, self.delivered));
        Some(PathSample {
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            in_flight: i64::from(event.in_flight),
            delivered: self.delivered,
            newly_delivered: event.acked,
            newly_lost: event.lost,
            prior_delivered,
            delivery_rate: (self.delivered - prior_delivered) as f64 / event.rtt,
            app_limited: false,
            in_recovery: self.high_ack < self.recover,
            held_for: 0.0,
        })
    }
}

/// A line for each event of a log: when, what, the window and, where the control asks for one, the rate.
///
/// # Errors
/// In one line, if there is no such control, or a line of the log cannot be read.
pub fn replay(name: &str, log: &str) -> Result<String, String> {
    let config: Control =
        name.parse().map_err(|error: parshall_control::UnknownControl| error.to_string())?;
    let mut transport = Transport::new(&config);
    let mut lines = String::from("seconds event       cwnd  ssthresh  packets/s\n");
    for line in log.lines().filter(|line| !line.starts_with('#')) {
        let event = Event::parse(line)?;
        transport.on_event(&event)?;
        let Window { cwnd, ssthresh } = transport.window;
        let rate = transport.control.pacing_rate().map_or("-".into(), |rate| format!("{rate:.1}"));
        let (seconds, name) = (event.now.secs(), event.name);
        lines += &format!("{seconds:7.4} {name:7} {cwnd:8.2} {ssthresh:9.2} {rate:>10}\n");
    }
    Ok(lines)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let answer = match arguments.as_slice() {
        [name] => replay(name, LOG),
        _ => Err(format!("usage: ack_log CONTROL; choose from {}", Control::NAMES.join(", "))),
    };
    match answer {
        Ok(lines) => {
            print!("{lines}");
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}
