//! A CPU quota for a system: a control group of its own, below the root of the hierarchy.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use crate::system::System;

/// A control group with a CPU quota. It is removed when dropped, which must happen after its processes have ended.
#[derive(Debug)]
pub struct CpuQuota(PathBuf);

impl CpuQuota {
    /// Makes the control group. Its processes may use `cores` × `period` of CPU time in each period. This needs root, and
    /// a hierarchy with the controller `cpu`.
    pub fn new(cores: f64, period: Duration) -> io::Result<Self> {
        let (first, second) = (Path::new("/sys/fs/cgroup/cpu"), Path::new("/sys/fs/cgroup"));
        let period_us = period.as_micros();
        let time_us = (cores * period_us as f64).round();
        let folder = format!("headcount-quota-{}", std::process::id());
        let (root, files) = if first.is_dir() {
            let files = vec![
                ("cpu.cfs_period_us", period_us.to_string()),
                ("cpu.cfs_quota_us", time_us.to_string()),
            ];
            (first, files)
        } else {
            (second, vec![("cpu.max", format!("{time_us} {period_us}"))])
        };
        let group = Self(root.join(folder));
        fs::create_dir(&group.0)?;
        for (file, limit) in files {
            fs::write(group.0.join(file), limit)?;
        }
        Ok(group)
    }

    /// Applies the quota to a running system.
    pub fn limit(&self, system: &System) -> io::Result<()> {
        fs::write(self.0.join("cgroup.procs"), system.pid().to_string())
    }
}

impl Drop for CpuQuota {
    fn drop(&mut self) {
        // An empty control group that is left limits nothing.
        let _ = fs::remove_dir(&self.0);
    }
}
