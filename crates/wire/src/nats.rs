//! The client side of NATS, without I/O. Messages are parsed in the read buffer, so an idle connection holds no buffer.
//!
//! Both sides send lines that end with CR LF. The words of a line are separated by spaces or tabs, and the case of the
//! first word does not matter:
//!
//! | from | line | meaning |
//! |---|---|---|
//! | server | `INFO {…}` | the server's properties, first of all and after a change |
//! | client | `CONNECT {…}` | the client's properties and credentials |
//! | client | `PUB subject [reply] size`, then the payload | publishes a message |
//! | client | `HPUB subject [reply] headers-size size`, then headers and payload | publishes a message with headers |
//! | client | `SUB subject [queue] sid` | subscribes; the members of a queue group share the messages |
//! | client | `UNSUB sid [count]` | unsubscribes, now or after `count` messages |
//! | server | `MSG subject sid [reply] size`, then the payload | delivers a message |
//! | server | `HMSG subject sid [reply] headers-size size`, then headers and payload | delivers a message with headers |
//! | both | `PING`, `PONG` | keeps the connection alive, and confirms that all earlier lines were processed |
//! | server | `+OK`, `-ERR 'text'` | a confirmation in verbose mode; an error, after most of which the server closes |
//!
//! [`Session`] is the handshake and everything after it. It does not send bytes itself, but appends them to the
//! caller's buffer. A [`Connection`] is a session on a stream. [`jetstream`] are the subjects and replies of JetStream,
//! which are ordinary messages. This module never reconnects, and it does not know which subscription a `sid` belongs to.
//!
//! Sources: the client protocol of docs.nats.io; the architecture decisions ADR-4 (headers), ADR-14 (JWT) and ADR-15
//! (subjects of acknowledgements); `nats-io/nkeys`.

mod connect;
mod connection;
mod credentials;
mod encode;
mod error;
mod frame;
mod headers;
mod info;
pub mod jetstream;
mod line;
mod nkey;
mod parser;
mod session;
mod subject;

pub use connect::Login;
pub use connection::Connection;
pub use credentials::Credentials;
pub use encode::{encode_ping, encode_publish, encode_subscribe, encode_unsubscribe};
pub use error::ServerError;
pub use frame::{Frame, Message};
pub use headers::{Headers, Status};
pub use info::Info;
pub use nkey::Key;
pub use parser::Parser;
pub use session::{Session, Signal};
pub use subject::{matches, published, subscribed};

use crate::scheme::Scheme;

const PORT: u16 = 4222;

/// A server begins in plain text. TLS begins after its first line.
pub(crate) const SCHEMES: &[Scheme] = &[
    Scheme::new("nats", PORT, false),
    Scheme::new("tls", PORT, false),
];
