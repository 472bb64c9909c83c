//! Proves the measurements on this machine: the same engine as every other run, against a server whose
//! behaviour is exactly known, and the known truth beside what was measured.
//!
//! Each part starts the truth server as a process of its own, runs one scenario, and compares: times
//! with what follows from the order and the plan of arrivals, counts with what the server says that it
//! did. It prints and saves nothing, and never judges times on a machine that was disturbed: it says so.

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
