//! Decides whether the target or the generator was the limit. `docs/reference/validity.md` explains the limits.

use model::Nanos;
use record::{
    DelayStatistic, DropCause, GeneratorUse, IssueCause, LateAt, Lateness, Level, LevelIssue,
    Severity, Timings,
};
use stats::Histogram;

use crate::generator_figures::AgentFigures;
use crate::shortfall;

/// Minimum length of a measurement. In a shorter measurement, shares of time are noise, because one wake-up takes most
/// of the time.
const SHORTEST_S: f64 = 0.1;
/// A worker that is busy for more than this percentage could not have generated more load.
const BUSY_LIMIT: f64 = 95.0;
const BUSY_DOUBT: f64 = 80.0;
/// Start and read delays above this limit change the planned load and the measured times.
const DELAY_LIMIT: Nanos = Nanos::from_millis(10);
/// Delays above `DELAY_LONG` are judged by their share of the longest measured time.
const DELAY_LONG: Nanos = Nanos::from_millis(2);
const DELAY_LONG_SHARE: f64 = 0.25;
const DELAY_DOUBT: Nanos = Nanos::from_micros(500);
const DELAY_DOUBT_SHARE: f64 = 0.05;
/// Limit for the percentage of the measured time in which a CPU quota stopped the generator.
const THROTTLED_LIMIT: f64 = 1.0;
/// Limit for the percentage of the cores' time that the host of a virtual machine took.
const STOLEN_DOUBT: f64 = 2.0;
/// Limit for the percentage of planned starts that the generator missed.
const BEHIND_LIMIT: f64 = 0.1;
/// Limits for the percentage of time for which users of a closed load waited for the generator.
const SLOWED_LIMIT: f64 = 50.0;
const SLOWED_DOUBT: f64 = 25.0;
/// Limit for the length of a garbage collection pause. The worker reads no sockets in the pause.
const PAUSE_DOUBT_MS: f64 = 20.0;
/// Delays are judged at the first of these percentiles that has enough samples, otherwise at their maximum.
const JUDGED_AT: [(f64, DelayStatistic); 2] =
    [(0.99, DelayStatistic::P99), (0.9, DelayStatistic::P90)];

/// Collects issues in the order of the checks.
#[derive(Debug, Default)]
struct Issues(Vec<LevelIssue>);

impl Issues {
    fn add(&mut self, severity: Severity, cause: IssueCause) {
        self.0.push(LevelIssue { severity, cause });
    }

    fn add_of_agent(&mut self, agent: &str, issues: Self) {
        for LevelIssue { severity, cause } in issues.0 {
            let (agent, of) = (agent.to_owned(), Box::new(cause));
            self.add(severity, IssueCause::OfAgent { agent, of });
        }
    }

    /// Compares `value` with the limits `invalid` and `questionable`. The cause states the limit that was exceeded.
    fn judge(
        &mut self,
        value: f64,
        invalid: f64,
        questionable: f64,
        cause: impl Fn(f64) -> IssueCause,
    ) {
        if value > invalid {
            self.add(Severity::Invalid, cause(invalid));
        } else if value > questionable {
            self.add(Severity::Questionable, cause(questionable));
        }
    }
}

/// All issues of a level. In a fleet, each agent is judged by itself, and named: among many, one that is late would hardly
/// change the figures of all.
pub(crate) fn issues(level: &Level, agents: &[AgentFigures]) -> Vec<LevelIssue> {
    let mut issues = Issues::default();
    if level.phases.duration_s <= 0.0 {
        issues.add(Severity::Invalid, IssueCause::NotMeasured);
        return issues.0;
    }
    if level.phases.duration_s < SHORTEST_S {
        let cause = IssueCause::ShortMeasurement {
            measured_ms: level.phases.duration_s * 1e3,
            needed_ms: SHORTEST_S * 1e3,
        };
        issues.add(Severity::Questionable, cause);
    }
    if agents.is_empty() {
        generator(level, &level.generator, &mut issues);
    }
    for agent in agents {
        let mut own = Issues::default();
        generator(level, &agent.workers, &mut own);
        issues.add_of_agent(&agent.name, own);
    }
    slowed(level, &mut issues);
    dropped(level, &mut issues);
    little(level, &mut issues);
    issues.0
}

