//! The machine: its hardware, the losses of its network, and the limits of cgroups.

mod cgroup;
mod machine;
mod network;

pub use cgroup::{Cgroup, CgroupLook, Throttling};
pub use machine::Machine;
pub use network::{NetworkCounters, segments_out_of_order};
