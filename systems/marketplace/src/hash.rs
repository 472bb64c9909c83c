//! Passwords. Hashing is meant to be slow, so it has threads of its own, as many as cores, that step
//! back behind the one that answers; what more comes than can be done in a bearable time is refused
//! at once. Nothing here knows of users.

mod pool;
mod scheme;

use std::time::Duration;

use clap::{Args, ValueEnum};
use kit::span;

pub(crate) use pool::Hashing;

/// How passwords are hashed, and how many at a time.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Passwords")]
pub struct HashConfig {
    /// The hash of new passwords; those of the other kind are accepted
    #[arg(
        long,
        value_name = "KIND",
        env = "MARKETPLACE_HASH",
        default_value = "argon2id"
    )]
    pub hash: HashKind,
    /// Rounds of bcrypt, as a power of two
    #[arg(long, value_name = "N", env = "MARKETPLACE_BCRYPT_COST", default_value_t = 12,
          value_parser = clap::value_parser!(u32).range(4..=16))]
    pub bcrypt_cost: u32,
    /// Memory of argon2id
    #[arg(long, value_name = "KIB", env = "MARKETPLACE_ARGON_MEMORY", default_value_t = 19_456,
          value_parser = clap::value_parser!(u32).range(8..=1 << 20))]
    pub argon_memory: u32,
    /// Passes of argon2id over its memory
    #[arg(long, value_name = "N", env = "MARKETPLACE_ARGON_PASSES", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub argon_passes: u32,
    /// Threads that hash; 0 is one per core
    #[arg(long, value_name = "N", env = "MARKETPLACE_HASH_THREADS", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(..=256))]
    pub hash_threads: u16,
    /// Passwords that may wait; 0 is as many as are hashed within the time of `--hash-wait`
    #[arg(long, value_name = "N", env = "MARKETPLACE_HASH_QUEUE", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub hash_queue: u32,
    /// The longest that a password should wait; a quarter more, and its request is refused with 503
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_HASH_WAIT", default_value = "8s",
          value_parser = span::parse)]
    pub hash_wait: Duration,
}

/// The hash of new passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashKind {
    /// Argon2id, which needs memory too.
    Argon2id,
    /// Bcrypt, as in the field report.
    Bcrypt,
}
