//! Reads figures of the target's process, of the machine and of the generator itself, without instrumenting the target.
//!
//! Everything is read at the time of the call, from `/proc`, the cgroup files and the kernel's socket diagnostics. This
//! crate never attaches to a process, never opens a connection, starts no thread and reads no clock: the caller passes
//! the time. A figure that this crate cannot read is `None` or an error, never 0.

mod diag;
pub mod exposition;
pub mod find;
pub mod host;
pub mod limits;
pub mod own;
pub mod port;
pub mod process;
pub mod runtime;
pub mod upstream;

pub use exposition::{Exposition, MetricSample, ProcessFigures};
pub use find::{Listener, NotFound, listeners_on};
pub use host::{
    Cgroup, CgroupLook, CoreTime, Machine, NetworkCounters, Throttling, segments_out_of_order,
};
pub use limits::{DescriptorLimit, raise_descriptor_limit};
pub use own::{OwnThread, ThreadTime, own_memory};
pub use port::{ListenQueue, PortLook, look_at_port, look_at_queue};
pub use process::{
    Course, Look, ProcessCourse, ProcessUse, Sample, SampleError, Sampler, Step, ThreadCourse,
    ThreadState, ThreadUse, Use, allowed_cores, disk_bytes, own_cores, started_at, thread_state,
    use_between,
};
pub use runtime::{Runtime, runtime_of};
pub use upstream::upstreams;
