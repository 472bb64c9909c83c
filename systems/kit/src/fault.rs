//! Faults on order: what a load tester must be able to find, done on purpose and counted exactly.
//!
//! A **delivery** is one message on its way to one receiver; all deliveries of the process are
//! numbered from 1 in the order in which they are put on their way to a socket. Every nth of them is
//! dropped, duplicated, swapped or strayed. One delivery suffers one fault at most; where several
//! fall on the same number, the first of this list wins: drop, duplicate, swap, stray.
//!
//! | counter | counts one when |
//! | --- | --- |
//! | dropped | a delivery was left out |
//! | duplicated | both copies were handed to the receiver's socket |
//! | reordered | a delivery was held back and its sender's next one to this receiver went out before it |
//! | strayed | a listener in a wrong room was handed the message too |
//! | delayed, stalled | something (a delivery, an event or an HTTP answer) waited for that reason |
//!
//! A delivery held for a swap goes out uncounted when no successor comes within [`HOLD_LIMIT`] or the
//! connection stops; its successor is neither dropped, duplicated, held nor strayed. A delivery to a
//! receiver that is gone is none. The decision ([`FaultSpec::turn`], [`Lane`]) does no I/O and reads
//! no clock; [`Faults`] adds the counters, the waiting and `GET /faults`.

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
