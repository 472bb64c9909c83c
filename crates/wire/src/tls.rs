use std::io::{self, ErrorKind, IoSlice, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

use model::{Fault, FaultKind};
use rustix::io::Errno;
use rustls::ClientConnection;
use rustls::pki_types::ServerName;

use crate::arrival::Arrival;
use crate::fault::from_errno;
use crate::outbox::{QUEUE_LIMIT, not_read};
use crate::transfer::{Read, transmit};

mod client_certificate;
mod fault;
mod insecure;
mod listed;
mod settings;

use fault::{from_rustls, tls_fault};

pub use client_certificate::ClientCertificate;
pub use settings::TlsSettings;

/// One TLS client session. It does not own the socket.
#[derive(Debug)]
pub(crate) struct Session {
    connection: ClientConnection,
    /// Number of bytes given to rustls that the kernel has not accepted. Slightly inexact because of record headers.
    waiting: usize,
    /// Whether decrypted bytes, an end or a fault may be left that epoll does not report.
    holds_more: bool,
    /// The fault that ended the session. Returned only after the bytes that were decrypted before it.
    fault: Option<Fault>,
}

impl Session {
    pub(crate) fn new(settings: &TlsSettings, name: &str) -> Result<Self, Fault> {
        let name = ServerName::try_from(name.to_owned()).map_err(|_| {
            Fault::script(
                FaultKind::Tls,
                format!("`{name}` is not a valid name for TLS"),
            )
        })?;
        let mut connection = ClientConnection::new(settings.config()?, name)
            .map_err(|error| Fault::generator(FaultKind::Tls, error.to_string()))?;
        connection.set_buffer_limit(None); // `write` checks `waiting` instead, so that one large message can pass
        Ok(Self {
            connection,
            waiting: 0,
            holds_more: false,
            fault: None,
        })
    }

    pub(crate) fn wants_write(&self) -> bool {
        self.connection.wants_write()
    }

    pub(crate) fn holds_more(&self) -> bool {
        self.holds_more
    }

    pub(crate) fn agreed_protocol(&self) -> Option<&[u8]> {
        self.connection.alpn_protocol()
    }

    /// Continues the handshake. Returns whether it is complete.
    pub(crate) fn handshake(
        &mut self,
        socket: BorrowedFd<'_>,
        peer: SocketAddr,
        arrival: &mut Arrival,
    ) -> Result<bool, Fault> {
        loop {
            self.flush(socket, peer)?;
            if !self.connection.is_handshaking() {
                return Ok(true);
            }
            match self.feed(socket, peer, arrival)? {
                Fed::Some | Fed::Last => {}
                Fed::Nothing => return Ok(false),
                Fed::End => {
                    return Err(tls_fault(
                        "connection closed during the TLS handshake: if the peer does not speak TLS, write http:// or \
                         ws:// in the URL",
                    ));
                }
            }
        }
    }

    /// Fills `buf` with decrypted bytes, reading the socket until it is empty or `buf` is full.
    ///
    /// Bytes that were decrypted before the end or a fault are returned first, and the next call returns the end or the
    /// fault.
    pub(crate) fn read(
        &mut self,
        socket: BorrowedFd<'_>,
        peer: SocketAddr,
        arrival: &mut Arrival,
        buf: &mut [u8],
    ) -> Read {
        let mut filled = 0;
        let mut drained = false;
        self.holds_more = false;
        loop {
            match self.connection.reader().read(&mut buf[filled..]) {
                Ok(0) if filled < buf.len() => return self.ended(filled),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if let Some(fault) = self.fault.take() {
                        return self.failed(filled, fault);
                    }
                    if drained {
                        return bytes_or(filled, Read::Empty);
                    }
                    match self.feed(socket, peer, arrival) {
                        Ok(Fed::Some) => {}
                        Ok(Fed::Last) => drained = true,
                        Ok(Fed::Nothing) => return bytes_or(filled, Read::Empty),
                        Ok(Fed::End) => return self.ended(filled),
                        // Records before the faulty one are decrypted, and rustls still returns their bytes.
                        Err(fault) => self.fault = Some(fault),
                    }
                }
                // rustls reports an end without close_notify as an error. This end is accepted here, because HTTP and
                // WebSocket detect incomplete messages themselves.
                Err(_) => return self.ended(filled),
            }
            if filled == buf.len() {
                self.holds_more = true;
                return Read::Bytes(filled);
            }
        }
    }

    /// Returns the end, or the bytes before it. rustls reports the end again at the next read.
    fn ended(&mut self, filled: usize) -> Read {
        self.holds_more = filled > 0;
        bytes_or(filled, Read::Closed)
    }

    /// Returns the fault, or the bytes before it. Stores the fault, because neither the socket nor rustls reports it
    /// again.
    fn failed(&mut self, filled: usize, fault: Fault) -> Read {
        if filled == 0 {
            return Read::Failed(fault);
        }
        self.fault = Some(fault);
        self.holds_more = true;
        Read::Bytes(filled)
    }

    /// Reads the socket once and decrypts the received records.
    fn feed(
        &mut self,
        socket: BorrowedFd<'_>,
        peer: SocketAddr,
        arrival: &mut Arrival,
    ) -> Result<Fed, Fault> {
        let mut source = Source {
            socket,
            arrival,
            drained: false,
        };
        match self.connection.read_tls(&mut source) {
            Ok(0) => return Ok(Fed::End),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Fed::Nothing),
            Err(error) => return Err(from_io(&error, peer)),
        }
        let drained = source.drained;
        if let Err(error) = self.connection.process_new_packets() {
            // Sends the alert with the reason. If sending fails, that does not matter, because the session has already
            // failed.
            let _ = self.flush(socket, peer);
            return Err(from_rustls(&error));
        }
        // A record can require a reply, as a key update does. During the handshake, the caller flushes.
        if self.connection.wants_write() && !self.connection.is_handshaking() {
            self.flush(socket, peer)?;
        }
        Ok(if drained { Fed::Last } else { Fed::Some })
    }

    /// Encrypts the bytes, or stores them until the handshake is complete. The caller flushes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if self.waiting > QUEUE_LIMIT {
            return Err(not_read());
        }
        self.waiting += bytes.len();
        self.connection
            .writer()
            .write_all(bytes)
            .map_err(|error| Fault::generator(FaultKind::Tls, error.to_string()))
    }

    pub(crate) fn flush(&mut self, socket: BorrowedFd<'_>, peer: SocketAddr) -> Result<(), Fault> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Sink { socket }) {
                Ok(sent) => self.waiting = self.waiting.saturating_sub(sent),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(from_io(&error, peer)),
            }
        }
        if !self.connection.is_handshaking() {
            self.waiting = 0;
        }
        Ok(())
    }
}

enum Fed {
    Some,
    /// Bytes were received and the socket is empty, so another read would waste a system call.
    Last,
    Nothing,
    End,
}

fn bytes_or(filled: usize, otherwise: Read) -> Read {
    if filled > 0 {
        Read::Bytes(filled)
    } else {
        otherwise
    }
}

struct Source<'a> {
    socket: BorrowedFd<'a>,
    arrival: &'a mut Arrival,
    drained: bool,
}

impl io::Read for Source<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let count = self.arrival.receive(self.socket, buf)?;
        // A read that does not fill the buffer has emptied the socket.
        self.drained = count < buf.len();
        Ok(count)
    }
}

struct Sink<'a> {
    socket: BorrowedFd<'a>,
}

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(transmit(self.socket, bytes)?)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let first = slices.iter().find(|slice| !slice.is_empty());
        first.map_or(Ok(0), |slice| self.write(slice))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn from_io(error: &io::Error, peer: SocketAddr) -> Fault {
    match Errno::from_io_error(error) {
        Some(errno) => from_errno(errno, peer),
        None => tls_fault(&error.to_string()),
    }
}
