//! The kernel's receive timestamps of requests. The load tester has a separate implementation, so that an error in
//! either one shows as a difference.

use std::io::{self, IoSliceMut};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, cmsg_space, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;
use rustix::net::{AddressFamily, SocketType};

use crate::clock::{Nanos, now, wall};

/// Maximum plausible time, in nanoseconds, between the kernel's receipt and the read. A longer time means that the wall
/// clock was changed.
const IMPLAUSIBLE: Nanos = 1_000_000_000;

/// Buffer for control messages. `recvmsg` casts its start to a header, so it needs the header's alignment.
#[repr(align(8))]
struct Control([u8; cmsg_space::<TimeSpec>()]);

/// Keeps the kernel's timestamping enabled while no connection is open, because enabling it again takes time.
#[derive(Debug)]
pub(crate) struct Stamping {
    _socket: Option<OwnedFd>,
}

impl Stamping {
    pub(crate) fn start() -> Self {
        let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None).ok();
        let socket = socket.filter(|socket| setsockopt(socket, ReceiveTimestampns, &true).is_ok());
        Self { _socket: socket }
    }
}

/// Enables receive timestamps on a socket. If that fails, a request's time counts from the read.
pub(crate) fn stamp(socket: &TcpStream) {
    let _ = setsockopt(socket, ReceiveTimestampns, &true);
}

/// Reads from the socket. Returns the number of bytes, and the time at which the kernel received the last one.
pub(crate) fn read(socket: &TcpStream, scratch: &mut [u8]) -> io::Result<(usize, Nanos)> {
    let mut control = Control([0; _]);
    let mut into = [IoSliceMut::new(scratch)];
    let told = recvmsg::<()>(
        socket.as_raw_fd(),
        &mut into,
        Some(&mut control.0),
        MsgFlags::empty(),
    )?;
    let mut messages = told.cmsgs().into_iter().flatten();
    let stamp = messages.find_map(|message| match message {
        ControlMessageOwned::ScmTimestampns(stamp) => Some(nanos(stamp)),
        _ => None,
    });
    let ago = stamp.and_then(|stamp| wall().checked_sub(stamp));
    let now = now();
    let ago = ago.filter(|ago| *ago < IMPLAUSIBLE).unwrap_or(0);
    Ok((told.bytes, now.saturating_sub(ago)))
}

fn nanos(stamp: TimeSpec) -> Nanos {
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(stamp.tv_sec()) * crate::clock::SECOND + part(stamp.tv_nsec())
}
