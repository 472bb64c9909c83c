//! The sessions of a worker: one for each stream, and one for each posted recording while it is recognised.

mod inbox;
mod seat;
mod session;
mod sweep;
mod table;
mod view;

pub(crate) use inbox::{End, Inbox, Received};
pub(crate) use seat::Seat;
pub(crate) use session::{Session, State};
pub(crate) use sweep::sweep;
pub(crate) use table::{Full, Sessions};
pub(crate) use view::{Past, PreviousMetrics};
