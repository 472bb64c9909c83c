use memchr::memchr;
use model::Fault;

use super::grpc::{self, GrpcError};
use crate::fault::{above_limit, printable, protocol, too_large};

/// Maximum length of a size line with its extensions, in bytes.
const LINE_LIMIT: usize = 4096;
/// Maximum length of all trailer lines together, in bytes.
const TRAILER_LIMIT: usize = 64 * 1024;

/// Decodes chunked framing (RFC 9112 §7.1), which reads may split anywhere. Drops trailers, except a gRPC status.
#[derive(Debug, Default)]
pub(crate) struct Chunked {
    state: State,
    /// The beginning of a line that is not complete yet.
    line: Vec<u8>,
    /// Number of bytes of trailer lines so far.
    trailers: usize,
    /// Values of `grpc-status` and `grpc-message`.
    grpc: Option<Box<[Vec<u8>; 2]>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// At a size line.
    #[default]
    Size,
    /// Inside the data of a chunk. Holds the number of bytes still missing.
    Data(usize),
    /// At the line end that follows a chunk's data.
    DataEnd,
    /// At a trailer line, or at the empty line that ends the body.
    Trailer,
    Done,
}

impl Chunked {
    /// Passes the body's data in `bytes` to `sink`, in pieces. Returns the number of bytes used and whether the body is
    /// complete. `have` is the size of the body so far. A body above `limit` bytes is a fault.
    pub(crate) fn decode(
        &mut self,
        bytes: &[u8],
        mut have: usize,
        limit: usize,
        sink: &mut impl FnMut(&[u8]),
    ) -> Result<(usize, bool), Fault> {
        let mut rest = bytes;
        while self.state != State::Done && !rest.is_empty() {
            if let State::Data(left) = self.state {
                let count = left.min(rest.len());
                sink(&rest[..count]);
                have = have.saturating_add(count);
                rest = &rest[count..];
                self.state = if count == left {
                    State::DataEnd
                } else {
                    State::Data(left - count)
                };
                continue;
            }
            let end = memchr(b'\n', rest);
            let count = end.map_or(rest.len(), |at| at + 1);
            if self.line.len() + count > LINE_LIMIT {
                return Err(too_large("a line of the chunked body", LINE_LIMIT));
            }
            // A line is copied only if a read split it.
            let mut joined = std::mem::take(&mut self.line);
            let line = if joined.is_empty() {
                &rest[..count]
            } else {
                joined.extend_from_slice(&rest[..count]);
                &joined
            };
            if end.is_some() {
                self.line_done(trim(line), have, limit)?;
            } else {
                self.line = line.to_vec();
            }
            rest = &rest[count..];
        }
        Ok((bytes.len() - rest.len(), self.state == State::Done))
    }

    fn line_done(&mut self, line: &[u8], have: usize, limit: usize) -> Result<(), Fault> {
        self.state = match self.state {
            State::Size => match chunk_size(line)? {
                0 => State::Trailer,
                // Checks the announced size before storing any data of the chunk.
                size if size > limit.saturating_sub(have) => {
                    return Err(above_limit("the body", limit));
                }
                size => State::Data(size),
            },
            State::DataEnd if line.is_empty() => State::Size,
            State::DataEnd => {
                let got = printable(line);
                return Err(protocol(format!(
                    "chunk longer than its size: got \"{got}\""
                )));
            }
            State::Trailer if line.is_empty() => State::Done,
            State::Trailer => {
                self.trailers += line.len();
                if self.trailers > TRAILER_LIMIT {
                    return Err(too_large("the trailer section", TRAILER_LIMIT));
                }
                self.note_trailer(line);
                State::Trailer
            }
            state @ (State::Data(_) | State::Done) => state,
        };
        Ok(())
    }
}

impl Chunked {
    fn note_trailer(&mut self, line: &[u8]) {
        let Some(colon) = memchr(b':', line) else {
            return;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        for (at, known) in [grpc::STATUS, grpc::MESSAGE].into_iter().enumerate() {
            if name.eq_ignore_ascii_case(known.as_bytes()) {
                self.grpc.get_or_insert_default()[at] = value.to_vec();
            }
        }
    }

    /// The gRPC error in the trailers, if there is one.
    pub(crate) fn grpc_error(&self) -> Option<Box<GrpcError>> {
        let [status, message] = &**self.grpc.as_ref()?;
        GrpcError::of(status, Some(message))
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn chunk_size(line: &[u8]) -> Result<usize, Fault> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or(line);
    let digits = digits.trim_ascii_end();
    let bad = || protocol(format!("not a chunk size: \"{}\"", printable(line)));
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(bad());
    }
    let text = std::str::from_utf8(digits).map_err(|_| bad())?;
    usize::from_str_radix(text, 16).map_err(|_| bad())
}
