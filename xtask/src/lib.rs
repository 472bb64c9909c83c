//! Checks what the compiler does not check about this repository.
//!
//! [`tidy()`] walks the tree and says, with file, line and what to do, where it breaks the rules of
//! `ARCHITECTURE.md` and `CONTRIBUTING.md`. It is a test like any other (`cargo test -p xtask`) and
//! a command (`cargo run -p xtask -- tidy`).
//!
//! This crate never changes a file but the ratchet, and only when it is asked to.

pub mod tidy;

pub use tidy::complaint::Complaint;
pub use tidy::repository::{OpenError, Repository};
pub use tidy::{bless, tidy};
