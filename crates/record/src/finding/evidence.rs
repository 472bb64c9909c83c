use serde::{Deserialize, Serialize};

use super::structure::Drifting;
use crate::IssueCause;
use crate::limiter::LimitKey;
use crate::target::DiskWaits;

/// An observation that supports a finding. Times are in seconds since the start of the level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Evidence {
    /// A header of the 429 responses states a limit.
    LimitStated {
        /// Name of the header.
        header: String,
        /// Number of requests that the limit allows.
        limit: f64,
        /// Length of the window in seconds.
        window_s: Option<f64>,
    },
    /// Some requests passed, and from then on none.
    Stopped {
        /// Number of requests that passed.
        passed: f64,
        /// Time of the first refusal.
        until_s: f64,
        /// Number of requests refused from then on.
        refused: u64,
        /// Time of the last refusal.
        last_s: f64,
    },
    /// Repeatedly, some requests passed and then none.
    Repeated {
        /// Number of requests that passed each time.
        passed: f64,
        /// Time from the start of one period to the start of the next.
        period_s: f64,
        /// Number of complete periods observed.
        times: u64,
    },
    /// Requests passed at a steady rate while others were refused.
    SteadyRate {
        /// The rate per second.
        per_s: f64,
        /// Number of requests beyond that rate that passed at the beginning.
        burst: f64,
        /// Whether the rate varies less than chance explains.
        regular: bool,
        /// Time until which no further request passed after the first burst.
        reopened_s: Option<f64>,
        /// Length of the observation in seconds.
        seconds: u64,
    },
    /// Requests took much less time than passes between two responses of an even flow, so no worker paces the flow.
    Outpaced {
        /// The time that the requests took, in seconds.
        took_s: f64,
        /// The time between two responses, in seconds.
        apart_s: f64,
    },
    /// All `Retry-After` headers point to the same reset time.
    SameResetTime {
        /// The reset time.
        at_s: f64,
    },
    /// `Retry-After` headers stated how long to wait.
    RetryAfter {
        /// The longest wait in seconds.
        longest_s: f64,
    },
    /// A header names a partition, so different requests count against different limits.
    PartitionNamed,
    /// The number of requests that passed in a window fits the stated limit.
    FitsStatedLimit {
        /// Number of requests that passed.
        passed: f64,
        /// The stated limit.
        limit: f64,
        /// Number of users that sent requests.
        users: u64,
        /// Number of source addresses that these users used.
        addresses: u64,
    },
    /// Equally many requests passed for all users or addresses, approximately, no matter how many they sent.
    PassedAlike {
        /// Whether users or addresses are compared.
        per: LimitKey,
        /// Smallest number of requests that passed for one user or address.
        least: f64,
        /// Largest number of requests that passed for one user or address.
        most: f64,
    },
    /// The number of passed requests differs between the refused users, or between the refused addresses.
    PassedUnequally {
        /// Whether users or addresses are compared.
        per: LimitKey,
        /// Smallest number of requests that passed for one user or address.
        least: f64,
        /// Largest number of requests that passed for one user or address.
        most: f64,
    },
    /// In a level with another number of users, requests passed at the same rate or at a higher rate.
    OtherLevel {
        /// Number of users of that level.
        users: u64,
        /// Number of users of this level.
        than_users: u64,
        /// Rate of that level as a multiple of this level's rate.
        times: f64,
    },
    /// Why the generator was the limit in a level.
    GeneratorIssue {
        /// The reason.
        issue: IssueCause,
    },
    /// Connections that failed because the generator's machine had no local port left.
    PortsUsed {
        /// Number of connections that were open, or were opened within a minute.
        connections: f64,
        /// Number of local ports, over all source addresses.
        ports: u64,
        /// Number of failures.
        failed: u64,
    },
    /// The mean time of an operation, or of opening a connection, at two loads.
    SlowerAt {
        /// Name of the operation. `None` for connections.
        name: Option<String>,
        /// Mean time in milliseconds.
        ms: f64,
        /// Mean time at the smaller load.
        than_ms: f64,
    },
    /// The mean time of all other operations at the same two loads.
    OthersAt {
        /// Mean time in milliseconds.
        ms: f64,
        /// Mean time at the smaller load.
        than_ms: f64,
    },
    /// How often an operation was done, or a connection opened, and how often the rest was done.
    DoneOften {
        /// Number of times.
        count: u64,
        /// Number of all other operations.
        others: u64,
        /// Number of iterations.
        iterations: u64,
    },
    /// The CPU time of a message at two numbers of receivers.
    MessageCpu {
        /// Mean number of receivers.
        receivers: f64,
        /// CPU time in microseconds.
        us: f64,
        /// The smaller number of receivers.
        than_receivers: f64,
        /// CPU time at that number.
        than_us: f64,
    },
    /// The CPU time of threads of which none is saturated.
    ThreadsTakeTurns {
        /// Number of threads.
        threads: u64,
        /// CPU of all of them, in percent of one core.
        percent: f64,
        /// CPU of the busiest thread.
        busiest_percent: f64,
        /// CPU of all of them at the other load with the same throughput.
        than_percent: f64,
    },
    /// Samples of the states of the target's threads.
    DiskWaits(DiskWaits),
    /// The connections of the target to an upstream service, which were equally many in all samples.
    UpstreamConnections {
        /// Number of connections.
        count: u64,
        /// Address of the service.
        address: String,
    },
    /// Sessions that the target reported before two levels.
    LeftoversGrew {
        /// Before the first level.
        before: f64,
        /// Before the last level.
        after: f64,
        /// Number of iterations in between.
        iterations: u64,
    },
    /// Waves of operations that followed each other.
    WavesEvery {
        /// Number of waves.
        waves: u64,
        /// Mean time from one wave to the next.
        seconds: f64,
        /// Largest deviation from that time.
        deviation_s: f64,
    },
    /// How many of the operations in and between the waves failed.
    WavesFailed {
        /// Share of failures in the waves, in percent.
        percent: f64,
        /// Largest number of operations in a second of a wave.
        per_s: f64,
        /// Mean number of operations in a second between the waves.
        between_per_s: f64,
    },
    /// Responses that were late by the delay of an acknowledgement.
    LateByAcknowledgement {
        /// Number of late responses.
        count: u64,
        /// Number of all responses.
        of: u64,
        /// Usual time of the other responses.
        usual_ms: f64,
        /// Time of most late responses.
        late_ms: f64,
    },
    /// Creations that were refused because of a conflict, at two loads.
    Conflicts {
        /// Number of refusals.
        count: u64,
        /// Number of all requests.
        of: u64,
        /// Share of refusals at the smaller load, in percent.
        than_percent: f64,
        /// Requests per second at the smaller load.
        than_per_s: f64,
    },
    /// The growth of a figure over the measured time, with its 95 % interval.
    Drift {
        /// The figure.
        of: Drifting,
        /// Growth per hour, in milliseconds or as a number.
        per_h: f64,
        /// Lower bound of the interval.
        low: f64,
        /// Upper bound of the interval.
        high: f64,
        /// Length of the measured time in seconds.
        seconds: f64,
    },
    /// The CPU time of a thread.
    ThreadCpu {
        /// Name of the thread.
        name: String,
        /// Share of the time in which the thread ran, in percent.
        ran_percent: f64,
        /// Share of the time in which the thread was ready to run but had no CPU, in percent.
        waited_percent: Option<f64>,
    },
    /// The CPU time of the threads of a pool.
    PoolCpu {
        /// Number of threads.
        threads: u64,
        /// The thread that ran, or was ready to run, for the smallest share of the time, in percent.
        least_percent: f64,
    },
    /// The CPU time of the whole target.
    TargetCpu {
        /// CPU in percent of one core.
        percent: f64,
        /// Number of cores that the target may run on.
        cores: u64,
    },
    /// A smaller load left the CPU partly idle.
    LessCpuAt {
        /// Operations per second at the smaller load.
        per_s: f64,
        /// CPU of the same thread or threads, in percent of one core.
        percent: f64,
    },
    /// The CPU quota stopped the target.
    Throttled {
        /// Number of periods in which the quota was enforced.
        periods: u64,
        /// Number of periods in which it was used up.
        used_up: u64,
        /// Total time for which it stopped threads, in seconds.
        seconds: f64,
    },
    /// The number of open descriptors.
    DescriptorsOpen {
        /// Largest number observed.
        open: u64,
        /// The limit.
        limit: u64,
    },
    /// The growth of the number of open descriptors, without those of established connections.
    DescriptorsGrew {
        /// Growth over the measured time.
        count: f64,
        /// Length of the measured time in seconds.
        seconds: f64,
    },
    /// The growth of memory.
    MemoryGrew {
        /// Growth over the measured time, in MB.
        mb: f64,
        /// Length of the measured time in seconds.
        seconds: f64,
        /// Lower bound of the growth's 95 % interval, in bytes per second.
        low: f64,
        /// Upper bound of the growth's 95 % interval, in bytes per second.
        high: f64,
    },
    /// Memory grew by nearly the same amount per operation in another level.
    SameGrowthPerOperation {
        /// Bytes per operation in this level.
        bytes: f64,
        /// Bytes per operation in the other level.
        other: f64,
        /// Operations per second of this level as a multiple of those of the other level.
        times: f64,
    },
    /// The queue of connections that wait to be accepted was full.
    QueueFull {
        /// Greatest length observed.
        longest: u64,
        /// Capacity.
        limit: u64,
    },
    /// Connections that were dropped because the queue was full.
    ConnectionsDropped {
        /// Number of drops in the target's network namespace.
        count: u64,
    },
    /// More requests in flight, and no more responses per second.
    FlatThroughput {
        /// Requests in flight on average.
        in_flight: f64,
        /// Responses per second.
        per_s: f64,
        /// Requests in flight at the smaller load.
        than_in_flight: f64,
        /// Responses per second at the smaller load.
        than_per_s: f64,
    },
    /// The time of a request at a load at which nothing waits.
    TimeWithoutWaiting {
        /// Requests in flight on average.
        in_flight: f64,
        /// Mean service time in milliseconds.
        ms: f64,
    },
    /// The median time with slow receivers, and without them.
    SlowReceivers {
        /// Median time in milliseconds.
        ms: f64,
        /// Median time in a level without slow receivers.
        than_ms: f64,
    },
    /// Stalls at equal intervals.
    StalledEvery {
        /// Number of stalls.
        stalls: u64,
        /// Time from one stall to the next, in seconds.
        seconds: f64,
        /// Greatest deviation of an interval from that time, in seconds.
        deviation_s: f64,
    },
    /// The longest time per second, usually and during stalls.
    LongestTimes {
        /// Median of the longest times of seconds without a stall, in milliseconds.
        usual_ms: f64,
        /// The shortest of the stalls' longest times in milliseconds, where timeouts count as lower bounds. `None` in older
        /// records if an operation timed out in every stall.
        stalled_ms: Option<f64>,
    },
    /// Nearly all failed responses arrived after the same time.
    FailedAfter {
        /// Number of failures at that time.
        count: u64,
        /// Number of failed responses.
        of: u64,
        /// The shortest of these times, in milliseconds.
        from_ms: f64,
        /// The longest of these times, in milliseconds.
        to_ms: f64,
    },
    /// Nearly no success took longer than the failures.
    SucceededSooner {
        /// Number of successes.
        count: u64,
        /// Number of successes that took longer.
        longer: u64,
    },
    /// The evidence as an older record worded it (versions 1 and 2).
    Text {
        /// The sentence.
        text: String,
    },
}
