//! The client side of Socket.IO 5 over Engine.IO 4, without I/O. Packets are parsed in place, and the name and the
//! arguments of an event are slices of the frame. The JSON of an event is not parsed here.
//!
//! Sources: the protocol specifications `socketio/engine.io-protocol` (v4) and `socketio/socket.io-protocol` (v5).

mod attachments;
mod engine;
mod event;
mod packet;
mod payload;
mod session;

pub use attachments::Attachments;
pub use engine::{EnginePacket, Open};
pub use event::Event;
pub use packet::{ATTACHMENTS_LIMIT, Kind, Packet, header};
pub use payload::{Part, encode_part, parts};
pub use session::{Session, Signal};
