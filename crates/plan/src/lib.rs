//! The plan of a run, made before it starts: the options, the thresholds, and when and where each group starts.
//!
//! Everything here is a function of its arguments. This crate never reads a clock, file, socket or environment
//! variable, and does not use the results of a run.

pub mod arrivals;
pub mod duration;
pub mod mix;
pub mod options;
pub mod overrides;
pub mod problem;
pub mod rate_profile;
pub mod schedule;
pub mod size;
mod source;
pub mod split;
mod suggest;
pub mod threshold;
pub mod ticker;

pub use arrivals::{Arrivals, Spacing, Starts};
pub use mix::Mix;
pub use options::{
    ClientCertificateFiles, Grouping, Leftovers, LevelLoad, Load, Once, OpenLoad, Options,
    ScriptLimits, Timeouts, Watch,
};
pub use overrides::{Overrides, with_overrides};
pub use problem::{Problem, Problems};
pub use rate_profile::RateProfile;
pub use schedule::{Phases, start_of};
pub use source::{SOURCES_LIMIT, source_addresses};
pub use split::{groups_of, worker_of};
pub use suggest::nearest_name;
pub use threshold::{Aggregate, Figure, Limit, Op, Subject, SubjectKind, Threshold, Unit};
pub use ticker::Ticker;
