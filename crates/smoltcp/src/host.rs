//! A host with smoltcp's interface and sockets, and a program on top.

use std::fmt;

use parshall_sim::net::{Content, Datagram, Endpoint, EndpointId};
use parshall_sim::units::Time;
use smoltcp::iface::{Config, Interface, PollResult, SocketSet};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

use crate::application::Application;
use crate::clock;
use crate::device::Device;
use crate::digest::Digest;
use crate::options::{IpVersion, Options};
use crate::packet;

/// The address of an endpoint's host: one of `10.0.0.0/8`, or of `fd00::/64`, that no other endpoint of the network has.
pub fn address(endpoint: EndpointId, version: IpVersion) -> IpAddress {
    let [a, b, c, d] = (endpoint.number() + 1).to_be_bytes();
    match version {
        IpVersion::V4 => IpAddress::v4(10, b, c, d),
        IpVersion::V6 => {
            let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            IpAddress::v6(0xfd00, 0, 0, 0, 0, 0, high, low)
        }
    }
}

/// A host that runs smoltcp and a program on it.
pub struct Host<A> {
    /// The program.
    pub application: A,
    /// smoltcp's interface.
    pub interface: Interface,
    /// smoltcp's sockets.
    pub sockets: SocketSet<'static>,
    device: Device,
    /// True if something has happened since smoltcp was polled.
    pending: bool,
    now: Time,
    digest: Digest,
}

impl<A> fmt::Debug for Host<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let addresses = self.interface.ip_addrs();
        f.debug_struct("Host").field("addresses", &addresses).field("now", &self.now).finish_non_exhaustive()
    }
}

impl<A: Application> Host<A> {
    /// The host of an endpoint, with its [`address`]. What smoltcp draws at random, such as sequence numbers, follows from the
    /// seed and the endpoint.
    pub fn new(
        endpoint: EndpointId,
        options: &Options,
        seed: u64,
        sockets: SocketSet<'static>,
        application: A,
    ) -> Self {
        let mut device = Device::new(options.mtu);
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = parshall_sim::random::mix(seed ^ u64::from(endpoint.number()).rotate_left(32));
        let mut interface = Interface::new(config, &mut device, Instant::ZERO);
        let prefix_bits = match options.version {
            IpVersion::V4 => 8,
            IpVersion::V6 => 64,
        };
        let cidr = IpCidr::new(address(endpoint, options.version), prefix_bits);
        interface.update_ip_addrs(|addresses| {
            // An interface has room for one address at least.
            let _ = addresses.push(cidr);
        });
        let (now, digest) = (Time::ZERO, Digest::default());
        Host { application, interface, sockets, device, pending: true, now, digest }
    }

    /// A hash of the packets that the host has sent, and of the instants at which it sent them.
    pub fn digest(&self) -> u64 {
        self.digest.value()
    }

    /// Lets smoltcp take what has arrived, the program look after its sockets, and smoltcp send.
    fn poll(&mut self, now: Time) {
        let Host { application, interface, sockets, device, .. } = self;
        let shown = clock::shown(now);
        interface.poll(shown, device, sockets);
        application.poll(now, interface, sockets);
        // What was sent may have made room for more.
        let again = interface.poll(shown, device, sockets);
        self.pending = again == PollResult::SocketStateChanged;
    }
}

impl<A: Application> Endpoint for Host<A> {
    fn receive(&mut self, now: Time, datagram: Datagram) {
        if matches!(datagram.content(), Content::Ip(_)) {
            self.device.arrived.push_back(datagram.into_bytes());
            (self.now, self.pending) = (now, true);
        }
    }

    fn expire(&mut self, now: Time) {
        (self.now, self.pending) = (now, true);
    }

    fn transmit(&mut self, now: Time) -> Option<Datagram> {
        while self.device.to_send.is_empty() && self.pending {
            self.poll(now);
        }
        let packet = self.device.to_send.pop_front()?;
        self.digest.add_packet(now, &packet);
        Some(packet::datagram(packet))
    }

    fn timer(&mut self) -> Option<Time> {
        let at = self.interface.poll_at(clock::shown(self.now), &self.sockets);
        let stack = at.map(|at| clock::expiry(at, self.now));
        stack.into_iter().chain(self.application.timer()).min()
    }

    fn is_done(&self) -> bool {
        self.application.is_done()
    }
}
