//! Reads the outcome of a trial from the record of its run.

mod effects;
mod select;

use model::Nanos;
use plan::{Aggregate, Op, SubjectKind, Threshold, Unit};
use record::{Inconclusive, Level, Measured, Run, ThresholdResult};
use stats::{Histogram, Shares};

use effects::Effects;
use select::{selected, timings};

use super::own_limits::limits_of_generator;
use super::trial::{Evidence, Outcome, Readiness, ShareEvidence};
use crate::throughput::{of_all_operations, operations, succeeded_per_s};

/// A target that completes less than this share of what is started falls behind, unless chance explains it.
const BEHIND: f64 = 0.05;
/// With fewer starts, chance explains everything.
const FEWEST_STARTS: f64 = 30.0;

/// Returns the outcome of a trial, which is a run of one level. `None` if the run ended before the level.
///
/// `took_s`: the time that the run took in all, in seconds.
pub fn outcome(run: &Run, thresholds: &[Threshold], took_s: f64) -> Option<Outcome> {
    let level = run.levels.first()?;
    let results = || {
        let judged =
            |result: &&ThresholdResult| result.inconclusive != Some(Inconclusive::OutOfReach);
        run.thresholds.iter().filter(judged)
    };
    let named = |results: &mut dyn Iterator<Item = &ThresholdResult>| {
        results
            .map(|result| format!("{}: {}", result.metric, result.condition))
            .collect::<Vec<_>>()
    };
    let judged = results().filter_map(|result| {
        let of = |one: &&Threshold| {
            one.source == result.condition && one.subject.to_string() == result.metric
        };
        let threshold = thresholds.iter().find(of)?;
        Some(match counts(threshold, level) {
            Some(counts) => Evidence::Share(counts),
            None => match result.held {
                Some(true) => Evidence::Held,
                Some(false) => Evidence::Broken,
                None => Evidence::Undecided,
            },
        })
    });
    let evidence: Vec<Evidence> = judged.collect();
    let mut outcome = Outcome {
        took_s,
        generator: Vec::new(),
        undecided: evidence.contains(&Evidence::Undecided),
        evidence: combined(evidence),
        arrived: arrived(level),
        completed: completed(level),
        median_ms: median(&level.measured).map(Nanos::as_millis_f64),
        succeeded: succeeded(level),
        succeeded_per_s: per_s(level, level.measured.iterations.succeeded),
        throughput_per_s: throughput(level),
        readiness: readiness(level),
        not_ready: false,
        broken: named(&mut results().filter(|result| result.held == Some(false))),
        unmeasured: named(
            &mut results().filter(|result| result.inconclusive == Some(Inconclusive::NoData)),
        ),
        leftovers: level.leftovers.filter(|left| *left != 0.0),
    };
    let shortfall = results().find_map(|result| match result.inconclusive {
        Some(Inconclusive::LessLoad { shortfall }) => Some(shortfall),
        _ => None,
    });
    let shortfall = shortfall.filter(|_| !outcome.failed());
    outcome.generator = limits_of_generator(level, outcome.failed(), shortfall);
    Some(outcome)
}

/// The evidence of all thresholds together: the threshold that is worst off decides.
fn combined(each: Vec<Evidence>) -> Evidence {
    let rank = |evidence: &Evidence| match evidence {
        Evidence::Broken => f64::INFINITY,
        Evidence::Share(counts) => excess(counts),
        Evidence::Undecided => f64::MIN,
        Evidence::Held => f64::NEG_INFINITY,
    };
    let worst = each
        .into_iter()
        .max_by(|one, other| rank(one).total_cmp(&rank(other)));
    worst.unwrap_or(Evidence::Undecided)
}

/// By how many standard errors the share exceeds the allowed one.
fn excess(counts: &ShareEvidence) -> f64 {
    let ShareEvidence {
        of,
        allowed,
        design_effect,
        ..
    } = *counts;
    let independent = of / design_effect.unwrap_or(1.0).max(1.0);
    let error = (allowed * (1.0 - allowed) / independent.max(1.0)).sqrt();
    (counts.share() - allowed) / error.max(1e-9)
}

