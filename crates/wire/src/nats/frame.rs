use std::str;

use model::Fault;

use super::headers::Headers;
use super::line::{Head, MessageHead};
use crate::fault::protocol;

/// What a server sent, borrowed from the read buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// The server's properties, as JSON for [`super::Info::parse`].
    Info(&'a str),
    /// A message.
    Message(Message<'a>),
    /// A ping. A [`super::Session`] replies to it with a pong.
    Ping,
    /// The reply to a ping.
    Pong,
    /// The confirmation of a line in verbose mode.
    Ok,
    /// An error, without its quotes.
    Err(&'a str),
}

/// A message that a subscription received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// The subject to which the message was published.
    pub subject: &'a str,
    /// The id that the client gave to the subscription.
    pub sid: u64,
    /// The subject for replies.
    pub reply: Option<&'a str>,
    /// The headers; often empty.
    pub headers: Headers<'a>,
    /// The payload.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The frame of a parsed line. `bytes` is the complete frame.
    pub(super) fn of(head: Head, bytes: &'a [u8]) -> Result<Self, Fault> {
        Ok(match head {
            Head::Info(text) => Self::Info(utf8(&bytes[text], "INFO")?),
            Head::Message(head) => Self::Message(Message::of(head, bytes)?),
            Head::Ping => Self::Ping,
            Head::Pong => Self::Pong,
            Head::Ok => Self::Ok,
            Head::Err(text) => {
                let text = utf8(&bytes[text], "an error")?;
                let unquoted = text
                    .strip_prefix('\'')
                    .and_then(|text| text.strip_suffix('\''));
                Self::Err(unquoted.unwrap_or(text))
            }
        })
    }
}

impl<'a> Message<'a> {
    fn of(head: MessageHead, bytes: &'a [u8]) -> Result<Self, Fault> {
        let reply = head.reply.map(|reply| utf8(&bytes[reply], "a subject"));
        Ok(Self {
            subject: utf8(&bytes[head.subject], "a subject")?,
            sid: head.sid,
            reply: reply.transpose()?,
            headers: Headers::parse(&bytes[head.headers])?,
            payload: &bytes[head.payload],
        })
    }
}

fn utf8<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str, Fault> {
    str::from_utf8(bytes).map_err(|_| protocol(format!("{what} of the NATS server is not UTF-8")))
}
