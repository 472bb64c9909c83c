use std::io::{self, IoSliceMut};
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, SystemTime};

use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, cmsg_space, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::transfer::receive;

/// Keeps the kernel's receive timestamps enabled until it is dropped.
///
/// The kernel enables timestamps shortly after the first socket requests them, and disables them when the last such
/// socket closes. Each switch patches kernel code on all cores. Many short connections would therefore switch
/// timestamps constantly.
#[derive(Debug)]
pub struct StampingOn {
    _socket: OwnedFd,
}

impl StampingOn {
    /// Opens a socket that receives nothing and requests timestamps for it.
    pub fn new() -> io::Result<Self> {
        let socket = socket_with(
            AddressFamily::INET,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        Ok(Self { _socket: socket })
    }
}

/// The kernel's receive timestamps of one TCP socket.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrival {
    asked: bool,
    last: Option<Stamp>,
}

/// Wall-clock nanoseconds since 1970. Every connection stores a stamp, which takes half the space of a [`SystemTime`].
#[derive(Clone, Copy, Debug)]
struct Stamp(NonZeroU64);

impl Stamp {
    fn of(told: TimeSpec) -> Option<Self> {
        let nanos = Duration::from(told).as_nanos();
        u64::try_from(nanos)
            .ok()
            .and_then(NonZeroU64::new)
            .map(Self)
    }

    fn time(self) -> Option<SystemTime> {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_nanos(self.0.get()))
    }
}

impl Arrival {
    pub(crate) fn ask(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        setsockopt(&socket, ReceiveTimestampns, &true)?;
        self.asked = true;
        Ok(())
    }

    /// The receive timestamp of the last byte that was read.
    pub(crate) fn last(self) -> Option<SystemTime> {
        self.last.and_then(Stamp::time)
    }

    /// Receives once, with the kernel's timestamp if [`Arrival::ask`] was called. One read may return the bytes of many
    /// packets, with the timestamp of the newest packet.
    pub(crate) fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        buf: &mut [u8],
    ) -> Result<usize, Errno> {
        if !self.asked {
            return receive(socket, buf);
        }
        let (count, stamp) = receive_stamped(socket, buf)?;
        self.last = stamp;
        Ok(count)
    }
}

/// `recvmsg` casts the start of this buffer to a control message header, so the buffer needs that header's alignment.
#[repr(align(8))]
struct Control([u8; cmsg_space::<TimeSpec>()]);

/// Calls `recvmsg` once, and repeats the call only after EINTR. Returns the byte count and the kernel's timestamp of
/// the last byte.
fn receive_stamped(
    socket: BorrowedFd<'_>,
    buf: &mut [u8],
) -> Result<(usize, Option<Stamp>), Errno> {
    let mut control = Control([0; _]);
    let mut into = [IoSliceMut::new(buf)];
    let told = loop {
        let fd = socket.as_raw_fd();
        match recvmsg::<()>(fd, &mut into, Some(&mut control.0), MsgFlags::empty()) {
            Err(nix::errno::Errno::EINTR) => {}
            Err(errno) => return Err(Errno::from_raw_os_error(errno as i32)),
            Ok(told) => break told,
        }
    };
    let mut messages = told.cmsgs().into_iter().flatten();
    let stamp = messages.find_map(|message| match message {
        ControlMessageOwned::ScmTimestampns(stamp) => Stamp::of(stamp),
        _ => None,
    });
    Ok((told.bytes, stamp))
}
