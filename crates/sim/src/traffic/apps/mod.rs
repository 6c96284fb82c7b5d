//! Applications that hear back. Each is a state machine that is told when a time has come and when a transfer is
//! complete, and answers with transfers to start and with the time at which it wants to be asked again.
//!
//! It knows of *slots*, each of which carries one connection at a time, and of nothing below them.

mod barrier;
mod sequence;
mod telnet;
mod variate;
mod web;

use barrier::Barrier;
use sequence::Sequence;
use telnet::Telnet;
use web::Web;

use crate::random::Stream;
use crate::scenario::{App, AppAnswer, Flow, Transport, Variate};
use crate::traffic::own::OwnSource;
use crate::units::Time;

pub use variate::MOST;

/// A transfer to be started now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewTransfer {
    /// Where.
    pub slot: u32,
    /// Its packets, at least one.
    pub packets: u32,
    /// True if it has a connection of its own, or is the first on a new one.
    pub fresh: bool,
    /// When the user wanted it: now, or before if no slot was free.
    pub asked: Time,
    /// Its place.
    pub place: TransferPlace,
}

/// Where a transfer belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferPlace {
    /// Number of the session.
    pub session: u32,
    /// Number of the page in it.
    pub page: u32,
    /// True for the last transfer of a session.
    pub last: bool,
}

/// Reaction of an application to an event.
#[derive(Clone, Debug, Default)]
pub struct Reaction {
    /// Transfers to start.
    pub transfers: Vec<NewTransfer>,
    /// When to ask again; none leaves what was said before.
    pub again: Option<Time>,
}

impl Reaction {
    /// Takes what an application of the caller's own answered.
    fn take(&mut self, answer: AppAnswer, now: Time) {
        let AppAnswer { packets, fresh, wake_in } = answer;
        if packets > 0 {
            self.transfers.push(NewTransfer {
                slot: 0,
                packets,
                fresh,
                asked: now,
                place: TransferPlace::default(),
            });
        }
        if let Some(wait) = wake_in {
            self.again = Some(now + wait);
        }
    }
}

/// An application that hears back.
#[derive(Debug)]
pub struct Machine {
    kind: AppKind,
    stop: Time,
}

#[derive(Debug)]
enum AppKind {
    Sequence(Sequence),
    Barrier(Barrier),
    Telnet(Telnet),
    Web(Box<Web>),
    Own(Box<OwnSource>),
}

impl Machine {
    /// The application of a flow, or of a group of which it is the first, with so many slots, or none if it does not hear back.
    pub fn new(flow: &Flow, slots: u32, seed: u64) -> Option<Self> {
        let stream = Stream::new(seed, &format!("flow/{}/source", flow.name));
        let kind = match &flow.app {
            App::TransferSequence(config) => AppKind::Sequence(Sequence::new(config, stream)),
            App::Barrier(config) => AppKind::Barrier(Barrier::new(config, slots, stream)),
            App::Telnet(config) => AppKind::Telnet(Telnet::new(config, stream)),
            App::Web(config) => AppKind::Web(Box::new(Web::new(config, slots, stream))),
            App::User(config) => {
                let payload_bytes = flow.transport.payload_bytes();
                let maker = config.maker.0.as_ref()?;
                AppKind::Own(Box::new(OwnSource::new(maker, &flow.name, payload_bytes, seed)))
            }
            _ => return None,
        };
        Some(Machine { kind, stop: flow.stop.unwrap_or(Time::NEVER) })
    }

    /// The time has come that it named, or that of the start.
    pub fn on_time(&mut self, now: Time, out: &mut Reaction) {
        if now < self.stop {
            match &mut self.kind {
                AppKind::Sequence(sequence) => sequence.on_time(now, out),
                AppKind::Barrier(barrier) => barrier.on_time(now, out),
                AppKind::Telnet(telnet) => telnet.on_time(now, out),
                AppKind::Web(web) => web.on_time(now, out),
                AppKind::Own(own) => out.take(own.on_time(now), now),
            }
        }
    }

    /// The transfer in this slot that was started first is complete.
    pub fn on_done(&mut self, slot: u32, now: Time, out: &mut Reaction) {
        if now < self.stop {
            match &mut self.kind {
                AppKind::Sequence(sequence) => sequence.on_done(now, out),
                AppKind::Barrier(barrier) => barrier.on_done(now, out),
                AppKind::Telnet(telnet) => telnet.on_done(now, out),
                AppKind::Web(web) => web.on_done(slot, now, out),
                AppKind::Own(own) => out.take(own.on_done(now), now),
            }
        }
    }
}

/// Most objects of a page: they may all be asked for at one instant.
pub const MOST_OBJECTS: u32 = 10_000;

/// Most connections of a flow at once.
pub const MOST_CONNECTIONS: u32 = 256;

/// The slots that a flow needs; none if its application does not hear back.
///
/// A page of the Web has as many as it has objects, if that is bounded, and else ten times as many as it has on
/// average: of exponential numbers 1 in 22000 is larger.
pub fn slots(app: &App) -> Option<u32> {
    match app {
        App::TransferSequence(_) | App::Barrier(_) | App::Telnet(_) | App::User(_) => Some(1),
        App::Web(web) => Some(web.connections.unwrap_or_else(|| {
            let objects = variate::greatest(&web.objects).unwrap_or(10.0 * variate::mean(&web.objects));
            objects.ceil().clamp(1.0, f64::from(MOST_CONNECTIONS)) as u32
        })),
        _ => None,
    }
}

/// The slots that a flow needs: an application of the caller's own hears back over TCP alone.
pub fn slots_of(flow: &Flow) -> Option<u32> {
    match (&flow.app, &flow.transport) {
        (App::User(_), Transport::Udp(_)) => None,
        (app, _) => slots(app),
    }
}

/// The mean of a law.
pub fn mean(law: &Variate) -> f64 {
    variate::mean(law)
}
