//! The sessions of a worker: one for each stream, and one for each posted recording while it is recognised.

mod inbox;
mod session;
mod sweep;
mod table;
mod view;

pub(crate) use inbox::{End, Received};
pub(crate) use session::State;
pub(crate) use sweep::sweep;
pub(crate) use table::{Full, Seat, Sessions};
pub(crate) use view::PreviousMetrics;
