//! The figures that the study of the marketplace reads from its records.

use model::{FaultKind, Nanos};
use record::{Level, Measured, Metric, Run, Timings};
use stats::Estimate;

/// The users in a trade: a buyer and three sellers.
pub(super) const IN_A_TRADE: u64 = 4;
/// The passwords hashed per trade: each of the four users is created and logs in.
pub(super) const HASHES: u64 = 2 * IN_A_TRADE;
/// The requests that hash a password.
pub(super) const HASHED: [&str; 2] = ["users.admin.create", "auth.login"];
/// The threshold for p95 of all other requests while passwords are hashed, in ms.
pub(super) const PROMISE_MS: f64 = 50.0;
/// The number of independent samples whose largest is an upper bound of the p95 with 95 % confidence: 0.95^59 < 0.05.
const FOR_A_BOUND: u64 = 59;

/// All runs of one number of concurrent trades.
pub(super) struct AtOnce {
    pub(super) trades: u64,
    pub(super) runs: u64,
    pub(super) measured: Measured,
    /// From the first start to the last end, on average, in seconds.
    pub(super) took_s: f64,
    pub(super) valid: bool,
}

/// Merges the runs of this number of concurrent trades. Levels of other loads are never merged.
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
        valid: levels.iter().all(|level| !level.is_invalid()),
    })
}

impl AtOnce {
    /// The number of trades that completed, and of those that were started.
    pub(super) fn passed(&self) -> (u64, u64) {
        let all = &self.measured.iterations;
        (all.succeeded, all.started)
    }

    /// The number of trades that reached a step, whether they passed it or not.
    pub(super) fn reached(&self, step: &str) -> Option<u64> {
        let mut steps = self.measured.funnel.steps.iter();
        steps
            .find(|one| one.path.last().is_some_and(|name| name == step))
            .map(|one| one.reached)
    }

    /// All requests of these names.
    pub(super) fn hashed(&self, names: &[&str]) -> Timings {
        self.of(|name| names.contains(&name))
    }

    /// All requests that do not hash a password.
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

/// The requests of a level that do not hash a password.
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

/// `16 of 16 (≥ 79.4 %)`: the share with the bounds of the true share, at 95 % confidence if trades fail independently.
/// A share of nothing is not a share.
pub(super) fn share((passed, of): (u64, u64)) -> String {
    let Some((low, high)) = stats::clopper_pearson(passed, of) else {
        return "none was started".to_owned();
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

/// The same with its confidence interval, or why there is none.
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

/// The p95. From 59 to 199 samples, the longest is its upper bound with 95 % confidence; with fewer there is none.
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

/// The requests that a rate limiter refused.
pub(super) fn rate_limited(level: &Level) -> u64 {
    let failures = level.measured.failures.iter();
    let limited = failures.filter(|failure| failure.kind == FaultKind::RateLimited);
    limited.map(|failure| failure.count).sum()
}

/// A metric of the scenario, if it has values.
pub(super) fn metric<'a>(level: &'a Level, name: &str) -> Option<&'a Metric> {
    let metric = level.measured.metrics.get(name)?;
    (metric.count > 0).then_some(metric)
}
