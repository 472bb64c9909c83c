use std::fs;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::limits::DescriptorLimit;

/// The machine of a run. A field is `None` if the kernel does not provide the figure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor, e.g. `Intel(R) Xeon(R) Processor`; some architectures have none.
    pub cpu_model: Option<String>,
    /// Number of cores of the machine.
    pub cores: Option<u32>,
    /// Number of cores that this process may use, according to affinity and cgroup quota.
    pub usable_cores: Option<u32>,
    /// Memory, in bytes.
    pub memory: Option<u64>,
    /// Release of the kernel, e.g. `6.18.44`.
    pub kernel: Option<String>,
    /// Maximum number of open descriptors of this process. `None` also if there is no limit.
    pub descriptor_limit: Option<u64>,
    /// Maximum length of a listener's accept queue (`net.core.somaxconn`).
    pub listen_queue_limit: Option<u32>,
    /// First and last local port for outgoing connections. They limit the connections of one source address.
    pub port_range: Option<(u16, u16)>,
}

impl Machine {
    /// Reads the current state.
    pub fn look() -> Self {
        let cpuinfo = read("/proc/cpuinfo").unwrap_or_default();
        let meminfo = read("/proc/meminfo").unwrap_or_default();
        let usable = thread::available_parallelism().ok();
        Self {
            cpu_model: cpu_model(&cpuinfo),
            cores: cores(&cpuinfo),
            usable_cores: usable.and_then(|cores| u32::try_from(cores.get()).ok()),
            memory: memory(&meminfo),
            kernel: read("/proc/sys/kernel/osrelease").map(|text| text.trim().to_owned()),
            descriptor_limit: DescriptorLimit::current().soft,
            listen_queue_limit: read("/proc/sys/net/core/somaxconn")
                .and_then(|text| text.trim().parse().ok()),
            port_range: read("/proc/sys/net/ipv4/ip_local_port_range")
                .and_then(|text| port_range(&text)),
        }
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

fn cpu_model(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn cores(cpuinfo: &str) -> Option<u32> {
    let cores = cpuinfo
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    u32::try_from(cores).ok().filter(|cores| *cores > 0)
}

fn memory(meminfo: &str) -> Option<u64> {
    let total = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = total.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn port_range(text: &str) -> Option<(u16, u16)> {
    let mut ports = text.split_ascii_whitespace().map(str::parse);
    Some((ports.next()?.ok()?, ports.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_tables_are_read() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n\nprocessor\t: 1\nmodel name\t: Some CPU @ 3 GHz\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Some CPU @ 3 GHz"));
        assert_eq!(cores(cpuinfo), Some(2));
        assert_eq!(cores(""), None, "unknown, not none");
        assert_eq!(
            memory("MemTotal:       16 kB\nMemFree: 1 kB\n"),
            Some(16_384)
        );
        assert_eq!(port_range("32768\t60999\n"), Some((32_768, 60_999)));
        assert_eq!(port_range("32768"), None);
    }

    #[test]
    fn this_machine_has_cores_memory_and_a_kernel() {
        let machine = Machine::look();
        assert!(machine.cores >= machine.usable_cores, "{machine:?}");
        assert!(
            machine.memory.is_some_and(|bytes| bytes > 64 << 20),
            "{machine:?}"
        );
        let uname = rustix::system::uname();
        assert_eq!(machine.kernel.as_deref(), uname.release().to_str().ok());
    }
}
