//! Repeats the load tests of the field reports on the rebuilt systems, with correct measurements.
//!
//! A study starts its system as a separate process and runs its parts one after the other, with the engine that all
//! runs use. It compares our figures with the published ones and lists the evidence for mistakes in the field reports.
//! It prints and saves nothing: the caller receives the record of each part.

mod bridge;
mod causes;
mod ceiling;
mod editor;
mod field_reports;
mod figures;
mod marketplace;
mod parts;
mod registry;
mod table;
mod templates;
mod transcription;

pub use bridge::bridge;
pub use editor::editor;
pub use field_reports::field_report;
pub use marketplace::marketplace;
pub use parts::{PartRun, StudyOutcome};
pub use registry::{RegistryBackend, RegistrySettings, Sustained, registry};
pub use transcription::transcription;
