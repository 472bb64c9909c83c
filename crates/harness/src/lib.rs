//! Starts a built-in system as a separate process, and runs one of our scenarios on it. Such a run is a part of a study or
//! of the self-test.
//!
//! This crate is independent of the systems: it runs a given program as `EXE serve NAME`. It does not judge, print or
//! save: the caller gets the record and the notices.

mod leftovers;
mod part;
mod process;
mod quota;
mod redis_and_nats;
mod system;

pub use leftovers::{TemporaryFolder, end_all};
pub use part::{Changes, Harness, HarnessError, Notice, Part, PreparedPart};
pub use process::{END_WITH_PARENT, Process as ChildProcess};
pub use quota::CpuQuota;
pub use redis_and_nats::{NatsServer, RedisAndNats, free_port};
pub use system::{LaunchError, System};
