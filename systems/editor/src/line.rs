//! A WebSocket over the system's own TCP stream. What is sent to many is framed once and written
//! from where it arose, without waking a task per receiver; what is read goes through one buffer per
//! thread. It knows nothing of what the messages mean.

mod flush;
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
