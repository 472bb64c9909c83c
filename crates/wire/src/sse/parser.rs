use std::mem;

use memchr::{memchr, memchr2};
use model::Fault;

use super::event::{Event, Ignored, Message};
use super::pending::Pending;
use crate::decimal;
use crate::fault::above_limit;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Parses events from a stream of bytes, without I/O. It copies lines and events that a read split and data of several
/// lines, and frees that memory when the event is complete. Bytes that are not UTF-8 become U+FFFD, as the standard
/// requires.
#[derive(Debug)]
pub struct Parser {
    /// The beginning of a line that is not complete yet.
    line: Vec<u8>,
    /// The event of the lines before it.
    pending: Option<Box<Pending<'static>>>,
    ids: Ids,
    limit: usize,
    /// Whether a byte order mark may still follow: no line is complete.
    fresh: bool,
    /// Whether the last byte was a CR. An LF after it belongs to the same line end.
    after_cr: bool,
}

/// Ids take effect when the event that sets them is complete, even if the event has no data.
#[derive(Debug, Default)]
struct Ids {
    /// The last `id` line.
    next: String,
    /// The id of the last complete event.
    last: String,
}

impl Parser {
    /// A line or an event above `limit` bytes is a fault. `last_event_id` is the id after which a reconnected stream
    /// continues, or empty.
    pub fn new(limit: usize, last_event_id: &str) -> Self {
        Self {
            line: Vec::new(),
            pending: None,
            ids: Ids {
                next: last_event_id.to_owned(),
                last: last_event_id.to_owned(),
            },
            limit,
            fresh: true,
            after_cr: false,
        }
    }

    /// The id of the last complete event, which `Last-Event-ID` repeats; empty if there is none.
    pub fn last_event_id(&self) -> &str {
        &self.ids.last
    }

    /// Whether an event has begun and is not complete. If the stream ends now, the standard discards this event.
    pub fn holds_a_part(&self) -> bool {
        !self.line.is_empty() || self.pending.is_some()
    }

    /// Calls `sink` for everything that `bytes` completes, in order. After a fault, the parser cannot be used again.
    pub fn on_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        let mut joined = mem::take(&mut self.line);
        let mut pending: Pending<'_> = self
            .pending
            .take()
            .map_or_else(Default::default, |held| *held);
        let mut rest = bytes;
        if !joined.is_empty() {
            let Some(at) = memchr2(b'\r', b'\n', rest) else {
                joined.extend_from_slice(rest);
                self.line = joined;
                return self.keep(pending);
            };
            joined.extend_from_slice(&rest[..at]);
            rest = self.behind_line_end(rest, at);
            self.on_line(&joined, &mut pending, sink)?;
        }
        loop {
            if self.after_cr && !rest.is_empty() {
                self.after_cr = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            let Some(at) = memchr2(b'\r', b'\n', rest) else {
                break;
            };
            let line = &rest[..at];
            rest = self.behind_line_end(rest, at);
            self.on_line(line, &mut pending, sink)?;
        }
        self.line = rest.to_vec();
        self.keep(pending)
    }

    /// Stores the incomplete event until the next read.
    fn keep(&mut self, pending: Pending<'_>) -> Result<(), Fault> {
        self.checked(&self.line)?;
        if !pending.is_empty() {
            self.pending = Some(Box::new(pending.into_owned()));
        }
        Ok(())
    }

    /// A line, or the beginning of one, within the limit. Strips the byte order mark, which does not count.
    fn checked<'a>(&self, line: &'a [u8]) -> Result<&'a [u8], Fault> {
        let mark: &[u8] = if self.fresh { BOM } else { &[] };
        let line = line.strip_prefix(mark).unwrap_or(line);
        if line.len() > self.limit {
            return Err(above_limit("a line of an event stream", self.limit));
        }
        Ok(line)
    }

    fn behind_line_end<'a>(&mut self, bytes: &'a [u8], at: usize) -> &'a [u8] {
        self.after_cr = bytes[at] == b'\r';
        &bytes[at + 1..]
    }

    #[inline]
    fn on_line<'a>(
        &mut self,
        line: &'a [u8],
        pending: &mut Pending<'a>,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), Fault> {
        let line = self.checked(line)?;
        self.fresh = false;
        let mut ignore = |reason| sink(Event::Ignored { reason, text: line });
        let (field, value) = match memchr(b':', line) {
            None if line.is_empty() => {
                self.dispatch(&mem::take(pending), sink);
                return Ok(());
            }
            None => (line, &[][..]),
            Some(0) => {
                sink(Event::Comment(&line[1..]));
                return Ok(());
            }
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
        };
        match field {
            b"data" => pending.add(value, self.limit)?,
            b"event" => pending.name = value.into(),
            b"id" if memchr(0, value).is_some() => ignore(Ignored::InvalidId),
            b"id" => {
                self.ids.next.clear();
                self.ids.next.push_str(&String::from_utf8_lossy(value));
            }
            b"retry" if value.is_empty() || !value.iter().all(u8::is_ascii_digit) => {
                ignore(Ignored::InvalidRetry);
            }
            b"retry" => sink(Event::Retry(decimal::parse(value).unwrap_or(u64::MAX))),
            _ => ignore(Ignored::UnknownField),
        }
        Ok(())
    }

    #[inline]
    fn dispatch(&mut self, event: &Pending<'_>, sink: &mut impl FnMut(Event<'_>)) {
        self.ids.last.clone_from(&self.ids.next);
        let Some(data) = &event.data else {
            if !event.name.is_empty() {
                sink(Event::Ignored {
                    reason: Ignored::NoData,
                    text: &event.name,
                });
            }
            return;
        };
        let name = if event.name.is_empty() {
            b"message"
        } else {
            &*event.name
        };
        sink(Event::Message(Message {
            name: &String::from_utf8_lossy(name),
            data: &String::from_utf8_lossy(data),
            id: &self.ids.last,
        }));
    }
}

#[cfg(test)]
mod tests;
