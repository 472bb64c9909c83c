//! Finds messages whose CPU time grows with the number of their receivers, by comparing levels with groups of different
//! sizes.

use record::{Advice, Cause, Confidence, Evidence, FanOut, Finding, Level, Run, TargetUse};

use crate::levels::counted;
use crate::target::{cores, most_wanted};
use crate::windows;

/// Ratio of two numbers of receivers from which they can be compared.
const DIFFERENT: f64 = 2.0;
/// Fewest messages in each of the two levels.
const FEWEST: u64 = 20;
/// From this exponent on, receivers dominate the cost of a message.
const LINEAR: f64 = 0.6;
/// From this exponent on, a delivery costs more the more receivers there are.
const QUADRATIC: f64 = 1.4;
/// Share of the time in which the busiest thread wants a CPU, or of all cores that are used, from which CPU time limits
/// the target, in percent.
const BUSY: f64 = 80.0;

/// The messages of a level.
struct Messages<'a> {
    level: &'a Level,
    receivers: f64,
    us: f64,
}

/// Finds a fan-out that limits the target.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    // CPU time and counts are exact even in a level whose times are invalid.
    let mut all: Vec<Messages<'_>> = counted(run).filter_map(messages).collect();
    all.sort_by(|one, other| one.receivers.total_cmp(&other.receivers));
    let (few, many) = (all.first()?, all.last()?);
    let times = many.receivers / few.receivers;
    let is_busy = many.level.target.as_ref().is_some_and(is_busy);
    if times < DIFFERENT || !is_busy {
        return None;
    }
    let power = (many.us / few.us).ln() / times.ln();
    let figures = FanOut {
        receivers: many.receivers,
        message_us: many.us,
        power,
    };
    let (cause, advice) = if power >= QUADRATIC {
        (Cause::QuadraticFanOut(figures), Advice::EncodeOnce)
    } else if power >= LINEAR {
        (Cause::LinearFanOut(figures), Advice::FewerDeliveries)
    } else {
        return None;
    };
    Some(Finding {
        cause,
        confidence: if all.len() > 2 {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: vec![many.level.index],
        limits: Vec::new(),
        evidence: vec![Evidence::MessageCpu {
            receivers: many.receivers,
            us: many.us,
            than_receivers: few.receivers,
            than_us: few.us,
        }],
        unknown: Vec::new(),
        advice: vec![advice],
    })
}

fn messages(level: &Level) -> Option<Messages<'_>> {
    let all = level.measured.deliveries.values();
    let (sent, expected) = all.fold((0, 0), |sum, one| {
        (sum.0 + one.messages, sum.1 + one.expected)
    });
    let cpu = level.target.as_ref()?.cpu_percent?;
    let receivers = expected as f64 / sent as f64;
    let per_s = delivered_per_s(level) / receivers;
    let is_known = sent >= FEWEST && expected > 0 && cpu > 0.0 && per_s > 0.0;
    is_known.then_some(Messages {
        level,
        receivers,
        us: cpu / 100.0 * 1e6 / per_s,
    })
}

/// Deliveries per second in the measured time. A target that falls behind makes most of its deliveries later.
fn delivered_per_s(level: &Level) -> f64 {
    let complete = windows::complete(level).map(|window| window.deliveries);
    let delivered: Vec<u64> = complete.collect();
    delivered.iter().sum::<u64>() as f64 / delivered.len() as f64
}

fn is_busy(target: &TargetUse) -> bool {
    let cpu = target.cpu_percent.unwrap_or_default();
    most_wanted(target) >= BUSY || cpu >= cores(target) as f64 * BUSY
}
