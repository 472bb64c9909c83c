//! The client side of WebSocket (RFC 6455). Frames are parsed in the read buffer, so an idle connection holds no
//! buffer. No extensions are offered, so that no frame needs decompression.

mod breach;
mod connection;
mod encode;
mod frame;
mod handshake;
mod mask;
mod parser;

pub use breach::Breach;
pub use connection::Connection;
pub use encode::{encode_binary, encode_close, encode_ping, encode_pong, encode_text};
pub use handshake::Handshake;
pub use parser::{Event, FrameParser, MESSAGE_LIMIT};

use crate::scheme::Scheme;

pub(crate) const SCHEMES: &[Scheme] =
    &[Scheme::new("ws", 80, false), Scheme::new("wss", 443, true)];
