//! A CPU quota for a server: a control group of its own, below the root of the hierarchy.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Length of the quota's period in microseconds.
const PERIOD_US: f64 = 100_000.0;

/// A control group with a CPU quota. It is removed when dropped, after its processes have ended.
#[derive(Debug)]
pub(super) struct CpuQuota(PathBuf);

impl CpuQuota {
    /// Makes the control group. This needs root, and a hierarchy with the controller `cpu`.
    pub(super) fn of(cores: f64) -> io::Result<Self> {
        let (first, second) = (Path::new("/sys/fs/cgroup/cpu"), Path::new("/sys/fs/cgroup"));
        let time = (cores * PERIOD_US).round();
        let (root, file, quota) = if first.is_dir() {
            (first, "cpu.cfs_quota_us", time.to_string())
        } else {
            (second, "cpu.max", format!("{time} {PERIOD_US}"))
        };
        let folder = root.join(format!("headcount-selftest-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = Self(folder);
        fs::write(group.0.join(file), quota)?;
        Ok(group)
    }

    /// Applies the quota to a process.
    pub(super) fn limit(&self, pid: u32) -> io::Result<()> {
        fs::write(self.0.join("cgroup.procs"), pid.to_string())
    }
}

impl Drop for CpuQuota {
    fn drop(&mut self) {
        // An empty control group that is left limits nothing.
        let _ = fs::remove_dir(&self.0);
    }
}