/// The issues of a generator, or of one agent's part of it.
fn generator(level: &Level, generator: &GeneratorUse, issues: &mut Issues) {
    if level.phases.duration_s >= SHORTEST_S {
        busy(generator, issues);
    }
    throttled(level, generator, issues);
    stolen(generator, issues);
    delays(level, generator, issues);
    pauses(generator, issues);
}

fn busy(generator: &GeneratorUse, issues: &mut Issues) {
    let busy_percent = generator.busiest_worker_percent.unwrap_or(0.0);
    let workers = generator.workers.iter();
    let busiest = workers.max_by(|a, b| a.busy_percent.total_cmp(&b.busy_percent));
    let cpu_wait_percent = busiest.and_then(|worker| worker.cpu_wait_percent);
    issues.judge(busy_percent, BUSY_LIMIT, BUSY_DOUBT, |limit_percent| {
        IssueCause::WorkerBusy {
            busy_percent,
            cpu_wait_percent,
            limit_percent,
        }
    });
}

fn throttled(level: &Level, generator: &GeneratorUse, issues: &mut Issues) {
    let stopped_ms = generator.throttled_ms.unwrap_or(0.0);
    let stopped_percent = stopped_ms / level.phases.duration_s / 10.0;
    issues.judge(stopped_percent, THROTTLED_LIMIT, 0.0, |_| {
        IssueCause::CpuQuota {
            stopped_ms,
            stopped_percent,
            limit_percent: THROTTLED_LIMIT,
        }
    });
}

/// The host takes time from the target as well, if it is on this machine. Its effects on the generator are judged as
/// delays.
fn stolen(generator: &GeneratorUse, issues: &mut Issues) {
    let stolen_percent = generator.stolen_percent.unwrap_or(0.0);
    if stolen_percent > STOLEN_DOUBT {
        let cause = IssueCause::StolenTime {
            stolen_percent,
            limit_percent: STOLEN_DOUBT,
        };
        issues.add(Severity::Questionable, cause);
    }
}

/// Compares late starts, late reads and receive-time errors with the measured times. Delays that are small compared
/// with the measured times do no harm.
fn delays(level: &Level, generator: &GeneratorUse, issues: &mut Issues) {
    let empty = Histogram::default();
    let read = generator.read_delay.as_ref().unwrap_or(&empty);
    let receive = generator.receive_error.as_ref().unwrap_or(&empty);
    for (what, delays) in [
        (LateAt::Start, &generator.start_lag),
        (LateAt::Read, read),
        (LateAt::Receive, receive),
    ] {
        let Some((late, statistic, share)) = judged_delay(level, delays) else {
            continue;
        };
        let mut add = |severity, limit, limit_share: Option<f64>| {
            let lateness = Lateness {
                what,
                late,
                statistic,
                share_percent: share.map(|share| share * 100.0),
                limit,
                limit_percent: limit_share.map(|share| share * 100.0),
                cpu_wait_percent: generator.cpu_wait_percent,
            };
            issues.add(severity, IssueCause::Late(lateness));
        };
        let over = |long: Nanos, most: f64| late > long && share.is_some_and(|share| share > most);
        if late > DELAY_LIMIT && statistic != DelayStatistic::Max {
            add(Severity::Invalid, DELAY_LIMIT, None);
        } else if over(DELAY_LONG, DELAY_LONG_SHARE) {
            add(Severity::Invalid, DELAY_LONG, Some(DELAY_LONG_SHARE));
        } else if over(DELAY_DOUBT, DELAY_DOUBT_SHARE) {
            add(Severity::Questionable, DELAY_DOUBT, Some(DELAY_DOUBT_SHARE));
        }
    }
}

