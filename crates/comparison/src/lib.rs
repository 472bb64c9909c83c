//! Compares sets of runs. Each figure gets its difference with an interval and one judgement: different, the same within
//! a margin, or undecided with the number of runs that would decide it.
//!
//! The run is the unit. However many samples two runs have, they say nothing about how much runs differ, so one run
//! against one run is never called different. Everything is computed from records alone: this crate reads no clock,
//! file, socket or environment variable.

mod compare;
mod comparison;
mod fail_if;
mod figure;
mod method;
mod obstacle;
mod primary;

pub use compare::{Margins, Request, compare};
pub use comparison::{ComparedFigure, Comparison, Effect, Judgement};
pub use fail_if::{FailIf, FailIfError, FailIfOutcome};
pub use figure::{Figure, Missing, Scale};
pub use method::{FEWEST_DAYS, Method};
pub use obstacle::{Obstacle, ObstacleKind, obstacles};
