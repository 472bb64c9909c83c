//! The field reports' tests, run again on the rebuilt systems and told right.
//!
//! A study starts its system as a process of its own, runs its parts one after the other with the same
//! engine as every other run, and puts our figures beside the published ones, with the evidence for
//! what those got wrong. It prints and saves nothing: the caller gets each part's record as it is done.

mod bridge;
mod editor;
mod marketplace;
mod parts;
mod story;
mod table;
mod telling;

pub use bridge::bridge;
pub use editor::editor;
pub use marketplace::marketplace;
pub use parts::{PartRun, StudyOutcome};
