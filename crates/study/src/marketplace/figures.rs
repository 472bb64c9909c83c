//! What the study of the marketplace reads out of its records.

use model::{FaultKind, Nanos};
use record::{Level, Measured, Metric, Run, Timings};
use stats::Estimate;

/// People in a trade: a buyer and three sellers.
pub(super) const IN_A_TRADE: u64 = 4;
/// Passwords that are hashed for a trade: each of the four is made and logs in.
pub(super) const HASHES: u64 = 2 * IN_A_TRADE;
/// The requests that hash a password.
pub(super) const HASHED: [&str; 2] = ["users.admin.create", "auth.login"];
/// What every other request should stay below while passwords are hashed, in ms.
pub(super) const PROMISE_MS: f64 = 50.0;
/// Independent samples of which the largest is an upper bound of the p95 with 95 % confidence: 0.95^59 < 0.05.
const FOR_A_BOUND: u64 = 59;

/// One number of trades at once, run as often as it was.
pub(super) struct AtOnce {
    pub(super) trades: u64,
    pub(super) runs: u64,
    pub(super) measured: Measured,
    /// From the first start to the last end, on average.
    pub(super) took_s: f64,
    pub(super) sound: bool,
}

/// So many trades at once; repetitions of the same load together, levels of another load never.
pub(super) fn at_once(run: Option<&Run>, trades: u64) -> Option<AtOnce> {
    let levels: Vec<&Level> = levels(run)
        .filter(|level| level.load.groups == trades)
        .collect();
    let mut measured = Measured::default();
    for level in &levels {
        measured.merge(level.measured.clone());
    }
    let took_s: f64 = levels.iter().map(|level| level.phases.duration_s).sum();
    (!levels.is_empty()).then(|| AtOnce {
        trades,
        runs: levels.len() as u64,
        measured,
        took_s: took_s / levels.len() as f64,
        sound: levels.iter().all(|level| !level.is_invalid()),
    })
}

impl AtOnce {
    /// Trades that came through, and how many were begun.
    pub(super) fn passed(&self) -> (u64, u64) {
        let all = &self.measured.iterations;
        (all.succeeded, all.started)
    }

    /// How many trades came to a step, whatever became of them there.
    pub(super) fn reached(&self, step: &str) -> Option<u64> {
        let mut steps = self.measured.story.steps.iter();
        steps
            .find(|one| one.path.last().is_some_and(|name| name == step))
            .map(|one| one.reached)
    }

    /// All requests that hashed a password, or one kind of them.
    pub(super) fn hashed(&self, names: &[&str]) -> Timings {
        self.of(|name| names.contains(&name))
    }

    /// All requests that did not.
    pub(super) fn others(&self) -> Timings {
        self.of(|name| !HASHED.contains(&name))
    }

    fn of(&self, wanted: impl Fn(&str) -> bool) -> Timings {
        merged(&self.measured, wanted)
    }

    /// Passwords hashed per second, from the first start to the last end.
    pub(super) fn hashes_per_s(&self) -> f64 {
        (self.trades * HASHES) as f64 / self.took_s
    }
}

/// Requests of a level that hash nothing.
pub(super) fn others(level: &Level) -> Timings {
    merged(&level.measured, |name| !HASHED.contains(&name))
}

fn merged(measured: &Measured, wanted: impl Fn(&str) -> bool) -> Timings {
    let mut all = Timings::default();
    for (_, one) in measured.requests.iter().filter(|(name, _)| wanted(name)) {
        all.merge(one);
    }
    all
}

pub(super) fn levels(run: Option<&Run>) -> impl Iterator<Item = &Level> {
    run.into_iter().flat_map(|run| &run.levels)
}

/// `16 of 16 (≥ 79.4 %)`: with what the true share is at least, 95 % sure where each trade fails by itself; nothing is
/// not a share.
pub(super) fn share((passed, of): (u64, u64)) -> String {
    let Some((low, high)) = stats::clopper_pearson(passed, of) else {
        return "none was begun".to_owned();
    };
    let (low, high) = (low * 100.0, high * 100.0);
    if passed == of {
        format!("{passed} of {of} (≥ {low:.1} %)")
    } else if passed == 0 {
        format!("0 of {of} (≤ {high:.1} %)")
    } else {
        format!("{passed} of {of} ({low:.1}–{high:.1} %)")
    }
}

/// `12.3 ms`, `1.23 s`.
pub(super) fn time(value: Nanos) -> String {
    let ms = value.as_millis_f64();
    if ms >= 1000.0 {
        format!("{:.2} s", ms / 1000.0)
    } else {
        format!("{ms:.1} ms")
    }
}

/// A percentile, or why there is none.
pub(super) fn at(estimate: Estimate) -> String {
    match estimate {
        Estimate::Value { value, .. } => time(value),
        Estimate::Beyond {
            at_least: Some(age),
        } => format!("> {}", time(age)),
        Estimate::Beyond { at_least: None } => "timed out".to_owned(),
        Estimate::Unavailable { .. } => "n/a".to_owned(),
    }
}

/// The same with its interval, or why there is none.
pub(super) fn with_interval(estimate: Estimate) -> String {
    match estimate {
        Estimate::Value {
            value,
            interval: Some((low, high)),
        } => format!("{} ({}–{})", time(value), time(low), time(high)),
        Estimate::Value { value, .. } => format!("{} (n/a)", time(value)),
        other => at(other),
    }
}

/// The p95; with fewer than 200 and at least 59 of them the longest as its upper bound, 95 % sure; else nothing.
pub(super) fn p95(timings: &Timings) -> String {
    let enough = timings.count >= FOR_A_BOUND && timings.failed == 0 && timings.unfinished == 0;
    match (timings.response_at(0.95), timings.longest()) {
        (Estimate::Unavailable { .. }, Some(longest)) if enough => format!("≤ {}", time(longest)),
        (estimate, _) => at(estimate),
    }
}

pub(super) fn longest(timings: &Timings) -> String {
    match (timings.longest(), timings.timed_out) {
        (Some(longest), _) => time(longest),
        (None, 0) => "n/a".to_owned(),
        (None, timed_out) => format!("{timed_out} timed out"),
    }
}

/// Requests that a rate limit refused.
pub(super) fn rate_limited(level: &Level) -> u64 {
    let failures = level.measured.failures.iter();
    let limited = failures.filter(|failure| failure.kind == FaultKind::RateLimited);
    limited.map(|failure| failure.count).sum()
}

/// A value that the scenario measured.
pub(super) fn metric<'a>(level: &'a Level, name: &str) -> Option<&'a Metric> {
    let metric = level.measured.metrics.get(name)?;
    (metric.count > 0).then_some(metric)
}