/// The values beyond the limit of a threshold. `None` if the threshold does not limit a share of values.
fn counts(threshold: &Threshold, level: &Level) -> Option<ShareEvidence> {
    let limit = threshold.limit;
    let upper = matches!(threshold.op, Op::Less | Op::AtMost);
    let measured = &level.measured;
    match threshold.aggregate {
        Aggregate::Percentile(percent) if upper => {
            let span = Nanos(nanos_of(limit.value));
            let (shares, effects) = times_beyond(threshold, measured, span)?;
            let known = (shares.within + shares.beyond) as f64;
            let missing = missing(level, known);
            positive(ShareEvidence {
                beyond: shares.beyond as f64 + missing,
                of: known + missing,
                allowed: 1.0 - percent / 100.0,
                design_effect: effects.most,
                likely_design_effect: effects.likely,
            })
        }
        _ if limit.unit != Unit::Ratio || limit.value <= 0.0 || limit.value >= 1.0 => None,
        Aggregate::Delivered if !upper => {
            let (expected, delivered) = deliveries(threshold, measured, |one| one.delivered)?;
            positive(share(expected - delivered, expected, 1.0 - limit.value))
        }
        Aggregate::Lost if upper => {
            let (expected, lost) = deliveries(threshold, measured, |one| {
                one.lost_count().saturating_sub(one.lost_by_script())
            })?;
            positive(share(lost, expected, limit.value))
        }
        Aggregate::Late if upper => {
            let (expected, late) = deliveries(threshold, measured, |one| one.late)?;
            positive(share(late, expected, limit.value))
        }
        Aggregate::Failed if upper => {
            let (of, failed) = failed(threshold, measured)?;
            let subject = &threshold.subject;
            let all_requests = subject.kind == SubjectKind::Request && subject.name.is_none();
            let effects = if all_requests {
                Effects::of_failures(level)
            } else {
                Effects::default()
            };
            positive(ShareEvidence {
                design_effect: effects.most,
                likely_design_effect: effects.likely,
                ..share(failed, of, limit.value)
            })
        }
        Aggregate::Dropped if upper => {
            let iterations = &measured.iterations;
            let (of, dropped) = (iterations.planned as f64, iterations.dropped as f64);
            positive(share(dropped, of, limit.value))
        }
        _ => None,
    }
}

fn share(beyond: f64, of: f64, allowed: f64) -> ShareEvidence {
    ShareEvidence {
        beyond,
        of,
        allowed,
        design_effect: None,
        likely_design_effect: None,
    }
}

fn positive(counts: ShareEvidence) -> Option<ShareEvidence> {
    (counts.of > 0.0).then_some(counts)
}

/// The values that dropped starts would have had. They count as beyond every limit.
fn missing(level: &Level, known: f64) -> f64 {
    let iterations = &level.measured.iterations;
    let started = iterations.started.max(1) as f64;
    known * iterations.dropped as f64 / started
}

/// The times within a limit and beyond it, with their design effect.
fn times_beyond(
    threshold: &Threshold,
    measured: &Measured,
    limit: Nanos,
) -> Option<(Shares, Effects)> {
    if threshold.subject.kind == SubjectKind::Delivery {
        let name = threshold.subject.name.as_deref();
        let mut all = selected(&measured.deliveries, name).cloned();
        let mut sum = all.next()?;
        all.for_each(|one| sum.merge(&one));
        let beyond = sum.latency.count_above(limit);
        let shares = Shares {
            within: sum.latency.count() - beyond,
            beyond,
            unknown: 0,
        };
        return Some((shares, Effects::of_times(&sum.blocks, limit)));
    }
    if threshold.subject.kind == SubjectKind::Iteration && threshold.subject.name.is_none() {
        let iterations = &measured.iterations;
        return Some((
            iterations.beyond(limit),
            Effects::of_times(&iterations.blocks, limit),
        ));
    }
    let timings = timings(threshold, measured)?;
    Some((
        timings.beyond(limit),
        Effects::of_times(&timings.blocks, limit),
    ))
}

/// The operations that ended, and how many of them failed.
fn failed(threshold: &Threshold, measured: &Measured) -> Option<(f64, f64)> {
    let name = threshold.subject.name.as_deref();
    match threshold.subject.kind {
        SubjectKind::Check => {
            let sum = selected(&measured.checks, name).fold((0, 0), |(of, failed), one| {
                (of + one.passed + one.failed, failed + one.failed)
            });
            Some((sum.0 as f64, sum.1 as f64))
        }
        SubjectKind::Iteration if name.is_none() => {
            let iterations = &measured.iterations;
            let ended = iterations.succeeded + iterations.failed;
            Some((ended as f64, iterations.failed as f64))
        }
        _ => {
            let timings = timings(threshold, measured)?;
            Some((timings.count as f64, timings.failed as f64))
        }
    }
}

/// The expected deliveries, and those with a fate.
fn deliveries(
    threshold: &Threshold,
    measured: &Measured,
    fate: impl Fn(&record::Deliveries) -> u64,
) -> Option<(f64, f64)> {
    let name = threshold.subject.name.as_deref();
    let each = selected(&measured.deliveries, name);
    let sum = each.fold((0, 0), |(of, with), one| {
        (of + one.judged(), with + fate(one))
    });
    (sum.0 > 0).then_some((sum.0 as f64, sum.1 as f64))
}

/// When the users of a closed load were ready.
fn readiness(level: &Level) -> Option<Readiness> {
    let (phases, last) = (&level.phases, level.measured.presence.last);
    level.missed_share().map(|missed| Readiness {
        missed,
        last_s: phases.ramp_s + phases.warmup_s + last.as_secs_f64(),
    })
}

