//! Starts a built-in system as a separate process, and runs one of our scenarios on it. Such a run is a part of a study or
//! of the self-test.
//!
//! This crate is independent of the systems: it runs a given program as `EXE serve NAME`. It does not judge, print or
//! save: the caller gets the record and the notices.

mod part;
mod system;

pub use part::{Harness, HarnessError, Notice, Part, PreparedPart};
pub use system::{LaunchError, System};
