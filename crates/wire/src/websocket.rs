//! WebSocket (RFC 6455), the client's side: frames are parsed where the socket's bytes lie, and an idle
//! connection holds no buffer. No extensions are offered, so that a frame costs no decompression.

mod connection;
mod encode;
mod frame;
mod handshake;
mod mask;
mod parser;

pub use connection::Connection;
pub use encode::{encode_binary, encode_close, encode_ping, encode_pong, encode_text};
pub use handshake::Handshake;
pub use parser::{Breach, Event, FrameParser, MESSAGE_LIMIT};
