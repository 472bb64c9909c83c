//! Injected faults: misbehaviour that a load tester must be able to find, caused on purpose and counted exactly.
//!
//! A **delivery** is one message to one receiver. All deliveries of the process are numbered from 1, in the order in
//! which they are queued for sending. A fault applies to every nth delivery: it is dropped, duplicated, swapped or
//! strayed. A delivery has at most one fault. If several faults apply to the same number, the first of drop, duplicate,
//! swap and stray wins.
//!
//! | counter | incremented when |
//! | --- | --- |
//! | dropped | a delivery was left out |
//! | duplicated | both copies were handed to the receiver's socket |
//! | reordered | a delivery was held back, and the sender's next delivery to this receiver was sent first |
//! | strayed | the message was also handed to a listener in a wrong room |
//! | delayed, stalled | a delivery, an event or an HTTP response waited for the delay or the stall |
//!
//! A delivery held for a swap is sent, but not counted as reordered, if no successor arrives within [`HOLD_LIMIT`] or
//! if the connection stops. No fault applies to the successor. A delivery to a disconnected receiver is not numbered.
//! [`FaultSpec::turn`] and [`Lane`] decide without I/O or a clock. [`Faults`] adds counters, delays and `GET /faults`.

mod lane;
mod order;
mod spec;
mod tally;
mod turn;

pub use lane::{HOLD_LIMIT, Lane, Step};
pub use order::Faults;
pub(crate) use order::routes;
pub use spec::{FaultSpec, SpecError, Stall};
pub use tally::{Kind, Tally};
pub use turn::Turn;
