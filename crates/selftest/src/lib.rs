//! Checks headcount's measurements on this machine: the engine of every other run measures a server whose behaviour is
//! exactly known, and the known values are compared with the measured ones.
//!
//! Each part starts the truth server as a process of its own and runs one scenario. Times are compared with values
//! computed from the order and the planned arrivals, counts with those of the server. Nothing is printed or saved here.
//! If the machine was disturbed, times are not judged, and the disturbance is reported.

mod compare;
mod evidence;
mod grid;
mod outcome;
mod parts;
mod run;
mod simulate;
mod tell;

pub use compare::{Row, Unit, Verdict};
pub use evidence::SelftestError;
pub use grid::{GridOutcome, GridSettings, grid};
pub use outcome::{Outcome, PartOutcome};
pub use run::{Settings, selftest};
