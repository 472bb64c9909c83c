//! The machine: what it is, what its network dropped, whether a cgroup held us back.

mod cgroup;
mod machine;
mod network;

pub use cgroup::{Cgroup, CgroupLook, Throttling};
pub use machine::Machine;
pub use network::{NetworkCounters, segments_out_of_order};
