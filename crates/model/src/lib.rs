//! The basic types that all other crates use: time, ids, names, faults, verdicts.
//!
//! This crate reads no clock, file, socket or environment variable.

mod credentials;
mod fate;
mod fault;
mod hidden;
mod id;
mod phase;
mod slots;
mod tags;
mod time;
mod unit;
mod verdict;

pub use credentials::{without_credentials, without_what_may_be_credentials};
pub use fate::{LossReason, MisdeliveryReason};
pub use fault::{Fault, FaultKind, Side};
pub use hidden::HiddenValues;
pub use id::{GroupId, UserId};
pub use phase::LevelPhase;
pub use slots::Slots;
pub use tags::{TAG_LIMIT, TagFilter, is_tag_part, split_tags, with_further_tags, with_tags};
pub use time::{Nanos, Timing};
pub use unit::Unit;
pub use verdict::Verdict;
