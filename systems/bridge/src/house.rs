//! The state of the bridge and its rules: sessions, room members, and the recipients of each message.
//!
//! This module does no I/O and reads no clock; callers pass the current time. A single lock protects it, so that all
//! listeners in a room receive messages in the same order.

mod conversation;
mod floor;
mod limits;
mod persona;
mod room;
mod session;
mod speech;
mod view;

pub(crate) use conversation::Conversation;
pub(crate) use floor::{House, Left, NEW_SESSION, Ticket};
pub(crate) use limits::Limits;
pub(crate) use speech::{Moment, Speaker, Spoken};
