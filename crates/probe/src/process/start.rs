use std::fs;

use super::cpu::from_ticks;
use super::sample::ProcessSample;

/// When a process started, in seconds of the Unix epoch; right to two seconds, because the kernel tells the time of
/// its own start in whole ones. `None` where it does not.
pub fn started_at(process: &ProcessSample) -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let boot = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    let boot: f64 = boot.trim().parse().ok()?;
    Some(boot + from_ticks(process.started).as_secs_f64())
}
