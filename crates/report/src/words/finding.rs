//! Formats findings as sentences without a full stop: the cause, its evidence, open questions and next steps.

mod advice;
mod evidence;
mod structure;
mod unknown;

use format::{about, mean_bytes, millis, number, percent, rate, seconds, span};
use record::{
    Cause, Finding, FixedConcurrency, GrowingDescriptors, GrowingMemory, PeriodicStalls,
    SaturatedThread,
};

use super::limiter;

pub(crate) use advice::advice;
pub(crate) use evidence::evidence;
pub(crate) use unknown::unknown;

/// Returns the name of the finding's cause.
pub(crate) fn name(finding: &Finding) -> &'static str {
    match finding.cause {
        Cause::RateLimiter(_) => "rate limiter",
        Cause::CpuQuota(_) => "CPU quota",
        Cause::AllCores(_) => "CPU",
        Cause::SaturatedPool(_) => "saturated threads",
        Cause::SaturatedThread(_) => "saturated thread",
        Cause::DescriptorsExhausted { .. } => "descriptors",
        Cause::GrowingDescriptors(_) => "growing descriptors",
        Cause::GrowingMemory(_) => "growing memory",
        Cause::ListenQueueFull { .. } => "listen queue",
        Cause::FixedConcurrency(_) => "fixed concurrency",
        Cause::PeriodicStalls(_) => "periodic stalls",
        Cause::FixedTimeout(_) => "fixed timeout",
        Cause::Generator(_) => "generator",
        Cause::PortsExhausted { .. } => "local ports",
        Cause::SlowSetup(_) => "setup",
        Cause::ConnectionCost(_) => "opening connections",
        Cause::LinearFanOut(_) => "fan-out",
        Cause::QuadraticFanOut(_) => "quadratic fan-out",
        Cause::LockConvoy(_) => "lock",
        Cause::SingleWriter(_) => "single writer",
        Cause::UpstreamPool(_) => "upstream pool",
        Cause::SlowConsumers(_) => "slow consumers",
        Cause::ResidualSessions(_) => "residual sessions",
        Cause::SynchronisedRetries(_) => "synchronised retries",
        Cause::DelayedAcknowledgement(_) => "delayed acknowledgement",
        Cause::UniquenessCollisions(_) => "collisions",
        Cause::GrowingLatency(_) => "growing latency",
        Cause::GrowingSessions(_) => "growing sessions",
        Cause::Text { .. } => "cause",
    }
}

/// Formats the finding as one sentence.
pub fn sentence(finding: &Finding) -> String {
    match &finding.cause {
        Cause::RateLimiter(found) => limiter::sentence(found),
        Cause::CpuQuota(quota) => format!(
            "the target uses up its CPU quota of {} in {} of the periods",
            cores(quota.cores),
            percent(quota.throttled_percent)
        ),
        Cause::AllCores(all) if all.cores == 1 => {
            "the target's threads use all of the one core that they may run on".to_owned()
        }
        Cause::AllCores(all) => format!(
            "the target uses all of the {} cores that it may run on",
            all.cores
        ),
        Cause::SaturatedPool(pool) => format!(
            "all {} threads \"{}…\" of the target are busy all the time",
            pool.threads, pool.name
        ),
        Cause::SaturatedThread(thread) => saturated_thread(thread),
        Cause::DescriptorsExhausted { limit } => {
            format!("the target has used up its {limit} descriptors, and cannot open connections")
        }
        Cause::GrowingDescriptors(open) => growing_descriptors(open),
        Cause::GrowingMemory(memory) => growing_memory(memory),
        Cause::ListenQueueFull { limit } => format!(
            "the target accepts connections too slowly: the queue of {limit} connections that wait for it is full"
        ),
        Cause::FixedConcurrency(fixed) => fixed_concurrency(fixed),
        Cause::PeriodicStalls(stalls) => periodic_stalls(stalls),
        Cause::FixedTimeout(timeout) => format!(
            "{} fails after {}: the target, or a component in front of it, gives up at this time",
            timeout.name,
            millis(timeout.after_ms)
        ),
        Cause::Generator(_)
        | Cause::PortsExhausted { .. }
        | Cause::SlowSetup(_)
        | Cause::ConnectionCost(_)
        | Cause::LinearFanOut(_)
        | Cause::QuadraticFanOut(_)
        | Cause::LockConvoy(_)
        | Cause::SingleWriter(_)
        | Cause::UpstreamPool(_)
        | Cause::SlowConsumers(_)
        | Cause::ResidualSessions(_)
        | Cause::SynchronisedRetries(_)
        | Cause::DelayedAcknowledgement(_)
        | Cause::UniquenessCollisions(_)
        | Cause::GrowingLatency(_)
        | Cause::GrowingSessions(_) => structure::sentence(&finding.cause),
        Cause::Text { what } => what.clone(),
    }
}

fn cores(cores: f64) -> String {
    if (cores - 1.0).abs() < f64::EPSILON {
        "1 core".to_owned()
    } else {
        format!("{} cores", number(cores))
    }
}

fn saturated_thread(thread: &SaturatedThread) -> String {
    let event_loop = thread.runtime.as_ref().map_or(String::new(), |runtime| {
        format!(" (the main thread of {runtime})")
    });
    format!(
        "one thread of the target, \"{}\"{event_loop}, is busy all the time",
        thread.name
    )
}

fn growing_descriptors(open: &GrowingDescriptors) -> String {
    let full = full_after(open.full_after_s);
    format!(
        "the target opens {} descriptors per second that it does not close{full}",
        number(open.per_s)
    )
}

/// When a limit is reached.
fn full_after(seconds: Option<f64>) -> String {
    seconds.map_or(String::new(), |full| {
        format!(
            "; at this load, the limit is reached in {}",
            span(full.round())
        )
    })
}

fn growing_memory(memory: &GrowingMemory) -> String {
    let speed = match memory.bytes_per_operation {
        Some(each) => format!("{} per operation", mean_bytes(each)),
        None => format!("{} per second", mean_bytes(memory.bytes_per_s)),
    };
    let full = full_after(memory.full_after_s);
    format!("the target's memory grows by {speed}, and is not released{full}")
}

fn fixed_concurrency(fixed: &FixedConcurrency) -> String {
    let ms = millis(fixed.work_ms);
    let per_s = rate(fixed.per_s);
    match fixed.places {
        1.0 => format!("the target processes one request at a time, each in {ms}: about {per_s}"),
        places => format!(
            "the target processes {} requests at a time, each in {ms}: about {per_s}",
            about(places)
        ),
    }
}

fn periodic_stalls(stalls: &PeriodicStalls) -> String {
    let every = seconds((stalls.every_s * 10.0).round() / 10.0);
    let longest = match (stalls.longest_ms, stalls.longest_at_least_ms) {
        (Some(longest), _) => format!(" for up to {}", millis(longest)),
        (None, Some(least)) => format!(
            "; operations timed out, so the longest stall took at least {}",
            millis(least)
        ),
        (None, None) => String::new(),
    };
    format!("the target stops every {every}{longest}")
}
