//! Communication between the nodes of one editor, separately for each room. It uses NATS, which a single node does not
//! need. Acknowledgements do not depend on the bus, because each node saves the edits of its own clients.

mod letter;
mod nats;
mod news;
mod parts;

use std::fmt;
use std::sync::Arc;

pub use nats::BusError;
pub(crate) use nats::{Line as NatsLine, Nats};
pub(crate) use news::{News, Visitor};

/// The connection to the other nodes.
pub(crate) trait Bus: fmt::Debug + Send + Sync {
    /// Whether there may be other nodes.
    fn is_shared(&self) -> bool;
    /// Sends news about a room to the other nodes.
    fn tell(&self, room: &str, news: &News<'_>);
    /// Subscribes to the news about a room.
    fn enter(&self, room: &Arc<str>);
    /// Ends the subscription to the news about a room.
    fn leave(&self, room: &str);
    /// Marks a room for resynchronization, because news about it may have been lost, on this or another node. All nodes
    /// then exchange their state.
    fn doubt(&self, room: &Arc<str>);
}

/// A single node without a bus.
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

/// Receives the news of the other nodes.
pub(crate) trait Receive: Send + Sync + 'static {
    /// The subscription to a room is active.
    fn heard(self: &Arc<Self>, room: &Arc<str>);
    /// The node with this number sent news about a room.
    fn receive(self: &Arc<Self>, room: &Arc<str>, node: u64, news: News<'_>);
    /// A node has been silent for too long and is considered gone.
    fn node_gone(self: &Arc<Self>, node: u64);
    /// News about any room may have been missed, so all rooms must be resynchronized.
    fn missed(self: &Arc<Self>);
    /// Resynchronizes a room. Requests the missing data, and makes the other nodes do the same.
    fn doubtful(self: &Arc<Self>, room: &Arc<str>);
}
