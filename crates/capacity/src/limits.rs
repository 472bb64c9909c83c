//! Finds limits of the kernel that the target has reached, or will reach: descriptors and the listen queue.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, GrowingDescriptors, Level, Run, TargetUse,
    Unknown,
};

use crate::levels::counted;
use crate::target::descriptors_full_after_s;
use crate::throughput::seconds;

/// Growth of the number of descriptors in a level below which it is not reported.
const LEAST_GROWTH: f64 = 10.0;

/// Descriptors in use at which a program can open no more, in percent. Some programs keep a few in reserve.
const DESCRIPTORS_USED_UP: f64 = 98.0;

/// Finds a target that has no descriptors left, so that it cannot accept connections.
pub(crate) fn descriptors(run: &Run) -> Option<Finding> {
    let at_limit = |level: &Level| {
        let target = level.target.as_ref()?;
        let used_up = target.descriptors_used_percent? >= DESCRIPTORS_USED_UP;
        let limit = target.descriptor_limit?;
        let refused = level
            .measured
            .connections
            .values()
            .any(|timings| timings.failed > 0);
        (used_up && refused).then_some((level.index, target.descriptors.unwrap_or(limit), limit))
    };
    let levels: Vec<(usize, u64, u64)> = counted(run).filter_map(at_limit).collect();
    let &(_, open, limit) = levels.first()?;
    Some(Finding {
        cause: Cause::DescriptorsExhausted { limit },
        confidence: Confidence::Certain,
        levels: levels.iter().map(|(level, ..)| *level).collect(),
        limits: Vec::new(),
        evidence: vec![Evidence::DescriptorsOpen { open, limit }],
        unknown: Vec::new(),
        advice: vec![Advice::MoreDescriptors],
    })
}

/// Finds a target that opens descriptors and does not close them. Established connections are not counted: they are
/// as many as the load opens.
pub(crate) fn growing_descriptors(run: &Run) -> Option<Finding> {
    let grown: Vec<(&Level, &TargetUse, f64)> = run
        .levels
        .iter()
        .filter_map(|level| {
            let target = level.target.as_ref()?;
            let own = target.samples.iter().filter_map(|sample| {
                let connections = sample.connections.unwrap_or(0);
                Some((
                    sample.at_s,
                    sample.descriptors?.saturating_sub(connections) as f64,
                ))
            });
            let growth = stats::growth(&own.collect::<Vec<_>>()).filter(|growth| growth.steady)?;
            (growth.low * seconds(level) >= LEAST_GROWTH).then_some((level, target, growth.per_s))
        })
        .collect();
    let &(level, target, per_s) = grown
        .iter()
        .max_by(|one, other| one.2.total_cmp(&other.2))?;
    Some(Finding {
        cause: Cause::GrowingDescriptors(GrowingDescriptors {
            per_s,
            full_after_s: descriptors_full_after_s(target, per_s),
        }),
        confidence: Confidence::High,
        levels: grown.iter().map(|(level, ..)| level.index).collect(),
        limits: Vec::new(),
        evidence: vec![Evidence::DescriptorsGrew {
            count: per_s * seconds(level),
            seconds: seconds(level),
        }],
        unknown: vec![Unknown::GrowthEnds],
        advice: vec![
            Advice::ListDescriptors { pid: target.pid },
            Advice::RunLonger,
        ],
    })
}

/// Finds a full queue of connections that wait to be accepted.
pub(crate) fn listen_queue(run: &Run) -> Option<Finding> {
    let overflows = |level: &Level| {
        let target = level.target.as_ref()?;
        let queue = target.listen_queue?;
        let limit = queue.limit?;
        let dropped = target.listen_overflows?;
        let full = queue.full > 0 || queue.longest >= limit;
        (full && dropped > 0).then_some((level.index, queue.longest, limit, dropped))
    };
    let levels: Vec<(usize, u64, u64, u64)> = counted(run).filter_map(overflows).collect();
    let &(_, longest, limit, count) = levels.iter().max_by_key(|(.., dropped)| *dropped)?;
    Some(Finding {
        cause: Cause::ListenQueueFull { limit },
        confidence: Confidence::High,
        levels: levels.iter().map(|(level, ..)| *level).collect(),
        limits: Vec::new(),
        evidence: vec![
            Evidence::QueueFull { longest, limit },
            Evidence::ConnectionsDropped { count },
        ],
        unknown: Vec::new(),
        advice: vec![Advice::LargerListenQueue],
    })
}
