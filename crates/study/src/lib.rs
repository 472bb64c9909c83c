//! Repeats the load tests of the field reports on the rebuilt systems, with correct measurements.
//!
//! A study starts its system as a process of its own and runs its parts one after the other, with the engine of every
//! other run. It compares our figures with the published ones and lists the evidence for their mistakes. It prints and
//! saves nothing: the caller receives the record of each part.

mod bridge;
mod editor;
mod figures;
mod marketplace;
mod parts;
mod table;
mod templates;

pub use bridge::bridge;
pub use editor::editor;
pub use marketplace::marketplace;
pub use parts::{PartRun, StudyOutcome};
