//! The WebSocket interface. Each connection has one task, which does all reading and writing on its socket.
//!
//! A chunk of audio passes through these parts: `message` reads it, `listening` divides it into utterances and starts
//! its recognition, `pipeline` waits for the results in order, and `outbox` queues the replies for a client that reads
//! slowly.

mod binary;
mod connection;
mod dialogue;
mod farewell;
mod faulty;
mod listening;
mod message;
mod open;
mod outbox;
mod pipeline;
mod recovery;
mod refusal;
mod reply;

pub(crate) use open::open;
