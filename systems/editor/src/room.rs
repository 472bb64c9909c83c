//! Rooms: who is in them, what is heard by whom, and the text that everybody shares. It does no I/O of
//! its own; one lock per room holds its state, so that all its members see one order.

mod difference;
mod document;
mod member;
mod place;
mod presence;
mod registry;
mod state;

pub(crate) use difference::merge;
pub(crate) use document::{Document, UpdateError};
pub(crate) use member::{Listener, Member};
pub(crate) use place::{Room, Shut};
pub(crate) use presence::{MOST_BYTES as PRESENCE_BYTES, Speaker};
pub(crate) use registry::{Limits, RoomRegistry};
pub(crate) use state::State;
