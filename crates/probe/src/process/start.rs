use std::fs;

use super::cpu::from_ticks;
use super::sample::ProcessSample;

/// The start time of a process, in seconds since the Unix epoch. It is correct to two seconds, because the kernel
/// reports its own boot time in whole seconds. `None` if the kernel does not report it.
pub fn started_at(process: &ProcessSample) -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    let boot: f64 = boot.trim().parse().ok()?;
    Some(boot + from_ticks(process.started).as_secs_f64())
}
