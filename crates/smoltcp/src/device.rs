//! The network interface that smoltcp sees: packets that have arrived, and packets to send.

use std::collections::VecDeque;

use smoltcp::phy::{self, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

/// Queues of IP packets.
#[derive(Debug)]
pub(crate) struct Device {
    pub arrived: VecDeque<Vec<u8>>,
    pub to_send: VecDeque<Vec<u8>>,
    mtu: usize,
}

impl Device {
    pub fn new(mtu: u16) -> Self {
        Device { arrived: VecDeque::new(), to_send: VecDeque::new(), mtu: usize::from(mtu) }
    }
}

impl phy::Device for Device {
    type RxToken<'a> = RxToken;
    type TxToken<'a> = TxToken<'a>;

    fn receive(&mut self, _: Instant) -> Option<(RxToken, TxToken<'_>)> {
        let packet = self.arrived.pop_front()?;
        Some((RxToken(packet), TxToken(&mut self.to_send)))
    }

    fn transmit(&mut self, _: Instant) -> Option<TxToken<'_>> {
        Some(TxToken(&mut self.to_send))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities
    }
}

/// A packet that has arrived.
pub(crate) struct RxToken(Vec<u8>);

impl phy::RxToken for RxToken {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

/// Room for a packet to send.
pub(crate) struct TxToken<'a>(&'a mut VecDeque<Vec<u8>>);

impl phy::TxToken for TxToken<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut packet = vec![0; length];
        let result = write(&mut packet);
        self.0.push_back(packet);
        result
    }
}
