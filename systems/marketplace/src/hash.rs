//! Password hashing. Hashing is slow by design, so it has its own threads, one per core. Their priority is lower than
//! that of the thread that responds. If a password cannot be hashed within an acceptable time, its request is refused
//! at once. This module does not access user data.

mod config;
mod pool;
mod scheme;

pub use config::{HashConfig, HashKind};
pub(crate) use pool::Hashing;
