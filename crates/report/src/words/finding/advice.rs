//! Words for the next steps after a finding.

use format::{about, millis, number};
use record::Advice;

use crate::words::limiter;

/// Formats a next step.
pub(crate) fn advice(advice: &Advice) -> String {
    match advice {
        Advice::Profile { pid } => {
            format!("see what it computes, with a profiler of its runtime or `perf top -p {pid}`")
        }
        Advice::MoreThreads => {
            "distribute this thread's work over several threads or processes".to_owned()
        }
        Advice::LargerPool => {
            "enlarge the pool if cores are free; otherwise give the target more cores".to_owned()
        }
        Advice::MoreCores => "give the target more cores, or more machines".to_owned(),
        Advice::RaiseQuota => {
            "raise the quota (`cpu.max`, or `resources.limits.cpu` in Kubernetes)".to_owned()
        }
        Advice::MoreDescriptors => {
            "raise the limit (`ulimit -n`, or `LimitNOFILE` in systemd)".to_owned()
        }
        Advice::ListDescriptors { pid } => format!("list them: `ls -l /proc/{pid}/fd`"),
        Advice::RunLonger => {
            "run this load for longer, to see whether the growth ends: --duration 10m".to_owned()
        }
        Advice::CompareHeaps => {
            "compare two heap profiles, one from the beginning and one from the end".to_owned()
        }
        Advice::LargerListenQueue => {
            "accept connections faster (a busy event loop accepts none), or enlarge the queue (the backlog of listen, \
             and `net.core.somaxconn`)"
                .to_owned()
        }
        Advice::ComparePools { places: 1.0 } => {
            "look for a lock, a single writer, or a pool of one".to_owned()
        }
        Advice::ComparePools { places } => format!(
            "compare {} with the sizes of the target's pools: database connections, worker threads, semaphores",
            about(*places)
        ),
        Advice::LookForPeriod { every_s } => format!(
            "look for what runs every {} s: the log of the garbage collector, scheduled jobs, checkpoints of the \
             database",
            number(*every_s)
        ),
        Advice::LookForTimeout { ms } => format!(
            "look for a timeout of {} in the configuration of proxies, pools and clients",
            millis(*ms)
        ),
        Advice::RaiseGenerator
        | Advice::PrepareUsers
        | Advice::ReuseConnections
        | Advice::EncodeOnce
        | Advice::FewerDeliveries
        | Advice::LookForLock { .. }
        | Advice::GroupWrites
        | Advice::LargerUpstreamPool
        | Advice::QueuePerReceiver
        | Advice::EndSessions
        | Advice::SpreadRetries
        | Advice::NoDelay
        | Advice::UniqueByStore => of_structure(advice),
        Advice::ExemptGenerator
        | Advice::MoreAddresses { .. }
        | Advice::MoreUsers
        | Advice::StayBelow { .. }
        | Advice::Text { .. } => limiter::advice(advice),
    }
}

/// Formats a next step after a cause in the structure of the target, of the load, or of the generator.
fn of_structure(advice: &Advice) -> String {
    match advice {
        Advice::RaiseGenerator => {
            "give the generator more workers (--workers), cores that the target does not use (--cores), or a machine \
             of its own"
                .to_owned()
        }
        Advice::PrepareUsers => {
            "prepare the users once, in `setup` (pool), so that the levels show the rest of the iteration".to_owned()
        }
        Advice::ReuseConnections => {
            "keep connections open and reuse them; for TLS, resume sessions".to_owned()
        }
        Advice::EncodeOnce => {
            "encode each message once for all receivers, and avoid work for each pair of members".to_owned()
        }
        Advice::FewerDeliveries => {
            "send fewer or smaller messages per receiver (combine them), or distribute the receivers over several \
             processes"
                .to_owned()
        }
        Advice::LookForLock { pid } => format!(
            "see where the threads wait: `perf trace -s -p {pid}` counts the calls of futex, and a profiler of the \
             runtime names the lock"
        ),
        Advice::GroupWrites => {
            "write several changes in one transaction, so that they wait for the disk together; a store that syncs less \
             often is faster, but can lose what it acknowledged"
                .to_owned()
        }
        Advice::LargerUpstreamPool => {
            "enlarge the pool if the upstream service has capacity left; otherwise make its work faster".to_owned()
        }
        Advice::QueuePerReceiver => {
            "give each connection a bounded queue of its own, and disconnect receivers (or skip messages) when it is \
             full, so that nobody waits for the slowest"
                .to_owned()
        }
        Advice::EndSessions => {
            "end sessions when their connection closes, or after a time without activity".to_owned()
        }
        Advice::SpreadRetries => {
            "wait for a random, growing time before each retry (exponential backoff with jitter)".to_owned()
        }
        Advice::NoDelay => {
            "set TCP_NODELAY on the target's connections, or send each response in one write".to_owned()
        }
        Advice::UniqueByStore => {
            "let the store choose unique values (a sequence, a random identifier), or try again with another value"
                .to_owned()
        }
        _ => String::new(),
    }
}
