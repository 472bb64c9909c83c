//! Whether a CPU quota held a process back: a target or generator in a container with a limit stops
//! for the rest of each period, which looks like anything but a lack of CPU.

use std::fs;

use model::Nanos;
use serde::{Deserialize, Serialize};

/// How often a cgroup with a CPU quota had to stop; as a difference, in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttling {
    /// Periods of the quota, usually of 100 ms.
    pub periods: u64,
    /// Periods in which the quota was used up.
    pub throttled_periods: u64,
    /// Time that its threads stood still for that.
    pub throttled: Nanos,
}

impl Throttling {
    /// Of the cgroup that a process is in. `None` where there is none with an account of it.
    pub fn of(pid: i32) -> Option<Self> {
        let cgroups = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        candidates(&cgroups)
            .filter_map(|path| fs::read_to_string(path).ok())
            .find_map(|text| Self::parse(&text))
    }

    /// `cpu.stat` of version 2 (`throttled_usec`) or 1 (`throttled_time`, nanoseconds).
    fn parse(text: &str) -> Option<Self> {
        let value = |name: &str| -> Option<u64> {
            let words = text.lines().filter_map(|line| line.split_once(' '));
            words
                .filter(|(key, _)| *key == name)
                .find_map(|(_, value)| value.trim().parse().ok())
        };
        let throttled = match value("throttled_usec") {
            Some(micros) => Nanos(micros.saturating_mul(1000)),
            None => Nanos(value("throttled_time")?),
        };
        Some(Self {
            periods: value("nr_periods")?,
            throttled_periods: value("nr_throttled")?,
            throttled,
        })
    }

    /// What happened since `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            periods: self.periods.saturating_sub(earlier.periods),
            throttled_periods: self
                .throttled_periods
                .saturating_sub(earlier.throttled_periods),
            throttled: self.throttled - earlier.throttled,
        }
    }
}

/// Where `cpu.stat` may lie, by lines such as `0::/a` (version 2) and `4:cpu,cpuacct:/a` (version 1).
///
/// Inside a container the path may be the host's while the mount begins at the container's own root:
/// the root of each mount is tried last.
fn candidates(cgroups: &str) -> impl Iterator<Item = String> {
    let groups = cgroups.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_end_matches('/'));
        let mounts: &[&str] = match controllers {
            "" => &["", "/unified"],
            _ if controllers.split(',').any(|name| name == "cpu") => &["/cpu", "/cpu,cpuacct"],
            _ => return None,
        };
        Some(mounts.iter().flat_map(move |mount| {
            [path, ""].map(|path| format!("/sys/fs/cgroup{mount}{path}/cpu.stat"))
        }))
    });
    groups.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read() {
        let expected = Throttling {
            periods: 10,
            throttled_periods: 4,
            throttled: Nanos::from_millis(250),
        };
        let two = "usage_usec 9\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n";
        assert_eq!(Throttling::parse(two), Some(expected));
        let one = "nr_periods 10\nnr_throttled 4\nthrottled_time 250000000\n";
        assert_eq!(Throttling::parse(one), Some(expected));
        assert_eq!(
            Throttling::parse("usage_usec 9\n"),
            None,
            "no quota, no account"
        );
    }

    #[test]
    fn the_cpu_controller_is_found_in_both_versions() {
        let found: Vec<_> = candidates("4:memory:/m\n3:cpu,cpuacct:/a\n0::/b/c\n").collect();
        assert_eq!(
            found,
            [
                "/sys/fs/cgroup/cpu/a/cpu.stat",
                "/sys/fs/cgroup/cpu/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/a/cpu.stat",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.stat",
                "/sys/fs/cgroup/b/c/cpu.stat",
                "/sys/fs/cgroup/cpu.stat",
                "/sys/fs/cgroup/unified/b/c/cpu.stat",
                "/sys/fs/cgroup/unified/cpu.stat",
            ]
        );
    }

    #[test]
    fn what_happened_in_between_is_a_difference() {
        let at = |periods, throttled_periods, nanos| Throttling {
            periods,
            throttled_periods,
            throttled: Nanos(nanos),
        };
        assert_eq!(at(10, 5, 700).since(at(4, 1, 300)), at(6, 4, 400));
    }
}
