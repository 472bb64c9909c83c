use std::time::Duration;

use clap::{Args, ValueEnum};
use kit::span;

/// How passwords are hashed, and how many at a time.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Passwords")]
pub struct HashConfig {
    /// Hash function for new passwords; existing hashes of the other function stay valid
    #[arg(
        long,
        value_name = "KIND",
        env = "MARKETPLACE_HASH",
        default_value = "argon2id"
    )]
    pub hash: HashKind,
    /// Cost of bcrypt: 2 to the power of N rounds
    #[arg(long, value_name = "N", env = "MARKETPLACE_BCRYPT_COST", default_value_t = 12,
          value_parser = clap::value_parser!(u32).range(4..=16))]
    pub bcrypt_cost: u32,
    /// Memory of argon2id in KiB
    #[arg(long, value_name = "KIB", env = "MARKETPLACE_ARGON_MEMORY", default_value_t = 19_456,
          value_parser = clap::value_parser!(u32).range(8..=1 << 20))]
    pub argon_memory: u32,
    /// Number of passes of argon2id over its memory
    #[arg(long, value_name = "N", env = "MARKETPLACE_ARGON_PASSES", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub argon_passes: u32,
    /// Number of hashing threads; 0 means one per core
    #[arg(long, value_name = "N", env = "MARKETPLACE_HASH_THREADS", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(..=256))]
    pub hash_threads: u16,
    /// Maximum number of queued passwords; 0 means the number that can be hashed within `--hash-wait`
    #[arg(long, value_name = "N", env = "MARKETPLACE_HASH_QUEUE", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub hash_queue: u32,
    /// Intended maximum time that a password waits in the queue. If `--hash-queue` is 0, requests that wait 25 % longer
    /// are refused with status 503
    #[arg(long, value_name = "TIME", env = "MARKETPLACE_HASH_WAIT", default_value = "8s",
          value_parser = span::parse)]
    pub hash_wait: Duration,
}

/// Hash of new passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashKind {
    /// Argon2id, which also needs memory.
    Argon2id,
    /// Bcrypt, as in the field report.
    Bcrypt,
}
