use std::fs;
use std::io;

use serde::{Deserialize, Serialize};

/// Network counters of a namespace, since the machine started or, as a difference, between two moments. A counter that
/// the kernel does not have is `None`.
///
/// The counters belong to the whole namespace, not to one process: they do not show which process was affected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkCounters {
    /// Connections that arrived when the queue of a listener was full (`ListenOverflows`).
    pub listen_overflows: Option<u64>,
    /// Connection requests that a listener dropped for any reason (`ListenDrops`).
    pub listen_drops: Option<u64>,
    /// TCP segments that were retransmitted (`RetransSegs`).
    pub retransmits: Option<u64>,
    /// TCP segments that were sent, without retransmissions (`OutSegs`).
    pub segments: Option<u64>,
}

impl NetworkCounters {
    /// The counters of the network namespace of a process, which may differ from that of headcount.
    pub fn of(pid: i32) -> io::Result<Self> {
        let netstat = fs::read_to_string(format!("/proc/{pid}/net/netstat"))?;
        let snmp = fs::read_to_string(format!("/proc/{pid}/net/snmp"))?;
        Ok(Self::parse(&netstat, &snmp))
    }

    fn parse(netstat: &str, snmp: &str) -> Self {
        Self {
            listen_overflows: field(netstat, "TcpExt:", "ListenOverflows"),
            listen_drops: field(netstat, "TcpExt:", "ListenDrops"),
            retransmits: field(snmp, "Tcp:", "RetransSegs"),
            segments: field(snmp, "Tcp:", "OutSegs"),
        }
    }

    /// The difference to `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        let between = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            listen_overflows: between(self.listen_overflows, earlier.listen_overflows),
            listen_drops: between(self.listen_drops, earlier.listen_drops),
            retransmits: between(self.retransmits, earlier.retransmits),
            segments: between(self.segments, earlier.segments),
        }
    }
}

/// Number of TCP segments that arrived before segments sent earlier (`TCPOFOQueue`), and so could not be read on
/// arrival. The kernel counts them since the machine started, for headcount's own network namespace. `None` if the
/// kernel does not provide it.
pub fn segments_out_of_order() -> Option<u64> {
    let netstat = fs::read_to_string("/proc/self/net/netstat").ok()?;
    field(&netstat, "TcpExt:", "TCPOFOQueue")
}

/// Reads one value of a table. Two lines begin with the same word: the first has the names, the second the values.
fn field(table: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = table.lines().filter_map(|line| line.strip_prefix(group));
    let (names, values) = (lines.next()?, lines.next()?);
    let column = names
        .split_ascii_whitespace()
        .position(|word| word == name)?;
    values.split_ascii_whitespace().nth(column)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETSTAT: &str = "\
TcpExt: SyncookiesSent ListenOverflows ListenDrops
TcpExt: 1 20 300
IpExt: InNoRoutes ListenDrops
IpExt: 7 8
";
    const SNMP: &str = "\
Ip: Forwarding
Ip: 1
Tcp: RtoAlgorithm OutSegs RetransSegs
Tcp: 1 5000 6
";

    #[test]
    fn the_kernel_counts_segments_out_of_order() {
        assert!(segments_out_of_order().is_some());
    }

    #[test]
    fn columns_are_found_by_name() {
        let counters = NetworkCounters::parse(NETSTAT, SNMP);
        let expected = NetworkCounters {
            listen_overflows: Some(20),
            listen_drops: Some(300),
            retransmits: Some(6),
            segments: Some(5000),
        };
        assert_eq!(counters, expected);
        assert_eq!(counters.since(counters).listen_drops, Some(0));
    }

    #[test]
    fn a_counter_that_is_not_there_is_not_zero() {
        let counters = NetworkCounters::parse("TcpExt: A\nTcpExt: 1\n", "");
        assert_eq!(counters, NetworkCounters::default());
        assert_eq!(counters.since(counters).listen_drops, None);
    }
}
