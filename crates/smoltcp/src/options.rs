//! Settings of a host's TCP.

use smoltcp::socket::tcp::CongestionControl;

/// A version of the Internet protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IpVersion {
    /// Headers of 20 bytes.
    #[default]
    V4,
    /// Headers of 40 bytes.
    V6,
}

/// Settings of a host and of its TCP sockets. The defaults are smoltcp's, but for the buffers, which a program always chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Congestion control of the sender. The default is smoltcp's, CUBIC.
    pub control: CongestionControl,
    /// Largest IP packet in bytes, from which smoltcp derives the MSS. 1500 at first.
    pub mtu: u16,
    /// Bytes that a socket holds for its program. smoltcp announces them as its window. 1 MiB at first.
    pub receive_buffer: usize,
    /// Bytes that a socket holds until they are acknowledged. 1 MiB at first.
    pub send_buffer: usize,
    /// Longest wait of an ACK; `None` acknowledges each segment at once. 10 ms at first.
    pub ack_delay: Option<std::time::Duration>,
    /// True if a segment that is not full waits for the ACK of those before (RFC 896). True at first.
    pub nagle: bool,
    /// IPv4 or IPv6.
    pub version: IpVersion,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            control: CongestionControl::Cubic,
            mtu: 1500,
            receive_buffer: 1 << 20,
            send_buffer: 1 << 20,
            ack_delay: Some(std::time::Duration::from_millis(10)),
            nagle: true,
            version: IpVersion::V4,
        }
    }
}
