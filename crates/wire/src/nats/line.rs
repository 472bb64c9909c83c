use std::ops::Range;

use memchr::memchr;
use model::Fault;

use crate::decimal;
use crate::fault::{above_limit, printable, protocol, too_large};

/// Maximum length of a line, in bytes. `INFO` is the longest; it lists the cluster's addresses.
const LINE_LIMIT: usize = 256 * 1024;

/// The parsed line of a frame, with the places of its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Info(Range<usize>),
    Message(MessageHead),
    Ping,
    Pong,
    Ok,
    Err(Range<usize>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageHead {
    pub(super) subject: Range<usize>,
    pub(super) sid: u64,
    pub(super) reply: Option<Range<usize>>,
    pub(super) headers: Range<usize>,
    pub(super) payload: Range<usize>,
}

/// Parses the line at the start of `bytes`. Returns it with its number of bytes; `None` if it is not complete yet. A
/// message above `limit` bytes is a fault as soon as its line announces it.
pub(super) fn parse(bytes: &[u8], limit: usize) -> Result<Option<(Head, usize)>, Fault> {
    let end = memchr(b'\n', bytes);
    if end.unwrap_or(bytes.len()) > LINE_LIMIT {
        return Err(too_large("a line of the NATS server", LINE_LIMIT));
    }
    let Some(end) = end else { return Ok(None) };
    let unknown = || {
        let shown = printable(&bytes[..end]);
        protocol(format!("`{shown}` is not a line of a NATS server"))
    };
    let line = bytes[..end].strip_suffix(b"\r").ok_or_else(unknown)?;
    let word = line.iter().position(is_blank).unwrap_or(line.len());
    let rest = trimmed(line, word);
    let is = |name: &[u8]| line[..word].eq_ignore_ascii_case(name);
    let head = match line.first().map_or(0, u8::to_ascii_uppercase) {
        b'M' if is(b"MSG") => message(line, rest, end + 1, false).ok_or_else(unknown)?,
        b'H' if is(b"HMSG") => message(line, rest, end + 1, true).ok_or_else(unknown)?,
        b'P' if is(b"PING") && rest.is_empty() => Head::Ping,
        b'P' if is(b"PONG") && rest.is_empty() => Head::Pong,
        b'+' if is(b"+OK") => Head::Ok,
        b'-' if is(b"-ERR") => Head::Err(rest),
        b'I' if is(b"INFO") => Head::Info(rest),
        _ => return Err(unknown()),
    };
    match &head {
        Head::Message(message) if message.payload.end - (end + 1) > limit => {
            Err(above_limit("a message", limit))
        }
        _ => Ok(Some((head, end + 1))),
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "a predicate of iterators"
)]
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The place of the text after the first word, without the blanks around it.
fn trimmed(line: &[u8], from: usize) -> Range<usize> {
    let start = from + leading_blanks(&line[from..]);
    let trailing = line[start..].iter().rev().take_while(|byte| is_blank(byte));
    start..line.len() - trailing.count()
}

fn leading_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_blank(byte)).count()
}

/// Parses `subject sid [reply] [headers-size] size`. `body` is the place after the line.
fn message(line: &[u8], arguments: Range<usize>, body: usize, has_headers: bool) -> Option<Head> {
    let mut words = [const { 0..0 }; 5];
    let mut count = 0;
    let mut at = arguments.start;
    while at < arguments.end {
        let length = line[at..arguments.end].iter().position(is_blank);
        let end = length.map_or(arguments.end, |length| at + length);
        *words.get_mut(count)? = at..end;
        count += 1;
        at = end + leading_blanks(&line[end..arguments.end]);
    }
    let sizes = 1 + usize::from(has_headers);
    let [subject, sid, reply, ..] = &words;
    let reply = match count - sizes.min(count) {
        2 => None,
        3 => Some(reply.clone()),
        _ => return None,
    };
    let number = |word: &Range<usize>| decimal::parse(&line[word.clone()]);
    let size = |word| number(word).and_then(|size| usize::try_from(size).ok());
    let total = size(&words[count - 1])?;
    let headers = if has_headers {
        size(&words[count - 2])?
    } else {
        0
    };
    let end = body.checked_add(total)?;
    (headers <= total).then(|| {
        Some(Head::Message(MessageHead {
            subject: subject.clone(),
            sid: number(sid)?,
            reply,
            headers: body..body + headers,
            payload: body + headers..end,
        }))
    })?
}
