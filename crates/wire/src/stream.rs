use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::SystemTime;

use model::{Fault, FaultKind};
use rustix::io::Errno;
use rustix::net::{self, RecvFlags, SendFlags, sockopt};

use crate::arrival::Arrival;
use crate::fault::from_errno;
use crate::outbox::Outbox;
use crate::source::Source;
use crate::tls::{Session, TlsSettings};

/// Bytes that may wait for a peer that does not read before the next write is refused.
pub(crate) const QUEUE_LIMIT: usize = 16 * 1024 * 1024;

/// How far a stream has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The TCP handshake is under way.
    Connecting,
    /// The TLS handshake is under way.
    Securing,
    /// Bytes of the protocol above flow.
    Open,
}

/// What one [`Stream::read`] found.
#[derive(Debug)]
pub enum Read {
    /// So many bytes lie in the buffer. If they fill it, more may wait: in the socket, which is then still readable, or
    /// in memory ([`Stream::holds_more`]).
    Bytes(usize),
    /// Nothing now.
    Empty,
    /// The peer has sent its last byte.
    Closed,
    /// The connection broke.
    Failed(Fault),
}

/// A non-blocking TCP or TLS connection.
///
/// | phase | leaves when | register for |
/// |---|---|---|
/// | `Connecting` | [`Stream::advance`] on writable | write |
/// | `Securing` | [`Stream::advance`] on readable or writable | read, and write while [`Stream::wants_write`] |
/// | `Open` | dropped | read, and write while [`Stream::wants_write`] |
///
/// What is written before `Open` waits in the queue and leaves by itself.
#[derive(Debug)]
pub struct Stream {
    socket: OwnedFd,
    peer: SocketAddr,
    phase: Phase,
    outbox: Outbox,
    tls: Option<Box<Session>>,
    arrival: Arrival,
}

impl Stream {
    /// Starts to connect. `source` is the local address to come from, `tls` the settings and the name
    /// that the certificate must bear. Running out of ports or descriptors is the generator's fault.
    pub fn connect(
        addr: SocketAddr,
        source: Option<IpAddr>,
        tls: Option<(&TlsSettings, &str)>,
    ) -> Result<Self, Fault> {
        Self::connect_from(addr, source.map_or(Source::Any, Source::Given), tls)
    }

    /// [`Stream::connect`] from where there are ports.
    pub fn connect_from(
        addr: SocketAddr,
        source: Source<'_>,
        tls: Option<(&TlsSettings, &str)>,
    ) -> Result<Self, Fault> {
        let tls = tls
            .map(|(settings, name)| Session::new(settings, name))
            .transpose()?;
        let (socket, connected) = source.connect(addr)?;
        let mut stream = Self {
            socket,
            peer: addr,
            phase: Phase::Connecting,
            outbox: Outbox::default(),
            tls: tls.map(Box::new),
            arrival: Arrival::default(),
        };
        if connected {
            stream.connected()?;
        }
        Ok(stream)
    }

    /// The socket, for registration with epoll.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// How far it has come.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The address that it connects to.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// TLS is spoken on it.
    pub fn is_secured(&self) -> bool {
        self.tls.is_some()
    }

    /// What both sides agreed to speak over TLS, such as `h2` (ALPN, RFC 7301); known from [`Phase::Open`] on.
    /// `None` when the peer chose nothing, and without TLS.
    pub fn agreed_protocol(&self) -> Option<&[u8]> {
        self.tls.as_ref().and_then(|tls| tls.agreed_protocol())
    }

    /// Has the kernel tell from now on when it received what is read: no further system call is needed for it.
    pub fn stamp_arrivals(&mut self) -> io::Result<()> {
        self.arrival.ask(self.socket.as_fd())
    }

    /// When the kernel received the last byte that was taken from it, by `CLOCK_REALTIME`; over TLS that may be a later
    /// one than the last byte of [`Stream::read`]. Packets that were read together have the stamp of the last. `None`
    /// unless asked for with [`Stream::stamp_arrivals`], and for what came before the kernel had begun to stamp.
    pub fn arrival(&self) -> Option<SystemTime> {
        self.arrival.last()
    }

