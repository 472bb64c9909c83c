//! Socket.IO 5 over Engine.IO 4, the client's side, without I/O: packets are recognised where they lie, and an event's
//! name and arguments are slices of the frame. Nothing parses the JSON of an event here.
//!
//! Sources: the protocols' own texts, `socketio/engine.io-protocol` (v4) and `socketio/socket.io-protocol` (v5).

mod attachments;
mod engine;
mod event;
mod packet;
mod payload;
mod session;

pub use attachments::{ATTACHMENTS_LIMIT, Attachments};
pub use engine::{EnginePacket, Open};
pub use event::Event;
pub use packet::{Kind, Packet, header};
pub use payload::{Part, encode_part, parts};
pub use session::{Session, Signal};
