use serde::{Deserialize, Serialize};

use super::structure::{
    ConnectionCost, DelayedAcknowledgement, FanOut, GeneratorLimited, GrowingLatency,
    GrowingSessions, LockConvoy, ResidualSessions, SingleWriter, SlowConsumers, SlowSetup,
    SynchronisedRetries, UniquenessCollisions, UpstreamPool,
};
use crate::limiter::RateLimiter;

/// The closed list of causes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cause", content = "figures", rename_all = "snake_case")]
pub enum Cause {
    /// The target, or a component in front of it, limits the rate of requests.
    RateLimiter(RateLimiter),
    /// The CPU quota of the target's cgroup is used up.
    CpuQuota(CpuQuota),
    /// The target uses all cores that it may run on.
    AllCores(AllCores),
    /// Every thread of a pool is busy all the time.
    SaturatedPool(SaturatedPool),
    /// One thread is busy all the time, such as an event loop.
    SaturatedThread(SaturatedThread),
    /// The target opens no further files or connections, because it has reached its limit of descriptors.
    DescriptorsExhausted {
        /// The limit.
        limit: u64,
    },
    /// The target opens descriptors and does not close them.
    GrowingDescriptors(GrowingDescriptors),
    /// The target's memory grows with its work and is not released.
    GrowingMemory(GrowingMemory),
    /// The queue of connections that wait to be accepted is full.
    ListenQueueFull {
        /// Capacity of the queue.
        limit: u64,
    },
    /// The target works on a fixed number of requests at a time, and the others wait, although CPUs are free.
    FixedConcurrency(FixedConcurrency),
    /// The target stops for some time again and again, at equal intervals.
    PeriodicStalls(PeriodicStalls),
    /// The target, or a component in front of it, gives up requests after a fixed time.
    FixedTimeout(FixedTimeout),
    /// The generator is the limit, not the target.
    Generator(GeneratorLimited),
    /// The generator's machine has no local ports left for connections to the target.
    PortsExhausted {
        /// Number of local ports, over all source addresses.
        ports: u64,
    },
    /// Preparing an iteration, such as logging in, slows down with the load, and the rest of the iteration does not.
    SlowSetup(SlowSetup),
    /// Opening connections slows down with the load, and using them does not.
    ConnectionCost(ConnectionCost),
    /// The CPU time of a message grows with the number of its receivers.
    LinearFanOut(FanOut),
    /// The CPU time of a message grows with the square of the number of its receivers.
    QuadraticFanOut(FanOut),
    /// The threads of the target take turns, so that together they use one core.
    LockConvoy(LockConvoy),
    /// The target writes one change at a time, and waits for the disk in between.
    SingleWriter(SingleWriter),
    /// All connections of the target to an upstream service are in use, and requests wait for one.
    UpstreamPool(UpstreamPool),
    /// Receivers that read too slowly delay the others.
    SlowConsumers(SlowConsumers),
    /// Sessions of earlier levels are left in the target.
    ResidualSessions(ResidualSessions),
    /// Refused operations are tried again at the same time.
    SynchronisedRetries(SynchronisedRetries),
    /// Responses wait for a delayed acknowledgement, because they are sent in several small segments.
    DelayedAcknowledgement(DelayedAcknowledgement),
    /// Concurrent creations collide, because they choose the same unique value.
    UniquenessCollisions(UniquenessCollisions),
    /// Response times grow steadily under a constant load.
    GrowingLatency(GrowingLatency),
    /// The number of established connections grows steadily under a constant load.
    GrowingSessions(GrowingSessions),
    /// The cause as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        what: String,
    },
}

impl Cause {
    /// The identifier in JSON: `saturated_thread`.
    pub fn id(&self) -> &'static str {
        match self {
            Self::RateLimiter(_) => "rate_limiter",
            Self::CpuQuota(_) => "cpu_quota",
            Self::AllCores(_) => "all_cores",
            Self::SaturatedPool(_) => "saturated_pool",
            Self::SaturatedThread(_) => "saturated_thread",
            Self::DescriptorsExhausted { .. } => "descriptors_exhausted",
            Self::GrowingDescriptors(_) => "growing_descriptors",
            Self::GrowingMemory(_) => "growing_memory",
            Self::ListenQueueFull { .. } => "listen_queue_full",
            Self::FixedConcurrency(_) => "fixed_concurrency",
            Self::PeriodicStalls(_) => "periodic_stalls",
            Self::FixedTimeout(_) => "fixed_timeout",
            Self::Generator(_) => "generator",
            Self::PortsExhausted { .. } => "ports_exhausted",
            Self::SlowSetup(_) => "slow_setup",
            Self::ConnectionCost(_) => "connection_cost",
            Self::LinearFanOut(_) => "linear_fan_out",
            Self::QuadraticFanOut(_) => "quadratic_fan_out",
            Self::LockConvoy(_) => "lock_convoy",
            Self::SingleWriter(_) => "single_writer",
            Self::UpstreamPool(_) => "upstream_pool",
            Self::SlowConsumers(_) => "slow_consumers",
            Self::ResidualSessions(_) => "residual_sessions",
            Self::SynchronisedRetries(_) => "synchronised_retries",
            Self::DelayedAcknowledgement(_) => "delayed_acknowledgement",
            Self::UniquenessCollisions(_) => "uniqueness_collisions",
            Self::GrowingLatency(_) => "growing_latency",
            Self::GrowingSessions(_) => "growing_sessions",
            Self::Text { .. } => "text",
        }
    }
}

