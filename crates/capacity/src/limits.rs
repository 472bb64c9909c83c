//! Finds limits of the kernel that the target has reached: descriptors and the listen queue.

use record::{Advice, Cause, Confidence, Evidence, Finding, Level, Run};

use crate::usable;

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
    let levels: Vec<(usize, u64, u64)> = usable(run).filter_map(at_limit).collect();
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
    let levels: Vec<(usize, u64, u64, u64)> = usable(run).filter_map(overflows).collect();
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
