//! Finds figures that grow steadily under a constant load, as they do in a soak test: response times, and established
//! connections. Memory and descriptors have modules of their own.

use record::{
    Advice, Cause, Confidence, Drifting, Evidence, Finding, GrowingLatency, GrowingSessions, Level,
    Run, Unknown,
};
use stats::{Growth, growth};

use crate::levels::usable;
use crate::median::median;
use crate::target::descriptors_full_after_s;
use crate::throughput::{is_even, seconds};
use crate::windows;

/// Shortest measured time in seconds. In a shorter one, caches and pools still fill.
const SHORTEST_S: f64 = 300.0;
/// Number of parts of the measured time whose medians are compared. The medians of longer parts vary less.
const PARTS: usize = 24;
/// Smallest growth in a level, as a share of the value at its start.
const LEAST_SHARE: f64 = 0.1;
/// Smallest growth of the median in a level, in milliseconds.
const LEAST_MS: f64 = 0.5;
/// Smallest growth of the number of connections in a level.
const LEAST_CONNECTIONS: f64 = 10.0;
const HOUR_S: f64 = 3600.0;

/// The growth of a figure in a level.
struct Drift<'a> {
    level: &'a Level,
    growth: Growth,
    end: f64,
}

/// Finds response times, or delivery latencies, that grow.
pub(crate) fn latency(run: &Run) -> Option<Finding> {
    let of_level = |level: &Level| -> Vec<(f64, f64)> {
        windows::measured(level)
            .filter_map(|window| Some((window.start_s, window.p50_ms?)))
            .collect()
    };
    let drift = strongest(run, of_level, LEAST_MS)?;
    let cause = Cause::GrowingLatency(GrowingLatency {
        ms_per_h: drift.growth.per_s * HOUR_S,
        ms: drift.end,
        doubled_after_s: drift.end / drift.growth.per_s,
    });
    Some(finding(cause, Drifting::Latency, &drift))
}

/// Finds established connections whose number grows, although the number of users is constant.
pub(crate) fn sessions(run: &Run) -> Option<Finding> {
    let of_level = |level: &Level| -> Vec<(f64, f64)> {
        let samples = level.target.iter().flat_map(|target| &target.samples);
        samples
            .filter_map(|sample| Some((sample.at_s, sample.connections? as f64)))
            .collect()
    };
    let drift = strongest(run, of_level, LEAST_CONNECTIONS)?;
    let target = drift.level.target.as_ref()?;
    let cause = Cause::GrowingSessions(GrowingSessions {
        per_s: drift.growth.per_s,
        full_after_s: descriptors_full_after_s(target, drift.growth.per_s),
    });
    Some(finding(cause, Drifting::Connections, &drift))
}

/// The drift of the level in which the figure grows most, relative to its value.
fn strongest(
    run: &Run,
    of_level: impl Fn(&Level) -> Vec<(f64, f64)>,
    least: f64,
) -> Option<Drift<'_>> {
    usable(run)
        .filter(|level| is_even(level) && seconds(level) >= SHORTEST_S)
        .filter_map(|level| drift(level, &of_level(level), least))
        .max_by(|one, other| {
            let relative = |drift: &Drift<'_>| drift.growth.per_s / drift.end;
            relative(one).total_cmp(&relative(other))
        })
}

fn drift<'a>(level: &'a Level, points: &[(f64, f64)], least: f64) -> Option<Drift<'a>> {
    let parts = medians(points);
    let growth = growth(&parts).filter(|growth| growth.steady)?;
    let (start, end) = (parts.first()?.1, parts.last()?.1);
    let grown = growth.low * seconds(level);
    (grown >= least && grown >= start * LEAST_SHARE).then_some(Drift { level, growth, end })
}

/// The median time and value of each part of the points.
fn medians(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let length = points.len().div_ceil(PARTS).max(1);
    let parts = points.chunks(length).filter(|part| part.len() == length);
    parts
        .filter_map(|part| {
            let mut values: Vec<f64> = part.iter().map(|point| point.1).collect();
            Some((part[length / 2].0, median(&mut values)?))
        })
        .collect()
}

fn finding(cause: Cause, of: Drifting, drift: &Drift<'_>) -> Finding {
    let growth = drift.growth;
    let target = drift.level.target.as_ref();
    let advice = target.map(|target| match of {
        Drifting::Latency => Advice::Profile { pid: target.pid },
        Drifting::Connections => Advice::ListDescriptors { pid: target.pid },
    });
    Finding {
        cause,
        confidence: Confidence::High,
        levels: vec![drift.level.index],
        limits: Vec::new(),
        evidence: vec![Evidence::Drift {
            of,
            per_h: growth.per_s * HOUR_S,
            low: growth.low * HOUR_S,
            high: growth.high * HOUR_S,
            seconds: seconds(drift.level),
        }],
        unknown: vec![Unknown::GrowthEnds],
        advice: advice.into_iter().collect(),
    }
}
