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

/// What a stream and the connection may have on their way before we acknowledge: as Chrome does, in bytes.
const STREAM_WINDOW: u32 = 6 * 1024 * 1024;
const CONNECTION_WINDOW: u32 = 15 * 1024 * 1024;

/// Size of a frame's head and, in it, where type and stream lie (RFC 9113 §4.1).
const FRAME_HEAD: usize = 9;
const SETTINGS: u8 = 4;

/// `h2`, as a machine that takes bytes and gives bytes.
pub(super) struct Driver {
    client: SendRequest<Bytes>,
    /// `None` once it has ended.
    connection: Option<Connection<Pipe, Bytes>>,
    pipe: Pipe,
    flag: Flag,
    /// The peer's first bytes, until they are seen to be a SETTINGS frame's.
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
            // Until the peer has told its limit: more could be refused, and that would be our fault.
            .initial_max_send_streams(1)
            // Both protect somebody who lets frames pile up; here they are taken out after each batch.
            .data_frame_budget(usize::MAX)
            .max_local_error_reset_streams(None);
        let handshake = pin!(builder.handshake(pipe.clone()));
        // It only writes, into memory.
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
                "HTTP/2 waits before its first byte",
            )),
        }
    }

    /// The buffers towards the peer.
    pub(super) fn pipe(&self) -> &Pipe {
        &self.pipe
    }

    /// Bytes came.
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

    /// Lets `h2` work on what came and on what was asked for. Ends are told once.
    pub(super) fn run(&mut self) -> Result<(), Failure> {
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

    /// Something was done since [`Driver::run`] that `h2` wants to send.
    pub(super) fn is_woken(&self) -> bool {
        self.connection.is_some() && self.flag.is_raised()
    }

    /// Gives up whatever is under way.
    pub(super) fn stop(&mut self) {
        self.connection = None;
    }

    /// Neither side has said that it will leave.
    pub(super) fn is_open(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        self.connection.is_some()
            && !matches!(self.client.poll_ready(&mut context), Poll::Ready(Err(_)))
    }

    /// Streams that the peer allows at the same time.
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
            // `h2` keeps what does not fit into the peer's window.
            stream.send_data(Bytes::copy_from_slice(body), true)?;
        }
        Ok((response, stream))
    }
}

/// `h2` would name a wrong frame size where the peer speaks another protocol.
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
