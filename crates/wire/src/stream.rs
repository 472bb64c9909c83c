use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::SystemTime;

use model::{Fault, FaultKind};
use rustix::io::Errno;
use rustix::net::{self, sockopt};

use crate::arrival::Arrival;
use crate::fault::from_errno;
use crate::outbox::{Outbox, QUEUE_LIMIT, not_read};
use crate::source::Source;
use crate::tls::{Session, TlsSettings};
use crate::transfer::{Read, transmit};

/// The phase of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The TCP handshake is under way.
    Connecting,
    /// The TLS handshake is under way.
    Securing,
    /// The connection is established and application data can flow.
    Open,
}

/// A non-blocking TCP or TLS connection.
///
/// | phase | leaves when | register for |
/// |---|---|---|
/// | `Connecting` | [`Stream::advance`] on writable | write |
/// | `Securing` | [`Stream::advance`] on readable or writable | read, and write while [`Stream::wants_write`] |
/// | `Open` | dropped | read, and write while [`Stream::wants_write`] |
///
/// Bytes written before `Open` are queued and sent when the stream opens.
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
    /// Starts to connect. `source` is the local address; `tls` are the settings and the name that the certificate must
    /// have. Running out of ports or descriptors is a fault of the generator.
    pub fn connect(
        addr: SocketAddr,
        source: Option<IpAddr>,
        tls: Option<(&TlsSettings, &str)>,
    ) -> Result<Self, Fault> {
        Self::connect_from(addr, source.map_or(Source::Any, Source::Given), tls)
    }

    /// Like [`Stream::connect`], but can use several local addresses; see [`Source`].
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

    /// The current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The address of the peer.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Whether the stream uses TLS.
    pub fn is_secured(&self) -> bool {
        self.tls.is_some()
    }

    /// The application protocol that was negotiated over TLS, such as `h2` (ALPN, RFC 7301). Known from [`Phase::Open`]
    /// on. `None` if the peer chose no protocol, and without TLS.
    pub fn agreed_protocol(&self) -> Option<&[u8]> {
        self.tls.as_ref().and_then(|tls| tls.agreed_protocol())
    }

    /// Requests the kernel's receive timestamps for all further reads. The timestamps need no additional system call
    /// per read.
    pub fn stamp_arrivals(&mut self) -> io::Result<()> {
        self.arrival.ask(self.socket.as_fd())
    }

    /// The kernel's receive timestamp (`CLOCK_REALTIME`) of the last byte that was read from the socket.
    ///
    /// Over TLS that byte may be later than the last byte that [`Stream::read`] returned. Packets that were read
    /// together have the timestamp of the last packet. `None` without [`Stream::stamp_arrivals`], and for data that
    /// arrived before the kernel had enabled timestamps.
    pub fn arrival(&self) -> Option<SystemTime> {
        self.arrival.last()
    }

    /// Continues the handshakes. Call it whenever the socket is ready, until [`Phase::Open`].
    ///
    /// If the peer sends first, read as soon as the stream is open, before waiting: over TLS, the peer's bytes may
    /// already be in memory.
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
        // Without a pending error the connection may still be in progress: only a connected socket has a peer name.
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

    /// Begins TLS on an open connection, as a NATS server requires after its first line. The next phase is
    /// [`Phase::Securing`]. All bytes written before must have been sent.
    pub fn start_tls(&mut self, settings: &TlsSettings, name: &str) -> Result<(), Fault> {
        if self.phase != Phase::Open || self.tls.is_some() || !self.outbox.is_empty() {
            return Err(Fault::generator(
                FaultKind::Tls,
                "TLS can begin only once, on an open connection without unsent data",
            ));
        }
        self.tls = Some(Box::new(Session::new(settings, name)?));
        self.phase = Phase::Securing;
        Ok(())
    }

    /// Reads the available data. Over plain TCP, this takes exactly one system call.
    ///
    /// TLS returns every decrypted byte that fits before it reads the socket again, so that no data stays in memory
    /// while the socket is silent.
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

    /// Whether decrypted bytes, the end of the data or a fault may be left in memory after the last [`Stream::read`].
    /// Epoll does not report them, so read again before waiting. Always false without TLS.
    pub fn holds_more(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.holds_more())
    }

    /// Sends the bytes that the kernel accepts at once and queues the rest.
    ///
    /// Fails if more than 16 MiB of earlier bytes are still queued. The limit does not apply to the new bytes, so that
    /// one large message can pass.
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

    /// Sends queued bytes until the kernel accepts no more.
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

    /// Whether the stream waits until the socket is writable.
    pub fn wants_write(&self) -> bool {
        match (&self.tls, self.phase) {
            (_, Phase::Connecting) => true,
            (Some(tls), _) => tls.wants_write(),
            (None, _) => !self.outbox.is_empty(),
        }
    }
}
