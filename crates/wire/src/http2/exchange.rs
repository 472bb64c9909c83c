use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{Reason, RecvStream, SendStream};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::failure::Failure;
use super::flag::Flag;
use super::head;
use super::part::{Content, Part};
use super::stream_id::StreamId;
use crate::fault::above_limit;
use crate::http::decode::{Coding, decode};
use crate::http::grpc;
use crate::http::{GrpcError, Headers, Response};

/// A request in flight, with the part of its response that has arrived.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) id: StreamId,
    /// Number of bytes that the connection had received when the request was sent.
    pub(super) received_before: u64,
    /// Stored because dropping this handle would reset the stream.
    request: SendStream<Bytes>,
    /// Whether the response is returned in parts, as they arrive.
    in_parts: bool,
    progress: Progress,
    flag: Flag,
}

#[derive(Debug)]
enum Progress {
    Waiting(ResponseFuture),
    Reading(Box<Incoming>),
    /// The response is returned in parts.
    Passing {
        body: RecvStream,
        /// Bytes of the body so far.
        received: usize,
    },
}

#[derive(Debug)]
struct Incoming {
    response: Response,
    /// Bytes of the body so far.
    received: usize,
    bodies: Bodies,
    coding: Coding,
    body: RecvStream,
    /// Whether a gRPC status is still missing. Without a status, the call has failed.
    awaits_grpc: bool,
}

/// Whether bodies are stored, and their maximum size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bodies {
    /// Maximum size in bytes.
    pub(super) limit: usize,
    /// Whether bytes of responses with a status below 400 are only counted, because the caller will not read the bodies.
    pub(super) discarded: bool,
}

impl Exchange {
    pub(super) fn new(
        received_before: u64,
        response: ResponseFuture,
        request: SendStream<Bytes>,
    ) -> Self {
        Self {
            id: StreamId(response.stream_id().as_u32()),
            received_before,
            request,
            in_parts: false,
            progress: Progress::Waiting(response),
            flag: Flag::new(),
        }
    }

    /// Returns the response in parts from now on. Its head must not have arrived.
    pub(super) fn pass_parts(&mut self) {
        self.in_parts = true;
    }

    /// Whether the head of the response has arrived.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.progress, Progress::Waiting(_))
    }

    /// Bytes of the body that have arrived.
    pub(super) fn body_size(&self) -> usize {
        match &self.progress {
            Progress::Waiting(_) => 0,
            Progress::Reading(incoming) => incoming.received,
            Progress::Passing { received, .. } => *received,
        }
    }

    /// Resets the stream, because the response is not needed.
    pub(super) fn cancel(mut self) {
        self.request.send_reset(Reason::CANCEL);
    }

    /// Takes the data that has arrived, and adds it to `parts` if the response is returned in parts; its body is then
    /// empty. Cheap if `h2` has not woken this stream since the last poll.
    pub(super) fn poll(
        &mut self,
        bodies: Bodies,
        parts: &mut VecDeque<Part>,
    ) -> Poll<Result<Response, Failure>> {
        if !self.flag.is_raised() {
            return Poll::Pending;
        }
        // Lowered before the poll, so that a wake during the poll is not lost.
        self.flag.lower();
        let mut context = Context::from_waker(self.flag.waker());
        if let Progress::Waiting(response) = &mut self.progress {
            let answer = ready!(Pin::new(response).poll(&mut context))?;
            self.progress = if self.in_parts {
                begin_parts(self.id, answer, parts)
            } else {
                Progress::Reading(Box::new(Incoming::new(answer, bodies)?))
            };
        }
        match &mut self.progress {
            Progress::Waiting(_) => Poll::Pending,
            Progress::Reading(incoming) => incoming.poll(&mut context),
            Progress::Passing { body, received } => {
                let stream = self.id;
                pass(body, &mut context, |data| {
                    *received += data.len();
                    let content = Content::Data(data);
                    parts.push_back(Part { stream, content });
                })
            }
        }
    }
}

