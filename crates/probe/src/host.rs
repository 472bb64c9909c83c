//! Reads figures of the machine: its hardware, its network losses, and the limits of cgroups.

mod cgroup;
mod cores;
mod machine;
mod network;

pub use cgroup::{Cgroup, CgroupLook, Throttling};
pub use cores::CoreTime;
pub use machine::Machine;
pub use network::{NetworkCounters, segments_out_of_order};
