use std::str;

use memchr::memchr;
use model::Fault;

use super::error::ErrorReply;
use super::value::{Count, Value};
use crate::decimal;
use crate::fault::{above_limit, printable, protocol, too_large};
use crate::frames::Missing;

/// Maximum length of a line, in bytes. Simple strings and errors are the longest.
const LINE_LIMIT: usize = 64 * 1024;

/// Maximum number of digits of a number. The time to convert one grows with the square of its digits.
const DIGITS_LIMIT: usize = 1000;

/// Bytes of the shortest element: `_`, CR, LF.
const SHORTEST: usize = 3;

/// One part of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Token<'a> {
    /// A whole value that is no aggregate.
    Scalar(Value<'a>),
    /// The start of an aggregate.
    Aggregate(Aggregate, Count),
    /// The start of the attributes of the next value, with their number of keys and values.
    Attributes(u32),
    /// The start of a string in chunks.
    Chunked,
    /// A chunk, empty at the end of the string.
    Chunk(&'a [u8]),
    /// The end of a streamed aggregate.
    End,
}

/// The type of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Array,
    Set,
    Map,
    Push,
}

/// The result of [`read`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// The token, and the place after it.
    Token(Token<'a>, usize),
    Lacks(Missing),
}

/// Reads the token at `at`. A reply that would be larger than `limit` bytes is a fault as soon as a length or a count
/// announces it.
#[inline]
pub(super) fn read(bytes: &[u8], at: usize, limit: usize) -> Result<Step<'_>, Fault> {
    let rest = &bytes[at..];
    let end = memchr(b'\n', rest);
    if end.unwrap_or(rest.len()) > LINE_LIMIT {
        return Err(too_large("a line of the Redis server", LINE_LIMIT));
    }
    let Some(end) = end else {
        return Ok(Step::Lacks(Missing::Line));
    };
    let unknown = || {
        let shown = printable(&rest[..end]);
        protocol(format!("`{shown}` is not part of a Redis reply"))
    };
    let line = rest[..end].strip_suffix(b"\r").ok_or_else(unknown)?;
    let (&letter, text) = line.split_first().ok_or_else(unknown)?;
    let next = at + end + 1;
    if next > limit {
        return Err(above_limit("a reply", limit));
    }
    if let b'$' | b'!' | b'=' | b';' = letter
        && let Some(size) = decimal::parse(text)
    {
        return blob(letter, size, bytes, next, limit);
    }
    let token = match letter {
        b'*' | b'~' | b'%' | b'>' | b'|' => {
            let token = aggregate(letter, text).ok_or_else(unknown)?;
            let (Token::Attributes(count) | Token::Aggregate(_, Count::Known(count))) = token
            else {
                return Ok(Step::Token(token, next));
            };
            if count == u32::MAX || count as usize > (limit - next) / SHORTEST {
                return Err(above_limit("a reply", limit));
            }
            token
        }
        _ => simple(letter, text).ok_or_else(unknown)?,
    };
    Ok(Step::Token(token, next))
}

/// Reads a value that is one line, or the first line of a streamed string.
fn simple(letter: u8, text: &[u8]) -> Option<Token<'_>> {
    Some(Token::Scalar(match (letter, text) {
        (b'+' | b'-', text) if memchr(b'\r', text).is_some() => return None,
        (b'+', text) => Value::Simple(text),
        (b'-', text) => Value::Error(ErrorReply::new(text)),
        (b':', text) => Value::Integer(ascii(text)?.parse().ok()?),
        (b',', text) => Value::Double(double(text)?),
        (b'(', text) => Value::BigNumber(big_number(text)?),
        (b'#', b"t") => Value::Boolean(true),
        (b'#', b"f") => Value::Boolean(false),
        (b'_', b"") | (b'$', b"-1") => Value::Null,
        (b'$', b"?") => return Some(Token::Chunked),
        (b'.', b"") => return Some(Token::End),
        _ => return None,
    }))
}

fn aggregate(letter: u8, text: &[u8]) -> Option<Token<'static>> {
    if let (b'*', b"-1") = (letter, text) {
        return Some(Token::Scalar(Value::Null));
    }
    let count = match text {
        b"?" => Count::Streamed,
        // `read` refuses the largest count.
        digits => Count::Known(u32::try_from(decimal::parse(digits)?).unwrap_or(u32::MAX)),
    };
    let pairs = match count {
        Count::Known(count) => Count::Known(count.saturating_mul(2)),
        Count::Streamed => Count::Streamed,
    };
    Some(match (letter, count, pairs) {
        (b'*', count, _) => Token::Aggregate(Aggregate::Array, count),
        (b'~', count, _) => Token::Aggregate(Aggregate::Set, count),
        (b'%', _, pairs) => Token::Aggregate(Aggregate::Map, pairs),
        (b'>', Count::Known(1..), _) => Token::Aggregate(Aggregate::Push, count),
        (b'|', _, Count::Known(count)) => Token::Attributes(count),
        _ => return None,
    })
}

/// Reads the bytes after a line with their size.
#[inline]
fn blob(letter: u8, size: u64, bytes: &[u8], at: usize, limit: usize) -> Result<Step<'_>, Fault> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if letter == b';' && size == 0 {
        return Ok(Step::Token(Token::Chunk(&[]), at));
    }
    let end = at.saturating_add(size);
    if end > limit.saturating_sub(2) {
        return Err(above_limit("a reply", limit));
    }
    let Some(&line_end) = bytes.get(end..).and_then(|rest| rest.first_chunk()) else {
        return Ok(Step::Lacks(Missing::Bytes(end + 2 - bytes.len())));
    };
    if line_end != *b"\r\n" {
        return Err(protocol("a Redis string is longer than its size announces"));
    }
    let content = &bytes[at..end];
    let token = match letter {
        b'$' => Token::Scalar(Value::Blob(content)),
        b'!' => Token::Scalar(Value::Error(ErrorReply::new(content))),
        b';' => Token::Chunk(content),
        _ => match content {
            [a, b, c, b':', text @ ..] => Token::Scalar(Value::Verbatim {
                format: [*a, *b, *c],
                text,
            }),
            _ => return Err(verbatim(content)),
        },
    };
    Ok(Step::Token(token, end + 2))
}

fn verbatim(content: &[u8]) -> Fault {
    let shown = printable(content);
    protocol(format!(
        "the verbatim string `{shown}` does not begin with a format of three characters and `:`"
    ))
}

fn ascii(text: &[u8]) -> Option<&str> {
    str::from_utf8(text).ok()
}

/// Rust also parses forms that the protocol does not have, such as `infinity`.
fn double(text: &[u8]) -> Option<f64> {
    match text {
        b"inf" => Some(f64::INFINITY),
        b"-inf" => Some(f64::NEG_INFINITY),
        b"nan" | b"-nan" => Some(f64::NAN),
        number => {
            let is_plain =
                |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
            number.iter().all(is_plain).then_some(())?;
            ascii(number)?.parse().ok()
        }
    }
}

fn big_number(text: &[u8]) -> Option<&str> {
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    let is_number =
        (1..=DIGITS_LIMIT).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| ascii(text)).flatten()
}
