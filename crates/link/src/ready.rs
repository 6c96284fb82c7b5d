//! Waiting for datagrams at many sockets, at a cost that depends on those which have some.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{ppoll, PollFd, PollFlags};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;

use crate::socket::Socket;

/// Sockets that are looked at together. A socket that is closed is among them no longer.
#[derive(Debug)]
pub(crate) struct Ready {
    epoll: Epoll,
}

impl Ready {
    pub fn new() -> io::Result<Self> {
        Ok(Ready { epoll: Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)? })
    }

    /// Adds a socket under a number.
    pub fn add(&self, socket: &Socket, number: u64) -> io::Result<()> {
        Ok(self.epoll.add(socket.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, number))?)
    }

    /// Waits until a socket has a datagram, or for so long.
    pub fn wait(&self, timeout: Duration) -> io::Result<()> {
        // The timeout of `epoll_wait` has milliseconds; that of `ppoll`, to which this is a file like any other, nanoseconds.
        let mut fds = [PollFd::new(self.epoll.0.as_fd(), PollFlags::POLLIN)];
        match ppoll(&mut fds, Some(TimeSpec::from_duration(timeout)), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Numbers of the sockets that have datagrams, or reports of the network, now.
    pub fn list(&self, numbers: &mut Vec<u64>) -> io::Result<()> {
        let mut events = [EpollEvent::empty(); MOST];
        numbers.clear();
        match self.epoll.wait(&mut events, EpollTimeout::ZERO) {
            Ok(count) => numbers.extend(events[..count].iter().map(EpollEvent::data)),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// More sockets than there are.
const MOST: usize = 512;
