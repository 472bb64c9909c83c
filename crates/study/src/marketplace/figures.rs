//! The figures that the study of the marketplace reads from its records.

use model::{FaultKind, Nanos};
use record::{Level, Measured, Metric, Run, Timings};
use stats::Estimate;

/// Number of users in a trade: one buyer and three sellers.
pub(super) const IN_A_TRADE: u64 = 4;
/// Number of passwords hashed per trade, because each of the four users is created and logs in.
pub(super) const HASHES: u64 = 2 * IN_A_TRADE;
/// Names of the requests that hash a password.
pub(super) const HASHED: [&str; 2] = ["users.admin.create", "auth.login"];
/// Limit for the p95 of requests that hash no password, in ms.
pub(super) const PROMISE_MS: f64 = 50.0;
/// Number of samples whose maximum is an upper bound of the p95 with 95 % confidence: 0.95^59 < 0.05.
const FOR_A_BOUND: u64 = 59;

/// All runs with the same number of concurrent trades.
pub(super) struct AtOnce {
    pub(super) trades: u64,
    pub(super) runs: u64,
    pub(super) measured: Measured,
    /// Average time from the first start to the last end, in seconds.
    pub(super) took_s: f64,
    pub(super) valid: bool,
}

/// Merges the runs with `trades` concurrent trades. Levels of different loads are never merged.
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
    /// Returns the number of trades that completed, and the number that were started.
    pub(super) fn passed(&self) -> (u64, u64) {
        let all = &self.measured.iterations;
        (all.succeeded, all.started)
    }

    /// Returns the number of trades that reached a step, whether or not they passed it.
    pub(super) fn reached(&self, step: &str) -> Option<u64> {
        let mut steps = self.measured.funnel.steps.iter();
        steps
            .find(|one| one.path.last().is_some_and(|name| name == step))
            .map(|one| one.reached)
    }

    /// Merges all requests with these names.
    pub(super) fn hashed(&self, names: &[&str]) -> Timings {
        self.of(|name| names.contains(&name))
    }

    /// Merges all requests that hash no password.
    pub(super) fn others(&self) -> Timings {
        self.of(|name| !HASHED.contains(&name))
    }

    fn of(&self, wanted: impl Fn(&str) -> bool) -> Timings {
        merged(&self.measured, wanted)
    }

    /// Returns the number of passwords hashed per second, from the first start to the last end.
    pub(super) fn hashes_per_s(&self) -> f64 {
        (self.trades * HASHES) as f64 / self.took_s
    }
}

/// Merges the requests of a level that hash no password.
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

/// Formats a success rate with its 95 % confidence bounds, which assume that trades fail independently:
/// `16 of 16 (≥ 79.4 %)`. Without trades, there is no rate.
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

/// Formats a time: `12.3 ms`, `1.23 s`.
pub(super) fn time(value: Nanos) -> String {
    let ms = value.as_millis_f64();
    if ms >= 1000.0 {
        format!("{:.2} s", ms / 1000.0)
    } else {
        format!("{ms:.1} ms")
    }
}

/// Formats a percentile, or the reason why there is none.
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

/// Formats a percentile with its confidence interval, or the reason why there is none.
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

/// Formats the p95. With 59 to 199 samples, the longest time is its upper bound with 95 % confidence. Fewer samples
/// give no bound.
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

/// Returns the number of requests that a rate limiter refused.
pub(super) fn rate_limited(level: &Level) -> u64 {
    let failures = level.measured.failures.iter();
    let limited = failures.filter(|failure| failure.kind == FaultKind::RateLimited);
    limited.map(|failure| failure.count).sum()
}

/// Returns a metric of the scenario. `None` if it has no values.
pub(super) fn metric<'a>(level: &'a Level, name: &str) -> Option<&'a Metric> {
    let metric = level.measured.metrics.get(name)?;
    (metric.count > 0).then_some(metric)
}
