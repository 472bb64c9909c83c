//! Looks at processes from outside: the target's own process, the machine, and the generator itself.
//!
//! Everything is read from `/proc` (and the cgroup files beside it) at the moment of the call. This
//! crate never attaches to a process, never opens a connection, starts no thread and reads no clock:
//! the caller says what time it is. What it may not see is `None` or an error that says so, never 0.

pub mod find;
pub mod host;
pub mod limits;
pub mod own;
pub mod process;

pub use find::{Listener, NotFound, listeners_on};
pub use host::{Machine, NetworkCounters, Throttling};
pub use limits::{DescriptorLimit, raise_descriptor_limit};
pub use own::{OwnThread, ThreadTime, own_memory};
pub use process::{Sample, SampleError, Sampler, ThreadUse, Use, use_between};
