//! Injected faults: misbehaviour that a load tester must be able to find, caused on purpose and counted exactly.
//!
//! A **delivery** is one message to one receiver. All deliveries of the process are numbered from 1, in the order in
//! which they are handed over for sending. Every nth of them is dropped, duplicated, swapped or strayed. A delivery
//! has at most one fault. If several apply to the same number, the first of this list wins: drop, duplicate, swap,
//! stray.
//!
//! | counter | incremented when |
//! | --- | --- |
//! | dropped | a delivery was left out |
//! | duplicated | both copies were handed to the receiver's socket |
//! | reordered | a delivery was held back and its sender's next one to this receiver was sent before it |
//! | strayed | the message was also handed to a listener in a wrong room |
//! | delayed, stalled | something (a delivery, an event or an HTTP response) waited for that reason |
//!
//! A delivery held for a swap is sent uncounted if no successor arrives within [`HOLD_LIMIT`], or if the connection
//! stops. Its successor is neither dropped, duplicated, held nor strayed. A delivery to a disconnected receiver is not
//! numbered. The decision ([`FaultSpec::turn`], [`Lane`]) does no I/O and reads no clock. [`Faults`] adds the counters,
//! the waiting and `GET /faults`.

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
