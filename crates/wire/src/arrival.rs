use std::io::{self, IoSliceMut};
use std::num::NonZeroU64;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, SystemTime};

use nix::sys::socket::sockopt::ReceiveTimestampns;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, cmsg_space, recvmsg, setsockopt};
use nix::sys::time::TimeSpec;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

use crate::stream::receive;

/// Keeps the kernel's stamping of received packets on for as long as it lives.
///
/// The kernel switches stamping on a while after the first socket asks for it and off again with the last, each time
/// by patching its own code on all cores. A load of short connections would have it do so all the time.
#[derive(Debug)]
pub struct StampingOn {
    _socket: OwnedFd,
}

impl StampingOn {
    /// Opens a socket that receives nothing.
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

/// When the kernel received what a TCP socket reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrival {
    asked: bool,
    last: Option<Stamp>,
}

/// Nanoseconds of the wall clock since 1970: half the size of a [`SystemTime`], on every connection.
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

    /// Of the last byte that was read.
    pub(crate) fn last(self) -> Option<SystemTime> {
        self.last.and_then(Stamp::time)
    }

    /// Receives, with the kernel's stamp if asked to. A read takes what many packets brought, and has the stamp of the
    /// newest.
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

/// `recvmsg` casts the buffer's start to a header, which wants its alignment.
#[repr(align(8))]
struct Control([u8; cmsg_space::<TimeSpec>()]);

/// One `recvmsg`, repeated only when a signal interrupted it, and the kernel's stamp of the last byte.
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
