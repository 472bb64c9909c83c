//! One read or write of a socket.

use std::os::fd::BorrowedFd;

use model::Fault;
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags};

/// The result of one [`Stream::read`](crate::Stream::read).
#[derive(Debug)]
pub enum Read {
    /// The number of bytes in the buffer. If the buffer is full, more bytes may be left in the socket, which is then
    /// still readable, or in memory ([`Stream::holds_more`](crate::Stream::holds_more)).
    Bytes(usize),
    /// No data is available now.
    Empty,
    /// The peer will send no more data.
    Closed,
    /// The connection broke.
    Failed(Fault),
}

/// Calls `recv` once, and repeats the call only after EINTR.
pub(crate) fn receive(socket: BorrowedFd<'_>, buf: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match net::recv(socket, &mut *buf, RecvFlags::empty()) {
            Err(Errno::INTR) => {}
            done => return done.map(|(_, count)| count),
        }
    }
}

/// Calls `send` once, and repeats the call only after EINTR. Never raises SIGPIPE.
pub(crate) fn transmit(socket: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}