impl Incoming {
    fn new(answer: http::Response<RecvStream>, bodies: Bodies) -> Result<Self, Failure> {
        let (parts, body) = answer.into_parts();
        let number = |value: &http::HeaderValue| value.to_str().ok()?.parse::<usize>().ok();
        let length = parts.headers.get(CONTENT_LENGTH).and_then(number);
        // The Content-Length of a HEAD response describes a body that is not sent.
        if !body.is_end_stream() && length.is_some_and(|length| length > bodies.limit) {
            return Err(above_limit("the body", bodies.limit).into());
        }
        let coding = parts.headers.get(CONTENT_ENCODING);
        let status = parts.status.as_u16();
        let content_type = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is_grpc = status == 200 && content_type.is_some_and(grpc::is_content_type);
        let grpc_status = is_grpc.then(|| parts.headers.get(grpc::STATUS)).flatten();
        // The body of a failure usually states the reason.
        let bodies = Bodies {
            discarded: bodies.discarded && status < 400,
            ..bodies
        };
        let headers = if bodies.discarded {
            Headers::default()
        } else {
            head::decode(parts.status, &parts.headers)
        };
        Ok(Self {
            response: Response {
                status,
                headers,
                body: Vec::new(),
                size: head::size(&parts.headers),
                grpc_error: grpc_status.and_then(|status| grpc_error(status, &parts.headers)),
            },
            received: 0,
            bodies,
            coding: coding.map_or(Coding::Plain, |value| Coding::from_header(value.as_bytes())),
            body,
            awaits_grpc: is_grpc && grpc_status.is_none(),
        })
    }

    /// Reads the body and the trailers. Trailers are dropped, except a gRPC status, as in HTTP/1.1.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Response, Failure>> {
        while let Some(piece) = ready!(self.body.poll_data(context)) {
            let piece = piece?;
            self.received += piece.len();
            if self.received > self.bodies.limit {
                return Poll::Ready(Err(above_limit("the body", self.bodies.limit).into()));
            }
            if !self.bodies.discarded {
                self.response.body.extend_from_slice(&piece);
            }
            // Without this call, the peer's flow-control window would never open again.
            self.body.flow_control().release_capacity(piece.len())?;
        }
        let trailers = ready!(self.body.poll_trailers(context))?.unwrap_or_default();
        let mut response = std::mem::take(&mut self.response);
        if let Some(status) = trailers.get(grpc::STATUS) {
            response.grpc_error = grpc_error(status, &trailers);
        } else if self.awaits_grpc {
            response.grpc_error = Some(Box::new(GrpcError::Missing));
        }
        response.size += self.received;
        response.body = decode(self.coding, response.body, self.bodies.limit)?;
        Poll::Ready(Ok(response))
    }
}

/// Returns the head of a response, whose body then follows in parts.
fn begin_parts(
    stream: StreamId,
    answer: http::Response<RecvStream>,
    parts: &mut VecDeque<Part>,
) -> Progress {
    let (head, body) = answer.into_parts();
    let content = Content::Head {
        status: head.status.as_u16(),
        headers: head::decode(head.status, &head.headers),
    };
    parts.push_back(Part { stream, content });
    Progress::Passing { body, received: 0 }
}

/// Passes on the data of a body. Returns an empty response at its end.
fn pass(
    body: &mut RecvStream,
    context: &mut Context<'_>,
    mut sink: impl FnMut(Bytes),
) -> Poll<Result<Response, Failure>> {
    while let Some(data) = ready!(body.poll_data(context)) {
        let data = data?;
        // The data is on its way to its consumer, so the peer may send more at once.
        body.flow_control().release_capacity(data.len())?;
        if !data.is_empty() {
            sink(data);
        }
    }
    ready!(body.poll_trailers(context))?;
    Poll::Ready(Ok(Response::default()))
}

fn grpc_error(status: &HeaderValue, headers: &HeaderMap) -> Option<Box<GrpcError>> {
    let message = headers.get(grpc::MESSAGE).map(HeaderValue::as_bytes);
    GrpcError::of(status.as_bytes(), message)
}
