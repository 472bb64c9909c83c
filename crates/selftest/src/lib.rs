//! Checks headcount's measurements on this machine. The same engine as in every run measures a server whose behaviour
//! is known exactly. The measured values are compared with the known values.
//!
//! Each part starts the truth server as a separate process and runs one scenario. Expected times are computed from the
//! configuration and the planned arrivals. Expected counts come from the server. The crate prints and saves nothing. If
//! the machine was disturbed, times are not judged, and the disturbance is reported.

mod compare;
mod evidence;
mod findings;
mod grid;
mod outcome;
mod parts;
mod run;
mod simulate;
mod tell;

pub use compare::{Row, Unit, Verdict};
pub use evidence::SelftestError;
pub use findings::{FindingsOutcome, FindingsSettings, findings};
pub use grid::{GridOutcome, GridSettings, grid};
pub use outcome::{Outcome, PartOutcome};
pub use run::{Settings, selftest};
