//! `WebSockets` over Tokio's TCP stream. A message to many recipients is framed once. One task writes all queued
//! frames, so that sending need not wake a task per recipient. All connections of a thread read into one buffer. This
//! module does not interpret messages.

mod frame;
mod input;
mod outbox;
mod run;
mod upgrade;
mod waiting;

pub(crate) use frame::Frame;
pub(crate) use outbox::{End, Outbox, STOPPING, TOO_SLOW};
pub(crate) use run::{Hear, Heard, Lines};
pub(crate) use upgrade::{Terms, is_upgrade, upgrade};
pub(crate) use waiting::{Bound, Waiting};
