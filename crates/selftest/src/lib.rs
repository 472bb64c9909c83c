//! Checks headcount's measurements on this machine. The engine that all runs use measures a server with exactly known
//! behaviour, and the measured values are compared with the known ones.
//!
//! Each part starts the truth server as a separate process and runs one scenario. Expected times are computed from the
//! configuration and the planned arrivals; expected counts come from the server. Nothing is printed or saved here. If
//! the machine was disturbed, times are not judged, and the disturbance is reported.

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
