//! The sessions of a worker: one for each stream, and one for each posted recording while it is recognised.

mod beat;
mod inbox;
mod session;
mod shared;
mod sweep;
mod table;
mod view;

pub(crate) use beat::Beat;
pub(crate) use inbox::{End, Received};
pub(crate) use session::{Session, State};
pub(crate) use shared::Shared;
pub use shared::SharedConfig;
pub(crate) use sweep::sweep;
pub(crate) use table::{Full, Seat, Sessions};
pub(crate) use view::{Past, PreviousMetrics};
