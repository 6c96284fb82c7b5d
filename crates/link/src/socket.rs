//! UDP sockets that tell when a datagram came and which traffic class it had.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::sockopt::{
    IpRecvTos, Ipv6RecvTClass, RcvBuf, RcvBufForce, ReceiveTimestampns, RxqOvfl, SndBuf, SndBufForce,
};
use nix::sys::socket::{
    recvmsg, sendmsg, setsockopt, ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage,
};
use nix::sys::time::TimeSpec;

/// Room for datagrams that come while the relay does something else.
const BUFFER_BYTES: usize = 8 << 20;

/// A datagram that came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// Bytes of its content.
    pub bytes: usize,
    /// Its sender; none if the system does not tell.
    pub from: Option<SocketAddr>,
    /// The byte that is called TOS or traffic class: code point of differentiated services and bits of ECN.
    pub class: u8,
    /// When it came, by the clock of the system, since 1970; none if the system does not tell.
    pub at: Option<Duration>,
}

/// A socket that does not block.
#[derive(Debug)]
pub(crate) struct Socket {
    socket: UdpSocket,
    /// Space for what comes with a datagram.
    control: Vec<u8>,
    /// Datagrams that found no room, as the kernel counts them.
    overflowed: u32,
    /// Datagrams that did not get where they were to go, as the network reports it.
    undelivered: u64,
    /// When the last datagram came.
    latest: Instant,
}

impl Socket {
    /// A socket at an address.
    pub fn bind(at: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(at)?;
        socket.set_nonblocking(true)?;
        if setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).is_err() {
            // The most that a normal process gets.
            setsockopt(&socket, RcvBuf, &BUFFER_BYTES)?;
        }
        if setsockopt(&socket, SndBufForce, &BUFFER_BYTES).is_err() {
            setsockopt(&socket, SndBuf, &BUFFER_BYTES)?;
        }
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        setsockopt(&socket, RxqOvfl, &1)?;
        match at {
            SocketAddr::V4(_) => setsockopt(&socket, IpRecvTos, &true)?,
            SocketAddr::V6(_) => setsockopt(&socket, Ipv6RecvTClass, &true)?,
        }
        let control = nix::cmsg_space!(TimeSpec, u32, libc::c_int);
        Ok(Socket { socket, control, overflowed: 0, undelivered: 0, latest: Instant::now() })
    }

    /// A socket at any address, for datagrams to and from this one.
    pub fn connected(to: SocketAddr) -> io::Result<Self> {
        let any = match to {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let socket = Socket::bind(any)?;
        socket.socket.connect(to)?;
        Ok(socket)
    }

    /// Its own address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Datagrams that came and found no room.
    pub fn overflowed(&self) -> u64 {
        self.overflowed.into()
    }

    /// Datagrams that were sent and did not get where they were to go.
    pub fn undelivered(&self) -> u64 {
        self.undelivered
    }

    /// When the last datagram came.
    pub fn latest(&self) -> Instant {
        self.latest
    }

    /// Notes when a datagram came, and returns it: not before the one that came before it, whatever clocks say.
    pub fn later(&mut self, at: Instant) -> Instant {
        self.latest = self.latest.max(at);
        self.latest
    }

    /// For those who wait for datagrams.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Takes the next datagram; none if there is none.
    pub fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<Received>> {
        let mut parts = [IoSliceMut::new(buffer)];
        let fd = self.socket.as_raw_fd();
        let message =
            match recvmsg::<SockaddrStorage>(fd, &mut parts, Some(&mut self.control), MsgFlags::empty()) {
                Ok(message) => message,
                Err(error) => return self.without_datagram(error).map(|()| None),
            };
        let mut received = Received {
            bytes: message.bytes,
            from: message.address.as_ref().and_then(address),
            class: 0,
            at: None,
        };
        for control in message.cmsgs()? {
            match control {
                ControlMessageOwned::Ipv4Tos(tos) => received.class = tos,
                ControlMessageOwned::Ipv6TClass(class) => received.class = class as u8,
                ControlMessageOwned::ScmTimestampns(at) => received.at = Some(at.into()),
                ControlMessageOwned::RxqOvfl(count) => self.overflowed = count,
                _ => {}
            }
        }
        Ok(Some(received))
    }

    /// Counts what the network reports of a datagram that was sent before; an error of the socket itself is returned.
    fn without_datagram(&mut self, error: Errno) -> io::Result<()> {
        match error {
            Errno::EAGAIN | Errno::EINTR => Ok(()),
            // All that ICMP, of either version, says of a datagram.
            Errno::ECONNREFUSED
            | Errno::EHOSTUNREACH
            | Errno::EHOSTDOWN
            | Errno::ENETUNREACH
            | Errno::ENETDOWN
            | Errno::ENONET
            | Errno::ENOPROTOOPT
            | Errno::EOPNOTSUPP
            | Errno::EPROTO
            | Errno::EMSGSIZE
            | Errno::EACCES => {
                self.undelivered += 1;
                Ok(())
            }
            error => Err(error.into()),
        }
    }

    /// Sends a datagram with this traffic class: to an address, or to the one that the socket is connected to.
    pub fn send(&self, content: &[u8], to: Option<SocketAddr>, class: u8) -> io::Result<()> {
        let (byte, class) = (class, libc::c_int::from(class));
        let control = match self.socket.local_addr()? {
            SocketAddr::V4(_) => ControlMessage::Ipv4Tos(&byte),
            SocketAddr::V6(_) => ControlMessage::Ipv6TClass(&class),
        };
        let control = if byte == 0 { &[][..] } else { &[control][..] };
        let to = to.map(SockaddrStorage::from);
        let parts = [IoSlice::new(content)];
        sendmsg(self.socket.as_raw_fd(), &parts, control, MsgFlags::empty(), to.as_ref())?;
        Ok(())
    }
}

fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4(SocketAddrV4::from(*address)));
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6(SocketAddrV6::from(*address))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(socket: &mut Socket) -> (Vec<u8>, Received) {
        let mut buffer = [0; 100];
        loop {
            if let Some(received) = socket.receive(&mut buffer).expect("a datagram") {
                return (buffer[..received.bytes].to_vec(), received);
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_datagram_that_did_not_arrive_is_counted_and_a_broken_socket_is_an_error() {
        let mut socket = Socket::bind("127.0.0.1:0".parse().expect("an address")).expect("a socket");
        let reports = [
            Errno::ECONNREFUSED,
            Errno::EHOSTUNREACH,
            Errno::EHOSTDOWN,
            Errno::ENETUNREACH,
            Errno::ENOPROTOOPT,
            Errno::EMSGSIZE,
            Errno::EACCES,
        ];
        for (before, report) in (0..).zip(reports) {
            assert_eq!(socket.undelivered(), before);
            socket.without_datagram(report).expect("it is of a datagram");
        }
        socket.without_datagram(Errno::EAGAIN).expect("nothing was there");
        assert!(socket.without_datagram(Errno::EBADF).is_err());
        assert_eq!(socket.undelivered(), 7);
    }

    #[test]
    fn datagrams_carry_their_sender_their_class_and_their_time() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(mut here) = Socket::bind(at.parse().expect("an address")) else { continue };
            let mut there = Socket::connected(here.address().expect("an address")).expect("a socket");
            there.send(b"question", None, 0b1011_1010).expect("sent");
            let (content, question) = took(&mut here);
            assert_eq!((content.as_slice(), question.class), (b"question".as_slice(), 0b1011_1010));
            assert!(question.at.is_some_and(|at| at > Duration::from_secs(1_700_000_000)));
            here.send(b"answer", question.from, 3).expect("sent");
            let (content, answer) = took(&mut there);
            assert_eq!((content.as_slice(), answer.class), (b"answer".as_slice(), 3));
            here.send(b"", question.from, 0).expect("sent");
            assert_eq!((took(&mut there).1.class, there.overflowed()), (0, 0));
        }
    }
}
