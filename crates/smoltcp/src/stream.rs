//! The two programs of a transfer: one that sends a stream, and one that checks it.

use std::sync::Arc;

use parshall_sim::random::Stream;
use parshall_sim::units::Time;
use smoltcp::iface::{Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{Socket, State};
use smoltcp::wire::IpEndpoint;

use crate::application::Application;

/// A prime, so that no packet size makes a byte out of place look right.
const PERIOD: usize = 65_521;

/// The bytes of a stream: random ones, again and again.
#[derive(Clone, Debug)]
pub(crate) struct Content(Arc<[u8]>);

impl Content {
    pub fn new(seed: u64) -> Self {
        let mut stream = Stream::new(seed, "smoltcp");
        Content((0..PERIOD).map(|_| stream.bits() as u8).collect())
    }

    /// Bytes from a place of the stream on, at least one and at most `most`.
    fn from(&self, place: u64, most: u64) -> &[u8] {
        let start = (place % PERIOD as u64) as usize;
        let end = PERIOD.min(start.saturating_add(usize::try_from(most).unwrap_or(usize::MAX)));
        &self.0[start..end]
    }
}

/// Connects, sends a stream, and closes the connection if the stream has an end.
#[derive(Debug)]
pub struct Sender {
    socket: SocketHandle,
    to: IpEndpoint,
    port: u16,
    /// Bytes of the stream; `u64::MAX` for one without an end.
    bytes: u64,
    written: u64,
    content: Content,
    state: State,
}

impl Sender {
    pub(crate) fn new(socket: SocketHandle, to: IpEndpoint, port: u16, bytes: u64, content: Content) -> Self {
        Sender { socket, to, port, bytes, written: 0, content, state: State::Closed }
    }

    /// smoltcp's handle of the socket.
    pub fn socket(&self) -> SocketHandle {
        self.socket
    }

    /// Bytes that the socket has taken.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn has_ended(&self) -> bool {
        self.written == self.bytes
    }
}

impl Application for Sender {
    fn poll(&mut self, now: Time, interface: &mut Interface, sockets: &mut SocketSet<'static>) {
        let socket = sockets.get_mut::<Socket>(self.socket);
        if now == Time::ZERO && socket.state() == State::Closed {
            let connected = socket.connect(interface.context(), self.to, self.port);
            connected.unwrap_or_else(|fault| panic!("connect: {fault}"));
        }
        while socket.can_send() && !self.has_ended() {
            let rest = self.content.from(self.written, self.bytes - self.written);
            match socket.send_slice(rest) {
                Ok(taken @ 1..) => self.written += taken as u64,
                _ => break,
            }
        }
        if self.has_ended() && matches!(socket.state(), State::Established) {
            socket.close();
        }
        self.state = socket.state();
    }

    /// True once the other end has acknowledged all, and closed the connection too.
    fn is_done(&self) -> bool {
        self.has_ended() && matches!(self.state, State::TimeWait | State::Closed)
    }
}

/// Waits for a connection and checks the stream that comes.
#[derive(Debug)]
pub struct Receiver {
    socket: SocketHandle,
    received: u64,
    /// Bytes that came before this instant do not count.
    count_from: Time,
    counted: u64,
    last_at: Time,
    content: Content,
    completed_at: Option<Time>,
}

impl Receiver {
    pub(crate) fn new(socket: SocketHandle, count_from: Time, content: Content) -> Self {
        let (received, counted) = (0, 0);
        Receiver { socket, received, count_from, counted, last_at: Time::ZERO, content, completed_at: None }
    }

    /// smoltcp's handle of the socket.
    pub fn socket(&self) -> SocketHandle {
        self.socket
    }

    /// Bytes that have come, in order and each as it was sent.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Those since the warm-up.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// When the last bytes came.
    pub fn last_at(&self) -> Time {
        self.last_at
    }

    /// When the end of the stream came.
    pub fn completed_at(&self) -> Option<Time> {
        self.completed_at
    }

    fn check(content: &Content, place: u64, bytes: &[u8]) {
        let mut place = place;
        let mut bytes = bytes;
        while !bytes.is_empty() {
            let expected = content.from(place, bytes.len() as u64);
            let (now, later) = bytes.split_at(expected.len());
            if now != expected {
                Receiver::tell_difference(place, now, expected);
            }
            (place, bytes) = (place + expected.len() as u64, later);
        }
    }

    #[cold]
    fn tell_difference(place: u64, bytes: &[u8], expected: &[u8]) {
        let pairs = bytes.iter().zip(expected);
        if let Some((at, (byte, expected))) = pairs.enumerate().find(|(_, (byte, expected))| byte != expected)
        {
            panic!("byte {} of the stream is {byte}, expected {expected}", place + at as u64);
        }
    }
}

impl Application for Receiver {
    /// Panics if a byte is not the one that was sent.
    fn poll(&mut self, now: Time, _: &mut Interface, sockets: &mut SocketSet<'static>) {
        let socket = sockets.get_mut::<Socket>(self.socket);
        while socket.can_recv() {
            let (content, place) = (&self.content, self.received);
            let taken = socket.recv(|bytes| {
                Receiver::check(content, place, bytes);
                (bytes.len(), bytes.len() as u64)
            });
            let Ok(taken @ 1..) = taken else { break };
            self.received += taken;
            self.counted += if now >= self.count_from { taken } else { 0 };
            self.last_at = now;
        }
        if socket.state() == State::CloseWait {
            self.completed_at = self.completed_at.or(Some(now));
            socket.close();
        }
    }

    fn is_done(&self) -> bool {
        self.completed_at.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_bytes_of_its_content_and_nothing_else() {
        let content = Content::new(1);
        let mut sent = Vec::new();
        while sent.len() < 3 * PERIOD {
            let rest = content.from(sent.len() as u64, 3 * PERIOD as u64 - sent.len() as u64).to_vec();
            sent.extend(rest);
        }
        assert_eq!(sent.len(), 3 * PERIOD);
        for (place, length) in [(0, 10), (PERIOD - 5, 11), (7, 2 * PERIOD)] {
            Receiver::check(&content, place as u64, &sent[place..place + length]);
        }
        let wrong = sent[1..20].to_vec();
        assert!(std::panic::catch_unwind(|| Receiver::check(&content, 0, &wrong)).is_err());
    }
}
