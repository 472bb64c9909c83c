use model::Fault;

use super::headers::VERSION;
use super::subject::{self, refused};
use crate::decimal;

const LINE_END: &[u8] = b"\r\n";

/// Appends a message, with headers if there are any. Names and values that would break the framing are a fault of the
/// script, and nothing is appended.
pub fn encode_publish(
    out: &mut Vec<u8>,
    subject: &str,
    reply: Option<&str>,
    headers: &[(&str, &str)],
    payload: &[u8],
) -> Result<(), Fault> {
    subject::published(subject)?;
    reply.map(subject::published).transpose()?;
    headers.iter().try_for_each(check_header)?;
    let header_size = header_size(headers);
    out.reserve(subject.len() + reply.map_or(0, str::len) + header_size + payload.len() + 64);
    let operation: &[u8] = if headers.is_empty() {
        b"PUB "
    } else {
        b"HPUB "
    };
    out.extend_from_slice(operation);
    push_words(out, subject, reply);
    if !headers.is_empty() {
        decimal::push(out, header_size as u64);
        out.push(b' ');
    }
    decimal::push(out, (header_size + payload.len()) as u64);
    out.extend_from_slice(LINE_END);
    push_headers(out, headers);
    out.extend_from_slice(payload);
    out.extend_from_slice(LINE_END);
    Ok(())
}

/// Appends a subscription. `sid` is unique within the connection. The members of a queue group share the messages.
pub fn encode_subscribe(
    out: &mut Vec<u8>,
    subject: &str,
    queue: Option<&str>,
    sid: u64,
) -> Result<(), Fault> {
    subject::subscribed(subject)?;
    queue.map(subject::queue).transpose()?;
    out.extend_from_slice(b"SUB ");
    push_words(out, subject, queue);
    decimal::push(out, sid);
    out.extend_from_slice(LINE_END);
    Ok(())
}

/// Appends the end of a subscription: now, or when it has received `count` messages since it began.
pub fn encode_unsubscribe(out: &mut Vec<u8>, sid: u64, count: Option<u64>) {
    out.extend_from_slice(b"UNSUB ");
    decimal::push(out, sid);
    if let Some(count) = count {
        out.push(b' ');
        decimal::push(out, count);
    }
    out.extend_from_slice(LINE_END);
}

/// Appends a ping. The server replies when it has processed all lines before it.
pub fn encode_ping(out: &mut Vec<u8>) {
    out.extend_from_slice(b"PING\r\n");
}

pub(super) fn encode_pong(out: &mut Vec<u8>) {
    out.extend_from_slice(b"PONG\r\n");
}

pub(super) fn encode_connect(out: &mut Vec<u8>, json: &str) {
    out.extend_from_slice(b"CONNECT ");
    out.extend_from_slice(json.as_bytes());
    out.extend_from_slice(LINE_END);
}

/// The size of a block of headers; 0 without headers.
pub(super) fn header_size(headers: &[(&str, &str)]) -> usize {
    if headers.is_empty() {
        return 0;
    }
    let line =
        |(name, value): &(&str, &str)| name.len() + ": ".len() + value.len() + LINE_END.len();
    let lines: usize = headers.iter().map(line).sum();
    VERSION.len() + LINE_END.len() + lines + LINE_END.len()
}

fn push_headers(out: &mut Vec<u8>, headers: &[(&str, &str)]) {
    if headers.is_empty() {
        return;
    }
    out.extend_from_slice(VERSION.as_bytes());
    out.extend_from_slice(LINE_END);
    for (name, value) in headers {
        for part in [name.as_bytes(), b": ", value.as_bytes(), LINE_END] {
            out.extend_from_slice(part);
        }
    }
    out.extend_from_slice(LINE_END);
}

fn push_words(out: &mut Vec<u8>, first: &str, second: Option<&str>) {
    for word in [Some(first), second].into_iter().flatten() {
        out.extend_from_slice(word.as_bytes());
        out.push(b' ');
    }
}

fn check_header((name, value): &(&str, &str)) -> Result<(), Fault> {
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b':');
    if !is_name {
        return Err(refused(format!(
            "{name:?} is not the name of a header: use printable ASCII without blanks and colons"
        )));
    }
    if value.contains(['\r', '\n']) {
        return Err(refused(format!(
            "the value of header {name} contains a line end"
        )));
    }
    Ok(())
}
