//! The client side of server-sent events over HTTP/1.1 and HTTP/2. Lines are parsed in the read buffer, so an idle stream holds no
//! buffer except the last event's id.
//!
//! A stream is the body of an HTTP response with the content type `text/event-stream`. It is UTF-8, and a line ends
//! with CR LF, LF or CR. An event is a block of lines `field: value`, and an empty line ends it:
//!
//! | line | meaning |
//! |---|---|
//! | `data: text` | a line of the event's data |
//! | `event: name` | the event's name; without it the name is `message` |
//! | `id: text` | the event's id, which a client that reconnects sends as `Last-Event-ID` |
//! | `retry: ms` | the time to wait before reconnecting |
//! | `: text` | a comment, often to keep the connection alive |
//!
//! A [`Connection`] carries one response over HTTP/1.1, and a [`SharedStream`] reads one that an HTTP/2 connection
//! carries. Neither reconnects. `open` has the headers of the request, and decides whether a response is a stream.
//!
//! Source: WHATWG HTML, section 9.2 "Server-sent events".

mod connection;
mod event;
mod open;
mod parser;
mod pending;
mod reader;
mod shared;

pub use connection::Connection;
pub use event::{Event, Ignored, Message};
pub use open::{DEFAULT_RETRY_MS, request};
pub use parser::Parser;
pub use reader::Signal;
pub use shared::SharedStream;
