//! What the nodes of one editor tell each other, room by room: over NATS, or not at all when there is
//! only one. Nothing here is needed for an acknowledgement: a node saves what its own clients wrote.

mod nats;
mod news;
mod parts;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

pub use nats::BusError;
pub(crate) use nats::{Line as NatsLine, Nats};
pub(crate) use news::{News, Visitor};

/// The way to the other nodes.
pub(crate) trait Bus: fmt::Debug + Send + Sync {
    /// Whether there may be other nodes.
    fn is_shared(&self) -> bool;
    /// Tells the others something about a room.
    fn tell(&self, room: &str, news: &News<'_>);
    /// From now on what the others say of a room is heard.
    fn enter(&self, room: &Arc<str>);
    /// And from now on it is not.
    fn leave(&self, room: &str);
    /// Something that was said of a room, here or elsewhere, may be lost: soon all ask each other.
    fn doubt(&self, room: &Arc<str>);
}

/// A node by itself: nobody else is to be told anything.
#[derive(Debug)]
pub(crate) struct Alone;

impl Bus for Alone {
    fn is_shared(&self) -> bool {
        false
    }

    fn tell(&self, _: &str, _: &News<'_>) {}

    fn enter(&self, _: &Arc<str>) {}

    fn leave(&self, _: &str) {}

    fn doubt(&self, _: &Arc<str>) {}
}

/// Who hears what the others say.
pub(crate) trait Receive: Send + Sync + 'static {
    /// From now on what others say of a room is heard here.
    fn heard(self: &Arc<Self>, room: &Arc<str>);
    /// Something was said of a room by the node with this number.
    fn receive(self: &Arc<Self>, room: &Arc<str>, node: u64, news: News<'_>);
    /// A node was not heard of for so long that it is gone.
    fn node_gone(self: &Arc<Self>, node: u64);
    /// Something may have been missed, of any room: each is to be doubted.
    fn missed(self: &Arc<Self>);
    /// A room is in doubt: ask what it lacks, and see to it that the others ask.
    fn doubtful(self: &Arc<Self>, room: &Arc<str>);
}

/// What goes over the wire.
pub(crate) type Letter = Bytes;
