use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, Connection, ResponseFuture, SendRequest};
use h2::{Error, SendStream};
use model::{Fault, FaultKind};

use super::failure::Failure;
use super::flag::Flag;
use super::pipe::Pipe;
use crate::fault::printable;
use crate::fault::protocol;
use crate::http::head::HEAD_LIMIT;

/// Flow-control windows of a stream and of the connection in bytes, with the values of Chrome.
const STREAM_WINDOW: u32 = 6 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 15 * 1024 * 1024;

/// Size of a frame header in bytes (RFC 9113 §4.1).
const FRAME_HEAD: usize = 9;
/// Type of a SETTINGS frame (RFC 9113 §6.5).
const SETTINGS: u8 = 4;

/// Wraps `h2` as a state machine without I/O: bytes in, bytes out.
pub(super) struct Driver {
    client: SendRequest<Bytes>,
    /// `None` once the connection has ended.
    connection: Option<Connection<Pipe, Bytes>>,
    pipe: Pipe,
    flag: Flag,
    /// The peer's first bytes, until they are known to be the header of a SETTINGS frame.
    opening: Option<Vec<u8>>,
}

impl Driver {
    pub(super) fn new() -> Result<Self, Fault> {
        let pipe = Pipe::default();
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(HEAD_LIMIT).unwrap_or(u32::MAX))
            // Applies until the peer announces its limit. The peer could refuse more streams, and headcount would have
            // caused these failures.
            .initial_max_send_streams(1)
            // Disables two limits, which protect callers that let frames accumulate. Here, frames are consumed after
            // each batch of bytes.
            .data_frame_budget(usize::MAX)
            .max_local_error_reset_streams(None);
        let handshake = pin!(builder.handshake(pipe.clone()));
        // The handshake only writes to the pipe, which is memory, so one poll completes the handshake.
        match handshake.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok((client, connection))) => Ok(Self {
                client,
                connection: Some(connection),
                pipe,
                flag: Flag::new(),
                opening: Some(Vec::new()),
            }),
            Poll::Ready(Err(error)) => Err(Failure::from(error).fault),
            Poll::Pending => Err(Fault::generator(
                FaultKind::Protocol,
                "internal error: the HTTP/2 handshake did not complete at once",
            )),
        }
    }

    /// The buffers from and to the peer.
    pub(super) fn pipe(&self) -> &Pipe {
        &self.pipe
    }

    /// Adds bytes that were read; [`Driver::run`] processes them.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if let Some(opening) = &mut self.opening {
            let missing = FRAME_HEAD - opening.len();
            opening.extend_from_slice(&bytes[..missing.min(bytes.len())]);
            check_opening(opening)?;
            if opening.len() == FRAME_HEAD {
                self.opening = None;
            }
        }
        self.pipe.feed(bytes);
        Ok(())
    }

    /// Lets `h2` process received bytes and pending requests. The end of the connection is reported once.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
        // Lowered before the poll, so that a wake during the poll is not lost.
        self.flag.lower();
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let mut context = Context::from_waker(self.flag.waker());
        match std::pin::Pin::new(connection).poll(&mut context) {
            Poll::Pending => Ok(()),
            Poll::Ready(end) => {
                self.connection = None;
                end.map_err(Failure::from)
            }
        }
    }

    /// Whether `h2` has more to do since the last [`Driver::run`], such as a frame to send.
    pub(super) fn is_woken(&self) -> bool {
        self.connection.is_some() && self.flag.is_raised()
    }

    /// Drops the connection and everything in flight.
    pub(super) fn stop(&mut self) {
        self.connection = None;
    }

    /// Whether neither side has announced the end of the connection.
    pub(super) fn is_open(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        self.connection.is_some()
            && !matches!(self.client.poll_ready(&mut context), Poll::Ready(Err(_)))
    }

    /// The number of concurrent streams that the peer allows.
    pub(super) fn stream_limit(&self) -> usize {
        self.client.current_max_send_streams()
    }

    pub(super) fn send(
        &mut self,
        head: http::Request<()>,
        body: &[u8],
    ) -> Result<(ResponseFuture, SendStream<Bytes>), Error> {
        let (response, mut stream) = self.client.send_request(head, body.is_empty())?;
        if !body.is_empty() {
            // `h2` buffers the part that does not fit into the peer's window.
            stream.send_data(Bytes::copy_from_slice(body), true)?;
        }
        Ok((response, stream))
    }
}

/// Checks that the first bytes can be the header of a SETTINGS frame on stream 0. If the peer speaks another protocol,
/// `h2` itself would only report a wrong frame size.
fn check_opening(opening: &[u8]) -> Result<(), Fault> {
    let looks_right = |(at, &byte): (usize, &u8)| match at {
        3 => byte == SETTINGS,
        5.. => byte == 0,
        _ => true,
    };
    if opening.iter().enumerate().all(looks_right) {
        return Ok(());
    }
    Err(protocol(format!(
        "not HTTP/2: got \"{}\"",
        printable(opening)
    )))
}
