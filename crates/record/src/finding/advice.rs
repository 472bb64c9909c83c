use serde::{Deserialize, Serialize};

use crate::limiter::LimitKey;

/// A next step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Advice {
    /// Exempt the generator's addresses from the limiter.
    ExemptGenerator,
    /// Use more source addresses.
    MoreAddresses {
        /// Whether the target is on this machine, where loopback has enough addresses.
        loopback: bool,
        /// Minimum number of addresses that this load needs.
        needed: Option<f64>,
    },
    /// Use more users, or send fewer requests per user.
    MoreUsers,
    /// Stay below the limit.
    StayBelow {
        /// Requests per minute.
        per_minute: f64,
        /// Key by which the limit counts requests. `None` if unknown.
        per: Option<LimitKey>,
    },
    /// Find out what the busy threads do.
    Profile {
        /// Process ID.
        pid: u32,
    },
    /// Distribute the work of one thread over several threads or processes.
    MoreThreads,
    /// Enlarge the pool, or move its work elsewhere.
    LargerPool,
    /// Give the target more cores or machines.
    MoreCores,
    /// Raise the CPU quota.
    RaiseQuota,
    /// Raise the limit of descriptors.
    MoreDescriptors,
    /// List the open descriptors.
    ListDescriptors {
        /// Process ID.
        pid: u32,
    },
    /// Run longer to see whether the growth ends.
    RunLonger,
    /// Compare heap profiles.
    CompareHeaps,
    /// Accept connections faster, or enlarge the queue.
    LargerListenQueue,
    /// Compare the number with the sizes of the target's pools.
    ComparePools {
        /// The number of places.
        places: f64,
    },
    /// Look for something that runs with this period.
    LookForPeriod {
        /// The period in seconds.
        every_s: f64,
    },
    /// Give the generator more workers, cores or machines.
    RaiseGenerator,
    /// Do this work once, before the measurement.
    PrepareUsers,
    /// Keep connections open, or make opening them cheaper.
    ReuseConnections,
    /// Encode a message once for all receivers.
    EncodeOnce,
    /// Send fewer or smaller messages, or distribute the receivers.
    FewerDeliveries,
    /// Look for the lock that the threads share.
    LookForLock {
        /// Process ID.
        pid: u32,
    },
    /// Write several changes in one transaction.
    GroupWrites,
    /// Enlarge the pool of upstream connections, or speed up the upstream service.
    LargerUpstreamPool,
    /// Give each connection a queue of its own, and disconnect receivers that do not keep up.
    QueuePerReceiver,
    /// End sessions when their users leave.
    EndSessions,
    /// Spread retries over time.
    SpreadRetries,
    /// Send a response in one write, or set `TCP_NODELAY`.
    NoDelay,
    /// Let the store choose unique values, or retry with another one.
    UniqueByStore,
    /// Look for a timeout of this length in the configuration.
    LookForTimeout {
        /// The timeout in milliseconds.
        ms: f64,
    },
    /// The advice as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}
