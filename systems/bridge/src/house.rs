//! The state of the bridge and its rules: who has a session, who is in which room, who hears what.
//! It does no I/O and reads no clock; the time comes in with each call. One lock holds it, so that
//! all who listen in a room hear one order.

mod conversation;
mod floor;
mod persona;
mod rate;
mod room;
mod session;
mod speech;
mod view;

pub(crate) use conversation::Conversation;
pub(crate) use floor::{House, Left, NEW_SESSION, Ticket};
pub(crate) use speech::{Moment, Speaker, Spoken};
