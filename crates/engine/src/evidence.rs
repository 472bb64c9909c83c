//! Decides whether a level supports the outcome of a threshold.
//!
//! A late start is part of the response time, so a slow generator makes an upper limit harder to meet. A limit that
//! held would also have held with a perfect generator, if the target had the same load. The generator may be the cause
//! of a broken limit, so that outcome needs a valid level. The exception is a target that refuses every request of a
//! name.

use plan::{Aggregate, Figure, Op, SubjectKind, Threshold};
use record::{Inconclusive, Level, Outcome, Shortfall};

use crate::observe::decide;
use crate::refused;
use crate::shortfall;

/// The condition that a level must meet to support a threshold that held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// No condition, because a weaker generator only makes the threshold harder to meet.
    Nothing,
    /// The target must have had the planned load, because less load makes the threshold easier to meet.
    Load,
    /// Like `Load`. In addition, the generator must not have slowed down the users of a closed load, because at the
    /// full load the times would have been longer.
    LoadOfTimes,
    /// The level must be valid, because a weak generator itself makes the threshold easier to meet.
    ValidLevel,
}

/// The outcome, or inconclusive if the level does not support it.
pub(crate) fn as_far_as_it_carries(
    threshold: &Threshold,
    level: &Level,
    found: Outcome,
) -> Outcome {
    let invalid = Outcome::Inconclusive(Inconclusive::InvalidLevel);
    let contradicts = level.little.is_some_and(|law| !law.holds);
    if let Some(error_ms) = clock_error(threshold, level)
        && !survives(threshold, level, &found, error_ms)
    {
        return Outcome::Inconclusive(Inconclusive::ClockError { error_ms });
    }
    match found {
        Outcome::Inconclusive(_) => found,
        _ if contradicts || level.phases.duration_s <= 0.0 => invalid,
        Outcome::Broken if level.is_invalid() && !refused::decide_alone(threshold, level) => {
            invalid
        }
        Outcome::Broken => found,
        Outcome::Held => match needs(threshold) {
            Needs::ValidLevel if level.is_invalid() => invalid,
            Needs::Nothing | Needs::ValidLevel => found,
            Needs::Load => less_load(shortfall::of(level)).unwrap_or(found),
            Needs::LoadOfTimes => times(threshold, level).unwrap_or(found),
        },
    }
}

/// The largest error of the latencies that the threshold limits, in ms. `None` if one clock measured them.
fn clock_error(threshold: &Threshold, level: &Level) -> Option<f64> {
    use Aggregate as A;
    let of_latency = matches!(
        threshold.aggregate,
        A::Percentile(_) | A::Mean | A::Min | A::Max
    );
    if threshold.subject.kind != SubjectKind::Delivery || !of_latency {
        return None;
    }
    let name = threshold.subject.name.as_deref();
    let channels = level.measured.deliveries.iter();
    let limited = channels.filter(|(channel, _)| name.is_none_or(|name| name == channel.as_str()));
    let errors = limited.filter_map(|(_, deliveries)| deliveries.clock_error_ms);
    errors.reduce(f64::max)
}

/// Whether the outcome is the same if all latencies are wrong by the same error, in either direction.
fn survives(threshold: &Threshold, level: &Level, found: &Outcome, error_ms: f64) -> bool {
    let shifted = |by_ms: f64| {
        let mut shifted = threshold.clone();
        shifted.limit.value += by_ms * 1e6;
        decide(&shifted, level).0
    };
    matches!(found, Outcome::Inconclusive(_))
        || [-error_ms, error_ms]
            .into_iter()
            .all(|by| shifted(by) == *found)
}

/// Checks upper limits on times. Without the generator's delay, each user's loop would have been shorter, and the
/// target's times longer by at most the same share. The limit must therefore hold even if it is reduced by that share.
fn times(threshold: &Threshold, level: &Level) -> Option<Outcome> {
    match shortfall::of(level) {
        Some(Shortfall::LoopSlowed { .. }) | None => {}
        other => return less_load(other),
    }
    let slowed = shortfall::slowed(level).unwrap_or(0.0);
    if slowed < shortfall::SLOWED_NOISE {
        return None;
    }
    let mut tighter = threshold.clone();
    tighter.limit.value *= 1.0 - slowed.min(1.0);
    let keeps = slowed <= shortfall::SLOWED_MOST && decide(&tighter, level).0 == Outcome::Held;
    let shortfall = Shortfall::LoopSlowed {
        percent: slowed * 100.0,
    };
    less_load((!keeps).then_some(shortfall))
}

fn less_load(shortfall: Option<Shortfall>) -> Option<Outcome> {
    shortfall.map(|shortfall| Outcome::Inconclusive(Inconclusive::LessLoad { shortfall }))
}

fn needs(threshold: &Threshold) -> Needs {
    use Aggregate as A;
    let upper = matches!(threshold.op, Op::Less | Op::AtMost);
    let lower = matches!(threshold.op, Op::More | Op::AtLeast);
    let none = threshold.op == Op::Equal && threshold.limit.value == 0.0;
    if threshold.subject.kind == SubjectKind::Metric {
        return Needs::ValidLevel;
    }
    if threshold.figure == Some(Figure::RealTimeFactor) {
        // A late generator lowers the factor.
        return if lower {
            Needs::Load
        } else {
            Needs::ValidLevel
        };
    }
    match threshold.aggregate {
        A::Percentile(_) | A::Mean | A::Min | A::Max if upper => Needs::LoadOfTimes,
        A::Dropped => Needs::Nothing,
        A::Count | A::Rate if lower => Needs::Nothing,
        A::Delivered | A::Converged | A::Reached if !upper => Needs::Load,
        A::Count | A::Rate if threshold.op != Op::Unequal => Needs::Load,
        A::Failed
        | A::Late
        | A::Lost
        | A::Duplicated
        | A::Reordered
        | A::Surplus
        | A::Unanswered
        | A::Misdelivered
        | A::Diverged
        | A::Unknown
            if upper || none =>
        {
            Needs::Load
        }
        A::Cpu | A::Memory if upper => Needs::Load,
        _ => Needs::ValidLevel,
    }
}
