//! Words for the observations that support a finding.

use format::{count, mean_bytes, megabytes, millis, number, percent, plural, rate, share, whole};
use record::Evidence;

use super::structure;
use crate::words::limiter;

/// Formats an observation that supports a finding.
pub(crate) fn evidence(seen: &Evidence) -> String {
    match seen {
        Evidence::ThreadCpu { .. }
        | Evidence::PoolCpu { .. }
        | Evidence::TargetCpu { .. }
        | Evidence::LessCpuAt { .. }
        | Evidence::Throttled { .. } => cpu(seen),
        Evidence::DescriptorsOpen { .. }
        | Evidence::QueueFull { .. }
        | Evidence::ConnectionsDropped { .. }
        | Evidence::DescriptorsGrew { .. }
        | Evidence::MemoryGrew { .. }
        | Evidence::SameGrowthPerOperation { .. } => resources(seen),
        Evidence::FlatThroughput { .. }
        | Evidence::TimeWithoutWaiting { .. }
        | Evidence::SlowReceivers { .. }
        | Evidence::StalledEvery { .. }
        | Evidence::LongestTimes { .. }
        | Evidence::FailedAfter { .. }
        | Evidence::SucceededSooner { .. } => times(seen),
        Evidence::GeneratorIssue { .. }
        | Evidence::PortsUsed { .. }
        | Evidence::SlowerAt { .. }
        | Evidence::OthersAt { .. }
        | Evidence::DoneOften { .. }
        | Evidence::MessageCpu { .. }
        | Evidence::ThreadsTakeTurns { .. }
        | Evidence::DiskWaits(_)
        | Evidence::UpstreamConnections { .. }
        | Evidence::LeftoversGrew { .. }
        | Evidence::WavesEvery { .. }
        | Evidence::WavesFailed { .. }
        | Evidence::LateByAcknowledgement { .. }
        | Evidence::Conflicts { .. }
        | Evidence::Drift { .. } => structure::evidence(seen),
        Evidence::LimitStated { .. }
        | Evidence::Stopped { .. }
        | Evidence::Repeated { .. }
        | Evidence::SteadyRate { .. }
        | Evidence::Outpaced { .. }
        | Evidence::SameResetTime { .. }
        | Evidence::RetryAfter { .. }
        | Evidence::PartitionNamed
        | Evidence::FitsStatedLimit { .. }
        | Evidence::PassedAlike { .. }
        | Evidence::PassedUnequally { .. }
        | Evidence::OtherLevel { .. }
        | Evidence::Text { .. } => limiter::evidence(seen),
    }
}

fn cpu(seen: &Evidence) -> String {
    match seen {
        Evidence::ThreadCpu {
            name,
            ran_percent,
            waited_percent,
        } => {
            let waited = waited_percent
                .filter(|waited| *waited >= 0.5)
                .map_or(String::new(), |waited| {
                    format!(", and waited for a CPU for {}", percent(waited))
                });
            format!(
                "the thread \"{name}\" ran for {} of the time{waited}",
                percent(*ran_percent)
            )
        }
        Evidence::PoolCpu {
            threads,
            least_percent,
        } => format!(
            "each of the {} ran, or waited for a CPU, for at least {} of the time",
            plural(*threads, "thread"),
            percent(*least_percent)
        ),
        Evidence::TargetCpu {
            percent: used,
            cores,
        } => format!(
            "the target used {} of one core, and may use {}",
            percent(*used),
            plural(*cores, "core")
        ),
        Evidence::LessCpuAt {
            per_s,
            percent: used,
        } => format!(
            "at {}, this was {} of one core",
            rate(*per_s),
            percent(*used)
        ),
        Evidence::Throttled {
            periods,
            used_up,
            seconds,
        } => format!(
            "the quota was used up in {} periods, and stopped threads for {} s in total",
            share(*used_up, *periods),
            number(*seconds)
        ),
        _ => String::new(),
    }
}

fn resources(seen: &Evidence) -> String {
    match seen {
        Evidence::DescriptorsOpen { open, limit } => {
            format!(
                "{} of {} descriptors were open",
                count(*open),
                count(*limit)
            )
        }
        Evidence::QueueFull { longest, limit } => format!(
            "{} waited to be accepted, in a queue for {}",
            plural(*longest, "connection"),
            count(*limit)
        ),
        Evidence::ConnectionsDropped { count } => format!(
            "the kernel dropped {} because the queue was full",
            plural(*count, "connection")
        ),
        Evidence::DescriptorsGrew { count, seconds } => format!(
            "the number of open descriptors, without established connections, grew steadily by {} in {} s",
            whole(*count),
            number(*seconds)
        ),
        Evidence::MemoryGrew {
            mb,
            seconds,
            low,
            high,
        } => format!(
            "memory grew steadily by {} in {} s ({} to {} per second)",
            megabytes(*mb),
            number(*seconds),
            mean_bytes(*low),
            mean_bytes(*high)
        ),
        Evidence::SameGrowthPerOperation {
            bytes,
            other,
            times,
        } => format!(
            "it grew by {} per operation here, and by {} at a load {} times as high",
            mean_bytes(*bytes),
            mean_bytes(*other),
            number(1.0 / times)
        ),
        _ => String::new(),
    }
}

fn times(seen: &Evidence) -> String {
    match seen {
        Evidence::FlatThroughput {
            in_flight,
            per_s,
            than_in_flight,
            than_per_s,
        } => format!(
            "with {} requests in flight, {} were completed; with {} in flight, {}",
            number(*than_in_flight),
            rate(*than_per_s),
            number(*in_flight),
            rate(*per_s)
        ),
        Evidence::TimeWithoutWaiting { in_flight, ms } => format!(
            "with {} requests in flight, a request took {}",
            number(*in_flight),
            millis(*ms)
        ),
        Evidence::SlowReceivers { ms, than_ms } => format!(
            "data waited for them for at least half of the time; the median was {}, and {} in a level without slow \
             receivers",
            millis(*ms),
            millis(*than_ms)
        ),
        Evidence::StalledEvery {
            stalls,
            seconds,
            deviation_s,
        } => format!(
            "{} followed each other every {} s, with a deviation of at most {} s",
            plural(*stalls, "stall"),
            number(*seconds),
            number(*deviation_s)
        ),
        Evidence::LongestTimes {
            usual_ms,
            stalled_ms: Some(stalled),
        } => format!(
            "the longest time of a second was at least {} during the stalls, and usually {}",
            millis(*stalled),
            millis(*usual_ms)
        ),
        Evidence::LongestTimes {
            usual_ms,
            stalled_ms: None,
        } => format!(
            "operations timed out during the stalls; the longest time of a second was usually {}",
            millis(*usual_ms)
        ),
        Evidence::FailedAfter {
            count: at_once,
            of,
            from_ms,
            to_ms,
        } => format!(
            "{} failed responses arrived after {} to {}",
            share(*at_once, *of),
            millis(*from_ms),
            millis(*to_ms)
        ),
        Evidence::SucceededSooner { count: 0, .. } => "no request succeeded".to_owned(),
        Evidence::SucceededSooner { count, longer } => format!(
            "{} requests that succeeded took longer",
            share(*longer, *count)
        ),
        _ => String::new(),
    }
}
