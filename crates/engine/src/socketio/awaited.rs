use crate::net::socket::socketio::Polling;
use crate::socket::{Awaited, Awaits};

/// What the script awaits on a session.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// The acknowledgement with this number.
    Ack(u64),
    /// The next event of this name.
    Event(String),
}

impl Awaited for Wanted {}

impl Awaits for Box<Polling> {
    type Awaited = Wanted;
}
