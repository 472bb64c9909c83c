//! The limit of open descriptors of this process. Each simulated connection needs one.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The limit of open descriptors. `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescriptorLimit {
    /// The limit in force.
    pub soft: Option<u64>,
    /// The maximum to which it can be raised without privileges.
    pub hard: Option<u64>,
}

impl DescriptorLimit {
    /// The current limits.
    pub fn current() -> Self {
        let limit = getrlimit(Resource::Nofile);
        Self {
            soft: limit.current,
            hard: limit.maximum,
        }
    }
}

/// Raises the soft limit to the hard limit and returns the new limits. Child processes inherit them.
pub fn raise_descriptor_limit() -> io::Result<DescriptorLimit> {
    let limit = DescriptorLimit::current();
    if limit.soft != limit.hard {
        let raised = Rlimit {
            current: limit.hard,
            maximum: limit.hard,
        };
        setrlimit(Resource::Nofile, raised)?;
    }
    Ok(DescriptorLimit::current())
}