/// The rate of the iterations that were due at random times. `None` for other loads.
fn arrived(level: &Level) -> Option<f64> {
    (level.load.arrivals.as_deref() == Some("poisson")).then_some(())?;
    per_s(level, level.measured.iterations.planned).filter(|rate| *rate > 0.0)
}

/// The rate that the target completed in the second half of the measurement, if it was clearly below the rate at which
/// iterations started. `None` for a closed load, whose users wait for a slow target.
fn completed(level: &Level) -> Option<f64> {
    let rate = level.load.rate_per_s?;
    let iterations = &level.measured.iterations;
    let each = begun_operations(level) as f64 / iterations.started.max(1) as f64;
    let begin = level.phases.ramp_s + level.phases.warmup_s;
    let end = begin + level.phases.duration_s;
    let half = begin + level.phases.duration_s / 2.0;
    // The windows are the seconds of the level, so the first and the last may lie only partly in this time.
    let (first, last) = ((half - 0.01).ceil(), (end + 0.01).floor());
    let whole_seconds = last - first;
    if whole_seconds < 1.0 || each <= 0.0 {
        return None;
    }
    let inside = |start: f64| start > first - 0.01 && start < last - 0.01;
    let windows = level.series.iter().filter(|window| inside(window.start_s));
    let ended: u64 = windows
        .map(|window| window.requests + window.round_trips)
        .sum();
    let completed = ended as f64 / each / whole_seconds;
    let started = rate * whole_seconds;
    is_behind(completed / rate, started).then_some(completed)
}

/// Whether a target that completes this share of the starts falls behind, beyond chance.
fn is_behind(share: f64, starts: f64) -> bool {
    let chance = 3.0 / starts.sqrt();
    starts > FEWEST_STARTS && 1.0 - share > chance.max(BEHIND)
}

/// The operations of the measured time that ended or are in flight.
fn begun_operations(level: &Level) -> u64 {
    let each = operations(&level.measured).map(|(_, one)| one.count + one.unfinished);
    each.sum()
}

/// The share of the planned work that succeeded: of iterations, of requests and round trips, or of deliveries, whichever
/// is lowest. What an overloaded target completes only after the load does not count.
fn succeeded(level: &Level) -> Option<f64> {
    let measured = &level.measured;
    let iterations = &measured.iterations;
    let mut shares = Vec::new();
    let mut add = |good: u64, of: u64| {
        if of > 0 {
            shares.push(good as f64 / of as f64);
        }
    };
    add(
        iterations.succeeded,
        iterations.planned.saturating_sub(iterations.unfinished),
    );
    let count = operations(measured).map(|(_, one)| one.count).sum();
    add(succeeded_operations(measured), count);
    let channels = measured.deliveries.values();
    let of =
        |sum: (u64, u64), one: &record::Deliveries| (sum.0 + one.judged(), sum.1 + one.received());
    let (expected, received) = channels.fold((0, 0), of);
    add(received, expected);
    shares.extend(in_time(level));
    shares.into_iter().reduce(f64::min)
}

/// The rate at which operations succeeded as a share of the rate at which they began. `None` for a closed load, whose
/// users wait for a slow target, and if chance explains the difference.
fn in_time(level: &Level) -> Option<f64> {
    level.load.rate_per_s?;
    let begun = begun_operations(level) as f64;
    let share = of_all_operations(level)?.per_s * level.phases.duration_s / begun;
    is_behind(share, begun).then_some(share)
}

fn per_s(level: &Level, count: u64) -> Option<f64> {
    let seconds = level.phases.duration_s;
    (seconds > 0.0).then(|| count as f64 / seconds)
}

/// Operations and deliveries that succeeded per second. Iterations say little: a user who stays until the level ends
/// completes one, however long the level is.
fn throughput(level: &Level) -> Option<f64> {
    let iterations = || per_s(level, level.measured.iterations.succeeded);
    succeeded_per_s(level).or_else(iterations)
}

/// The number of requests and round trips that succeeded.
fn succeeded_operations(measured: &Measured) -> u64 {
    let each = operations(measured).map(|(_, one)| one.count.saturating_sub(one.failed));
    each.sum()
}

/// The median delivery latency or, without deliveries, the median time of round trips, requests or iterations.
fn median(measured: &Measured) -> Option<Nanos> {
    let merged = |times: &mut dyn Iterator<Item = &Histogram>| {
        let mut sum = Histogram::default();
        times.for_each(|one| sum.merge(one));
        sum.quantile(0.5)
    };
    merged(&mut measured.deliveries.values().map(|one| &one.latency))
        .or_else(|| merged(&mut measured.round_trips.values().map(|one| &one.response)))
        .or_else(|| merged(&mut measured.requests.values().map(|one| &one.response)))
        .or_else(|| measured.iterations.time.quantile(0.5))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "limits on times are positive; `as` from a float saturates"
)]
fn nanos_of(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests;