/// Figures of an exhausted CPU quota.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuQuota {
    /// The quota in cores.
    pub cores: f64,
    /// Share of the quota's periods in which it was used up, in percent.
    pub throttled_percent: f64,
}

/// Figures of a target that uses all of its cores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AllCores {
    /// Number of cores that the target may run on.
    pub cores: u64,
    /// CPU of the whole target, in percent of one core.
    pub cpu_percent: f64,
}

/// Figures of a saturated pool of threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaturatedPool {
    /// The common part of the threads' names.
    pub name: String,
    /// Number of threads.
    pub threads: u64,
}

/// Figures of a saturated thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SaturatedThread {
    /// Name of the thread.
    pub name: String,
    /// Process ID.
    pub pid: u32,
    /// Name of the runtime if the thread is the event loop of one, such as `Node.js`.
    pub runtime: Option<String>,
}

/// Figures of descriptors that are not closed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowingDescriptors {
    /// Growth per second.
    pub per_s: f64,
    /// Time until the limit is reached at this rate, in seconds. `None` if the limit is unknown.
    pub full_after_s: Option<f64>,
}

/// Figures of growing memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GrowingMemory {
    /// Growth in bytes per second.
    pub bytes_per_s: f64,
    /// Growth in bytes per operation. `None` unless levels of different load show that memory grows with the work.
    pub bytes_per_operation: Option<f64>,
    /// Time until the limit of the target's cgroup is reached at this rate, in seconds. `None` without a limit.
    pub full_after_s: Option<f64>,
}

/// Figures of a fixed concurrency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FixedConcurrency {
    /// Number of requests that the target works on at a time.
    pub places: f64,
    /// Time that the target takes for one request without waiting, in milliseconds.
    pub work_ms: f64,
    /// Requests per second at which all places are in use.
    pub per_s: f64,
}

/// Figures of periodic stalls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeriodicStalls {
    /// Time from one stall to the next, in seconds.
    pub every_s: f64,
    /// Duration of the longest stall, in milliseconds. `None` if an operation timed out in a stall.
    pub longest_ms: Option<f64>,
    /// Lower bound of the longest stall in milliseconds, if its duration is unknown.
    pub longest_at_least_ms: Option<f64>,
}

/// Figures of a fixed timeout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FixedTimeout {
    /// Name of the request.
    pub name: String,
    /// The time after which requests fail, in milliseconds.
    pub after_ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evidence;

    #[test]
    fn the_identifier_is_that_of_the_record() {
        let all = [
            Cause::RateLimiter(RateLimiter::default()),
            Cause::CpuQuota(CpuQuota::default()),
            Cause::AllCores(AllCores::default()),
            Cause::SaturatedPool(SaturatedPool::default()),
            Cause::SaturatedThread(SaturatedThread::default()),
            Cause::DescriptorsExhausted { limit: 1024 },
            Cause::GrowingDescriptors(GrowingDescriptors::default()),
            Cause::GrowingMemory(GrowingMemory::default()),
            Cause::ListenQueueFull { limit: 128 },
            Cause::FixedConcurrency(FixedConcurrency::default()),
            Cause::PeriodicStalls(PeriodicStalls::default()),
            Cause::FixedTimeout(FixedTimeout::default()),
            Cause::Generator(GeneratorLimited::default()),
            Cause::PortsExhausted { ports: 28_232 },
            Cause::SlowSetup(SlowSetup::default()),
            Cause::ConnectionCost(ConnectionCost::default()),
            Cause::LinearFanOut(FanOut::default()),
            Cause::QuadraticFanOut(FanOut::default()),
            Cause::LockConvoy(LockConvoy::default()),
            Cause::SingleWriter(SingleWriter::default()),
            Cause::UpstreamPool(UpstreamPool::default()),
            Cause::SlowConsumers(SlowConsumers::default()),
            Cause::ResidualSessions(ResidualSessions::default()),
            Cause::SynchronisedRetries(SynchronisedRetries::default()),
            Cause::DelayedAcknowledgement(DelayedAcknowledgement::default()),
            Cause::UniquenessCollisions(UniquenessCollisions::default()),
            Cause::GrowingLatency(GrowingLatency::default()),
            Cause::GrowingSessions(GrowingSessions::default()),
            Cause::Text {
                what: String::new(),
            },
        ];
        for cause in all {
            let json = serde_json::to_value(&cause).unwrap();
            assert_eq!(json["cause"], cause.id());
        }
    }

    #[test]
    fn stalls_of_older_records_are_read() {
        let cause = r#"{"cause":"periodic_stalls","figures":{"every_s":5.0,"longest_ms":510.0}}"#;
        let stalls = PeriodicStalls {
            every_s: 5.0,
            longest_ms: Some(510.0),
            longest_at_least_ms: None,
        };
        let read: Cause = serde_json::from_str(cause).unwrap();
        assert_eq!(read, Cause::PeriodicStalls(stalls));
        // Written if an operation timed out in every stall.
        let evidence = r#"{"is":"longest_times","usual_ms":6.0,"stalled_ms":null}"#;
        let times = Evidence::LongestTimes {
            usual_ms: 6.0,
            stalled_ms: None,
        };
        let read: Evidence = serde_json::from_str(evidence).unwrap();
        assert_eq!(read, times);
    }
}
