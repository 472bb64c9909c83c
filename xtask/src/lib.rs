//! Checks rules of this repository that the compiler does not check.
//!
//! [`tidy()`] walks the tree and reports each breach of the rules of `ARCHITECTURE.md` and `CONTRIBUTING.md`, with
//! file, line and remedy. It runs as a test (`cargo test -p xtask`) and as a command (`cargo run -p xtask -- tidy`).
//!
//! The only file that this crate ever changes is `xtask/ratchet.txt`, which `tidy --bless` rewrites.

pub mod tidy;

pub use tidy::complaint::Complaint;
pub use tidy::error::OpenError;
pub use tidy::repository::Repository;
pub use tidy::{bless, tidy};
