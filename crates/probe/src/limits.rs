//! How many descriptors this process may have open: each simulated connection takes one.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The limit of open descriptors; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescriptorLimit {
    /// What holds now.
    pub soft: Option<u64>,
    /// Up to where it may be raised without privileges.
    pub hard: Option<u64>,
}

impl DescriptorLimit {
    /// What holds now.
    pub fn current() -> Self {
        let limit = getrlimit(Resource::Nofile);
        Self {
            soft: limit.current,
            hard: limit.maximum,
        }
    }
}

/// Raises the soft limit to the hard one and returns what holds then. Children inherit it.
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