    /// Goes on with the handshakes; call whenever the socket is ready until [`Phase::Open`].
    /// Once open, read before sleeping when the peer speaks first: over TLS its bytes may be here already.
    pub fn advance(&mut self) -> Result<Phase, Fault> {
        if self.phase == Phase::Connecting {
            self.finish_connect()?;
        }
        if self.phase == Phase::Securing
            && let Some(tls) = &mut self.tls
            && tls.handshake(self.socket.as_fd(), self.peer, &mut self.arrival)?
        {
            self.phase = Phase::Open;
        }
        Ok(self.phase)
    }

    fn finish_connect(&mut self) -> Result<(), Fault> {
        let pending = sockopt::socket_error(&self.socket).and_then(std::convert::identity);
        pending.map_err(|errno| from_errno(errno, self.peer))?;
        match net::getpeername(&self.socket) {
            Ok(_) => self.connected(),
            Err(Errno::NOTCONN) => Ok(()),
            Err(errno) => Err(from_errno(errno, self.peer)),
        }
    }

    fn connected(&mut self) -> Result<(), Fault> {
        if self.tls.is_some() {
            self.phase = Phase::Securing;
            Ok(())
        } else {
            self.phase = Phase::Open;
            self.flush()
        }
    }

    /// Reads what is there. Plain TCP: exactly one system call. TLS: every decrypted
    /// byte that fits is returned before the socket is asked again, so that nothing waits unseen behind a silent socket.
    pub fn read(&mut self, buf: &mut [u8]) -> Read {
        match &mut self.tls {
            None => match self.arrival.receive(self.socket.as_fd(), buf) {
                Ok(0) => Read::Closed,
                Ok(count) => Read::Bytes(count),
                Err(Errno::AGAIN) => Read::Empty,
                Err(errno) => Read::Failed(from_errno(errno, self.peer)),
            },
            Some(tls) => tls.read(self.socket.as_fd(), self.peer, &mut self.arrival, buf),
        }
    }

    /// Bytes may be left in memory after the last [`Stream::read`], of which readiness of the socket says nothing: read
    /// again before sleeping. Never without TLS.
    pub fn holds_more(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.holds_more())
    }

    /// Sends at once what the kernel takes and queues the rest.
    /// Fails when earlier bytes beyond 16 MiB still wait for the peer to read.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if let Some(tls) = &mut self.tls {
            tls.write(bytes)?;
            return if self.phase == Phase::Open {
                self.flush()
            } else {
                Ok(())
            };
        }
        let sent = if self.phase == Phase::Open && self.outbox.is_empty() {
            match transmit(self.socket.as_fd(), bytes) {
                Ok(sent) if sent == bytes.len() => return Ok(()),
                Ok(sent) => sent,
                Err(Errno::AGAIN) => 0,
                Err(errno) => return Err(from_errno(errno, self.peer)),
            }
        } else {
            0
        };
        if self.outbox.len() > QUEUE_LIMIT {
            return Err(not_read());
        }
        self.outbox.push(&bytes[sent..]);
        Ok(())
    }

    /// Sends what is queued, as far as the kernel takes it.
    pub fn flush(&mut self) -> Result<(), Fault> {
        if let Some(tls) = &mut self.tls {
            return tls.flush(self.socket.as_fd(), self.peer);
        }
        while !self.outbox.is_empty() && self.phase == Phase::Open {
            match transmit(self.socket.as_fd(), self.outbox.unsent()) {
                Ok(sent) => self.outbox.took(sent),
                Err(Errno::AGAIN) => break,
                Err(errno) => return Err(from_errno(errno, self.peer)),
            }
        }
        Ok(())
    }

    /// Something waits until the socket is writable.
    pub fn wants_write(&self) -> bool {
        match (&self.tls, self.phase) {
            (_, Phase::Connecting) => true,
            (Some(tls), _) => tls.wants_write(),
            (None, _) => !self.outbox.is_empty(),
        }
    }
}

/// One `recv`, repeated only when a signal interrupted it.
pub(crate) fn receive(socket: BorrowedFd<'_>, buf: &mut [u8]) -> Result<usize, Errno> {
    loop {
        match net::recv(socket, &mut *buf, RecvFlags::empty()) {
            Err(Errno::INTR) => {}
            done => return done.map(|(_, count)| count),
        }
    }
}

/// One `send`, repeated only when a signal interrupted it. Never raises SIGPIPE.
pub(crate) fn transmit(socket: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match net::send(socket, bytes, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}

pub(crate) fn not_read() -> Fault {
    Fault::target(
        FaultKind::Resources,
        "the peer does not read: more than 16 MiB wait to be sent",
    )
}
