//! JetStream: streams of stored messages on top of ordinary messages.
//!
//! - A message that is published with a reply subject to a subject of a stream is stored. The server confirms that with
//!   JSON on the reply subject ([`PublishAck`]).
//! - A consumer is asked for messages with a request to its subject ([`Api::next`], [`Pull`]). The messages arrive on
//!   the reply subject, between messages without payload that have only a status ([`PullStatus`]).
//! - Each message of a consumer has a reply subject with its place in the stream ([`Delivery`]). The client
//!   acknowledges the message by publishing an [`Acknowledgement`] to it.
//!
//! Sources: the JetStream wire API of docs.nats.io; ADR-13 (pulls), ADR-15 (subjects of acknowledgements).

mod acknowledgement;
mod api;
mod delivery;
mod publish_ack;
mod pull;

pub use acknowledgement::Acknowledgement;
pub use api::Api;
pub use delivery::Delivery;
pub use publish_ack::{PublishAck, reply_of};
pub use pull::{Pull, PullStatus};

/// Header: an id by which the server recognises a message that was stored already.
pub const MESSAGE_ID: &str = "Nats-Msg-Id";
/// Header: the stream that must store the message.
pub const EXPECTED_STREAM: &str = "Nats-Expected-Stream";
/// Header: the sequence number that the last message of the stream must have.
pub const EXPECTED_LAST_SEQUENCE: &str = "Nats-Expected-Last-Sequence";
