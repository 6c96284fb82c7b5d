//! A queue of the caller's own: the engine holds the packets, and asks about each when it arrives and when it is about to leave.

use std::collections::VecDeque;
use std::sync::Arc;

use super::held::{Held, Leaving};
use super::DepartureQueue;
use crate::control::user::{Failure, Method};
use crate::limits::Steps;
use crate::own::Calls;
use crate::packet::ecn;
use crate::room::Room;
use crate::scenario::{QueueAnswer, QueueMaker, QueueStart, QueuedPacket, UserQueue, QUEUE_CLASSES};
use crate::units::Time;

/// See the head of this file.
#[derive(Debug)]
pub struct OwnQueue {
    queue: Box<dyn UserQueue>,
    calls: Calls,
    /// The packets of each class, up to the highest that has had any.
    classes: Vec<VecDeque<Waiting>>,
    /// Packets and bytes in all of them.
    waiting: (u64, u64),
    /// Bytes of the packet in transmission.
    on_link: u16,
    /// True if the packet that came last was marked here.
    marked_last: bool,
}

/// A packet that waits, the key of its flow, and whether it was marked here as it arrived.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    held: Held,
    flow: u64,
    marked: bool,
}

impl OwnQueue {
    /// An empty queue.
    pub fn new(maker: &Arc<dyn QueueMaker>, start: QueueStart) -> Self {
        let (calls, _) = Calls::of(&**maker);
        let queue = calls.call(Method::Start, || maker.make(start));
        OwnQueue { queue, calls, classes: Vec::new(), waiting: (0, 0), on_link: 0, marked_last: false }
    }

    /// Tells the bytes of the packet in transmission, before a packet arrives.
    pub fn tell_link(&mut self, bytes: u16) {
        self.on_link = bytes;
    }

    /// Tells if the packet that came last was marked here.
    pub fn marked_last(&self) -> bool {
        self.marked_last
    }

    fn seen(&self, now: Time, waiting: &Waiting, class: u16) -> QueuedPacket {
        let Held { packet, arrived, marked, .. } = waiting.held;
        QueuedPacket {
            now,
            arrived,
            size: packet.size,
            flow: waiting.flow,
            dscp: packet.dscp(),
            class,
            ecn_capable: waiting.held.ecn_capable(),
            marked: marked || packet.ecn & ecn::EXPERIENCED != 0,
            is_ack: packet.is_ack(),
            packets: self.waiting.0,
            bytes: self.waiting.1,
            on_link: self.on_link,
        }
    }

    /// Asks about a packet that arrives: its answer and a class that is in order.
    fn ask(&mut self, now: Time, arriving: &Waiting) -> (QueueAnswer, usize) {
        let seen = self.seen(now, arriving, 0);
        let (queue, classes) = (&mut self.queue, &self.classes);
        self.calls.call_at(Method::Arrival, now, || {
            let (answer, class) = queue.on_arrival(&seen)?;
            let class = usize::from(class);
            if class >= usize::from(QUEUE_CLASSES) {
                return Err(Failure::new(format!("class is {class}, expected 0 to {}", QUEUE_CLASSES - 1)));
            }
            if answer == QueueAnswer::PushOut && classes.get(class).is_none_or(VecDeque::is_empty) {
                let expected = "one in which packets wait";
                return Err(Failure::new(format!(
                    "pushes a packet out of class {class}, expected {expected}"
                )));
            }
            can_be_marked(answer, &seen)?;
            Ok((answer, class))
        })
    }

    fn take(&mut self, class: usize) -> Option<Waiting> {
        let taken = self.classes[class].pop_front()?;
        self.waiting.0 -= 1;
        self.waiting.1 -= u64::from(taken.held.packet.size);
        Some(taken)
    }

    fn put(&mut self, class: usize, waiting: Waiting) {
        if class >= self.classes.len() {
            self.classes.resize_with(class + 1, VecDeque::new);
        }
        self.waiting.0 += 1;
        self.waiting.1 += u64::from(waiting.held.packet.size);
        self.classes[class].add(waiting, "packets at ports");
    }

    /// The class whose turn it is; none if nothing waits.
    fn turn(&mut self, now: Time) -> Option<usize> {
        if self.waiting.0 == 0 {
            return None;
        }
        let (queue, classes) = (&mut self.queue, &self.classes);
        if classes.len() > 1 {
            let named = self.calls.call_at(Method::NextClass, now, || {
                let Some(class) = queue.next_class(now)? else { return Ok(None) };
                let class = usize::from(class);
                if classes.get(class).is_none_or(VecDeque::is_empty) {
                    let expected = "one in which packets wait, or -1 for the first";
                    return Err(Failure::new(format!("names class {class}, expected {expected}")));
                }
                Ok(Some(class))
            });
            if named.is_some() {
                return named;
            }
        }
        self.classes.iter().position(|class| !class.is_empty())
    }

    /// Asks about the packet that is about to leave.
    fn ask_at_departure(&mut self, now: Time, leaving: &Waiting, class: usize) -> QueueAnswer {
        let seen = self.seen(now, leaving, class as u16);
        let queue = &mut self.queue;
        self.calls.call_at(Method::Departure, now, || {
            let answer = queue.on_departure(&seen)?;
            if answer == QueueAnswer::PushOut {
                return Err(Failure::new("pushes a packet out, expected that of arrivals alone"));
            }
            can_be_marked(answer, &seen)?;
            Ok(answer)
        })
    }
}

fn can_be_marked(answer: QueueAnswer, packet: &QueuedPacket) -> Result<(), Failure> {
    if answer == QueueAnswer::Mark && !packet.ecn_capable {
        return Err(Failure::new("marks a packet that cannot be marked, expected a look at ecn_capable"));
    }
    Ok(())
}

impl DepartureQueue for OwnQueue {
    fn push(&mut self, held: Held, flow: u64, dropped: &mut Vec<Held>) {
        let now = held.arrived;
        let mut arriving = Waiting { held, flow, marked: false };
        self.marked_last = false;
        let mut steps = Steps::default();
        loop {
            steps.next();
            let (answer, class) = self.ask(now, &arriving);
            match answer {
                QueueAnswer::Drop => return dropped.push(held),
                QueueAnswer::PushOut => dropped.extend(self.take(class).map(|pushed| pushed.held)),
                QueueAnswer::Pass | QueueAnswer::Mark => {
                    arriving.marked = answer == QueueAnswer::Mark;
                    self.marked_last = arriving.marked && !held.marked;
                    arriving.held.marked |= arriving.marked;
                    return self.put(class, arriving);
                }
            }
        }
    }

    fn pop(&mut self, now: Time, dropped: &mut Vec<Held>) -> Option<Leaving> {
        let mut steps = Steps::default();
        self.on_link = 0;
        while let Some(class) = self.turn(now) {
            steps.next();
            let leaving = self.take(class)?;
            let answer = self.ask_at_departure(now, &leaving, class);
            if answer != QueueAnswer::Drop {
                let marked = leaving.marked || answer == QueueAnswer::Mark;
                return Some(Leaving { held: leaving.held, marked });
            }
            dropped.push(leaving.held);
        }
        let queue = &mut self.queue;
        self.calls.call_at(Method::Idle, now, || queue.on_idle(now));
        None
    }

    fn waiting(&self) -> (u64, u64) {
        self.waiting
    }

    fn packets(&self) -> Box<dyn Iterator<Item = &Held> + '_> {
        Box::new(self.classes.iter().flatten().map(|waiting| &waiting.held))
    }
}
