//! Rooms: their members, and the distribution of messages. This module does no I/O. One lock per room protects its
//! state, so that all members see events in the same order.

mod member;
mod place;
mod presence;
mod registry;
mod state;

pub(crate) use member::{Listener, Member};
pub(crate) use place::{Room, Shut};
pub(crate) use presence::{MOST_BYTES as PRESENCE_BYTES, Speaker};
pub(crate) use registry::{Limits, RoomRegistry};
pub(crate) use state::State;