/// The delay that is judged, its statistic, and its ratio to the longest measured time at the same statistic.
fn judged_delay(level: &Level, delays: &Histogram) -> Option<(Nanos, DelayStatistic, Option<f64>)> {
    let at_percentile = JUDGED_AT.into_iter().find_map(|(q, statistic)| {
        let delay = stats::estimate(delays, 0, q).value()?;
        Some((delay, statistic, share_of(delay, longest_at(level, q))))
    });
    at_percentile.or_else(|| {
        let delay = delays.max()?;
        Some((delay, DelayStatistic::Max, share_of(delay, longest(level))))
    })
}

/// Users of a closed load who wait for the generator generate less load.
fn slowed(level: &Level, issues: &mut Issues) {
    let slowed_percent = shortfall::slowed(level).unwrap_or(0.0) * 100.0;
    issues.judge(
        slowed_percent,
        SLOWED_LIMIT,
        SLOWED_DOUBT,
        |limit_percent| IssueCause::UsersSlowed {
            slowed_percent,
            limit_percent,
            cpu_wait_percent: level.generator.cpu_wait_percent,
        },
    );
}

/// The longest time measured in the level.
fn longest(level: &Level) -> Option<Nanos> {
    let measured = &level.measured;
    let timed = [&measured.requests, &measured.round_trips];
    let timed = timed.into_iter().flat_map(|map| map.values());
    let responses = timed.filter_map(|timings| timings.response.max());
    let latencies = measured.deliveries.values();
    responses
        .chain(latencies.filter_map(|channel| channel.latency.max()))
        .max()
}

fn share_of(delay: Nanos, whole: Option<Nanos>) -> Option<f64> {
    let whole = whole.filter(|whole| *whole > Nanos::ZERO)?;
    Some(delay.as_secs_f64() / whole.as_secs_f64())
}

/// The longest time at this quantile among all requests, round trips and deliveries.
fn longest_at(level: &Level, q: f64) -> Option<Nanos> {
    let measured = &level.measured;
    let timed = [&measured.requests, &measured.round_trips];
    let timed = timed.into_iter().flat_map(|map| map.values());
    let responses = timed.filter_map(|timings: &Timings| timings.response_at(q).value());
    let channels = measured.deliveries.values();
    let latencies = channels.filter_map(|channel| channel.latency_at(q).value());
    responses.chain(latencies).max()
}

fn dropped(level: &Level, issues: &mut Issues) {
    let iterations = &level.measured.iterations;
    let planned = iterations.planned;
    let causes = &iterations.dropped_by_cause;
    let behind = DropCause::GeneratorBehind;
    let missed = causes.get(&behind).copied().unwrap_or(0);
    let share = missed as f64 / planned.max(1) as f64 * 100.0;
    issues.judge(share, BEHIND_LIMIT, 0.0, |limit_percent| {
        IssueCause::StartsMissed {
            missed,
            planned,
            limit_percent,
        }
    });
    let dropped = iterations.dropped - missed;
    if dropped > 0 {
        let others = causes.iter().filter(|(cause, _)| **cause != behind);
        let most = others.max_by_key(|(_, dropped)| **dropped);
        let cause = IssueCause::StartsDropped {
            dropped,
            planned,
            users: most.map(|(cause, _)| *cause),
        };
        issues.add(Severity::Questionable, cause);
    }
}

fn pauses(generator: &GeneratorUse, issues: &mut Issues) {
    let pause_ms = generator.gc_pause_ms_max.unwrap_or(0.0);
    if pause_ms > PAUSE_DOUBT_MS {
        let cause = IssueCause::GarbageCollection { pause_ms };
        issues.add(Severity::Questionable, cause);
    }
    let dropped = generator.dropped_queue;
    if dropped > 0 {
        issues.add(
            Severity::Questionable,
            IssueCause::EventsDropped { dropped },
        );
    }
}

fn little(level: &Level, issues: &mut Issues) {
    if let Some(law) = level.little.filter(|law| !law.holds) {
        let cause = IssueCause::LittlesLaw {
            at_work: law.at_work,
            per_s: law.per_s,
            time_s: law.time_s,
        };
        issues.add(Severity::Invalid, cause);
    }
}

#[cfg(test)]
mod tests;
