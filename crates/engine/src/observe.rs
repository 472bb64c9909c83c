//! Determines the value that a threshold limits, or the reason why there is none.

use std::collections::BTreeMap;

use model::{Side, TagFilter};
use plan::{Aggregate, Figure, Op, Subject, SubjectKind, Threshold};
use record::{
    Check, Convergence, Deliveries, FunnelStep, Inconclusive, Iterations, Level, Measured, Metric,
    Outcome, Streams, Timings,
};
use stats::{Histogram, Values};

use crate::observed::{Observed, by_message, exactly, in_flight};
use crate::percentile::{Messages, Percentile, Sides};

mod figures;

/// The observed value, or the reason why there is none.
pub(crate) type Seen = Result<Observed, Inconclusive>;

const NO_DATA: Inconclusive = Inconclusive::NoData;

/// Determines the value that a threshold limits.
pub(crate) fn observe(threshold: &Threshold, level: &Level) -> Seen {
    let name = threshold.subject.name.as_deref();
    let measured = &level.measured;
    let asked = Asked {
        threshold,
        aggregate: threshold.aggregate,
        share: threshold.limit.unit == plan::Unit::Ratio,
        duration_s: level.phases.duration_s,
        dropped: (measured.iterations.dropped, measured.iterations.planned),
        own_failures: own_failures(&threshold.subject, measured),
    };
    let timed = |map| asked.of_timings(&pooled(map, name, Timings::merge)?);
    match threshold.subject.kind {
        SubjectKind::Request => asked.of_timings(&requests(&measured.requests, name)?),
        SubjectKind::RoundTrip => timed(&measured.round_trips),
        SubjectKind::Stream => asked.of_streams(&pooled(&measured.streams, name, Streams::merge)?),
        SubjectKind::Step => asked.of_steps(measured, name),
        SubjectKind::Connection => timed(&measured.connections),
        SubjectKind::Delivery => {
            asked.of_deliveries(&pooled(&measured.deliveries, name, Deliveries::merge)?)
        }
        SubjectKind::Iteration => {
            let named = name.map(|name| measured.scenarios.get(name).ok_or(NO_DATA));
            asked.of_iterations(named.unwrap_or(Ok(&measured.iterations))?)
        }
        SubjectKind::Check => asked.of_checks(&measured.checks, name),
        SubjectKind::Convergence => {
            asked.of_convergence(&pooled(&measured.converged, name, Convergence::merge)?)
        }
        SubjectKind::Metric => {
            let metric = name.and_then(|name| measured.metrics.get(name));
            asked.of_metric(metric.ok_or(NO_DATA)?)
        }
        SubjectKind::Target => asked.of_target(level),
    }
}

/// The outcome according to the figures alone, and the observed value.
pub(crate) fn decide(threshold: &Threshold, level: &Level) -> (Outcome, Seen) {
    let seen = observe(threshold, level);
    let outcome = match &seen {
        Ok(observed) => observed.outcome(threshold),
        Err(why) => Outcome::Inconclusive(*why),
    };
    (outcome, seen)
}

/// The threshold, with the figures of the level that apply to every subject.
#[derive(Clone, Copy)]
struct Asked<'a> {
    threshold: &'a Threshold,
    aggregate: Aggregate,
    /// Whether the limit is a share and not a number.
    share: bool,
    duration_s: f64,
    /// The numbers of dropped and of planned starts.
    dropped: (u64, u64),
    /// Number of failures of the subject's operations that headcount's own limits caused.
    own_failures: u64,
}

impl Asked<'_> {
    fn of_timings(self, timings: &Timings) -> Seen {
        match self.aggregate {
            Aggregate::Failed => {
                let open = timings.unfinished;
                let own = self.own_failures.min(timings.failed);
                let why = match own {
                    0 => in_flight(open),
                    _ => Inconclusive::OwnFailures {
                        operations: own + open,
                    },
                };
                self.part(timings.failed - own, timings.count + open, why)
            }
            Aggregate::Count | Aggregate::Rate => self.amount(timings.count, timings.unfinished),
            Aggregate::Percentile(percent) => {
                let q = percent / 100.0;
                let sides = self.sides(&timings.response, &timings.open, timings.timed_out);
                Ok(self.percentile(q, timings.response_at(q), sides))
            }
            _ => self.of_times(&timings.response, &timings.open, timings.timed_out),
        }
    }

    /// Steps and `eventually` conditions. A name with ` > ` is the path of a nested step.
    fn of_steps(self, measured: &Measured, name: Option<&str>) -> Seen {
        let step = name.and_then(|name| measured.funnel.step(name));
        if self.aggregate == Aggregate::Reached {
            return match (name, step) {
                (Some(_), Some(step)) => self.of_reached(measured, step),
                (Some(_), None) => self.of_nobody(measured),
                (None, _) => self.of_least_reached(measured),
            };
        }
        match pooled(&measured.steps, name, Timings::merge) {
            Ok(all) => self.of_timings(&all),
            Err(missing) => self.of_timings(&step.ok_or(missing)?.timings()),
        }
    }

    fn of_reached(self, measured: &Measured, step: &FunnelStep) -> Seen {
        let of = step.scenario.as_ref();
        let of = of.and_then(|scenario| measured.scenarios.get(scenario));
        let of = of.unwrap_or(&measured.iterations);
        // Iterations that have not ended may still reach the step.
        let open = of.unfinished.min(of.started.saturating_sub(step.reached));
        self.part(step.reached, of.started, in_flight(open))
    }

    /// A step that no iteration reached is missing from the figures, so its count is 0. The name may be misspelt, so a
    /// missing step can break a threshold but never make it hold. In a mix the step's scenario is unknown, so there is
    /// no data.
    fn of_nobody(self, measured: &Measured) -> Seen {
        let iterations = &measured.iterations;
        let ended = iterations.started > iterations.unfinished;
        let breaks = measured.scenarios.is_empty() && ended && !self.threshold.holds(0.0);
        if breaks {
            Ok(exactly(0.0))
        } else {
            Err(NO_DATA)
        }
    }

    /// The step that the fewest iterations reached.
    fn of_least_reached(self, measured: &Measured) -> Seen {
        let least = measured.funnel.steps.iter().min_by_key(|step| step.reached);
        self.of_reached(measured, least.ok_or(NO_DATA)?)
    }

    fn of_deliveries(self, deliveries: &Deliveries) -> Seen {
        let of = deliveries.expected;
        let received = deliveries.received();
        // Deliveries that headcount cut off, or that the script looked for at the wrong place, have an unknown fate.
        let lost = deliveries
            .lost_count()
            .saturating_sub(deliveries.lost_by_script());
        let open = of.saturating_sub(received + lost);
        let unseen = Inconclusive::DeliveriesOpen { deliveries: open };
        match self.aggregate {
            Aggregate::Delivered => self.part(deliveries.delivered, of, unseen),
            Aggregate::Late => self.part(deliveries.late, of, unseen),
            Aggregate::Lost => self.part(lost, of, unseen),
            // If nothing arrived, it is unknown whether something would arrive twice, in another order or elsewhere.
            Aggregate::Duplicated | Aggregate::Reordered | Aggregate::Misdelivered
                if !deliveries.anything_arrived() =>
            {
                Err(NO_DATA)
            }
            Aggregate::Duplicated => self.part(deliveries.duplicated, of, NO_DATA),
            Aggregate::Reordered => self.part(deliveries.reordered, of, NO_DATA),
            Aggregate::Misdelivered => self.part(deliveries.misdelivered_count(), of, NO_DATA),
            Aggregate::Count | Aggregate::Rate => self.amount(received, open),
            Aggregate::Percentile(percent) => {
                let q = percent / 100.0;
                let none = Histogram::default();
                let sides = self.sides(&deliveries.latency, &none, 0);
                let seen = self.percentile(q, deliveries.latency_at(q), sides);
                Ok(by_message(seen, self.messages(deliveries)))
            }
            _ => self.of_times(&deliveries.latency, &Histogram::default(), 0),
        }
    }

    /// Counts the messages by their first and last delivery. A message that some recipients did not get has no last
    /// delivery, and counts as beyond every upper limit.
    fn messages(self, deliveries: &Deliveries) -> Messages {
        let holds = |value| self.threshold.holds(value);
        let all = deliveries.first.count();
        let first = Sides::of(&deliveries.first, holds);
        let last = Sides::of(&deliveries.last, holds);
        let (any_beyond, all_beyond) = match self.threshold.op {
            Op::More | Op::AtLeast => (first.beyond, last.beyond),
            _ => (all.saturating_sub(last.within), first.beyond),
        };
        Messages {
            all,
            any_beyond,
            all_beyond,
        }
    }

    fn of_iterations(self, iterations: &Iterations) -> Seen {
        let ended = iterations.succeeded + iterations.failed;
        let open = iterations.unfinished;
        match self.aggregate {
            Aggregate::Failed => self.part(iterations.failed, ended + open, in_flight(open)),
            Aggregate::Dropped => self.part(iterations.dropped, iterations.planned, NO_DATA),
            Aggregate::Count | Aggregate::Rate => self.amount(ended, open),
            Aggregate::Percentile(percent) => {
                let q = percent / 100.0;
                let sides = self.sides(&iterations.time, &iterations.open, iterations.timed_out);
                Ok(self.percentile(q, iterations.time_at(q), sides))
            }
            _ => self.of_times(&iterations.time, &iterations.open, iterations.timed_out),
        }
    }

    /// If not all members of a group reported a state, the group may be converged or diverged.
    fn of_convergence(self, groups: &Convergence) -> Seen {
        let all = groups.groups();
        let unknown = groups.unknown;
        let unsaid = Inconclusive::GroupsUnknown { groups: unknown };
        match self.aggregate {
            Aggregate::Converged => self.part(groups.converged, all, unsaid),
            Aggregate::Diverged => self.part(groups.diverged, all, unsaid),
            Aggregate::Unknown => self.part(unknown, all, NO_DATA),
            Aggregate::Count => self.amount(all, 0),
            _ => Err(NO_DATA),
        }
    }

    fn of_checks(self, checks: &BTreeMap<String, Check>, name: Option<&str>) -> Seen {
        let all = pooled(checks, name, Check::merge)?;
        let made = all.passed + all.failed;
        match self.aggregate {
            Aggregate::Failed => self.part(all.failed, made, NO_DATA),
            Aggregate::Count | Aggregate::Rate => self.amount(made, 0),
            _ => Err(NO_DATA),
        }
    }

    fn of_metric(self, metric: &Metric) -> Seen {
        let counter = metric.kind == record::MetricKind::Counter;
        let amount = if counter {
            metric.sum
        } else {
            metric.count as f64
        };
        let given = |value: Option<f64>| {
            value
                .filter(|_| metric.count > 0)
                .map(exactly)
                .ok_or(NO_DATA)
        };
        match self.aggregate {
            Aggregate::Count => given(Some(amount)),
            Aggregate::Rate => given((self.duration_s > 0.0).then(|| amount / self.duration_s)),
            Aggregate::Mean => given(Some(metric.sum / metric.count as f64)),
            Aggregate::Min => given(metric.min),
            Aggregate::Max => given(metric.max),
            Aggregate::Percentile(percent) => {
                let values = metric.values.as_ref().ok_or(NO_DATA)?;
                Ok(self.of_values(percent / 100.0, values))
            }
            _ => Err(NO_DATA),
        }
    }

    fn of_values(self, q: f64, values: &Values) -> Observed {
        let beyond = values.count_where(|value| !self.threshold.holds(value));
        let sides = Sides {
            within: values.count() - beyond,
            beyond,
            unknown: values.not_finite(),
        };
        Observed::Percentile(Percentile {
            q,
            stated: values.stated(q),
            at_least: None,
            sides,
            messages: None,
            dropped: (0, 0),
        })
    }

    fn of_streams(self, streams: &Streams) -> Seen {
        let chunks = streams.chunks;
        match (self.threshold.figure, self.aggregate) {
            (Some(Figure::RealTimeFactor), aggregate) => {
                let factors = &streams.real_time_factor;
                let figure = match aggregate {
                    Aggregate::Percentile(percent) => {
                        return Ok(self.of_values(percent / 100.0, factors));
                    }
                    Aggregate::Mean => factors.mean(),
                    Aggregate::Min => factors.min(),
                    _ => factors.max(),
                };
                figure.map(exactly).ok_or(NO_DATA)
            }
            (Some(Figure::Lag), _) => self.of_timings(&streams.lag),
            (Some(Figure::First), _) => self.of_timings(&streams.first),
            (Some(Figure::Final), _) => self.of_timings(&streams.last),
            (None, Aggregate::Count | Aggregate::Rate) => self.amount(streams.count, 0),
            (None, Aggregate::Failed) => self.part(streams.failed, streams.count, NO_DATA),
            (None, Aggregate::Unanswered) => self.part(streams.unanswered, chunks, NO_DATA),
            (None, Aggregate::Reordered) => self.part(streams.reordered, chunks, NO_DATA),
            (None, Aggregate::Surplus) => self.part(streams.surplus, chunks, NO_DATA),
            (None, Aggregate::Dropped) => self.part(streams.dropped, chunks, NO_DATA),
            (None, _) => Err(NO_DATA),
        }
    }

    fn of_target(self, level: &Level) -> Seen {
        let target = level.target.as_ref().ok_or(NO_DATA)?;
        let figure = match self.aggregate {
            Aggregate::Cpu => target.cpu_percent.map(|percent| percent / 100.0),
            Aggregate::Memory => target.memory_mb_max.map(|megabytes| megabytes * 1e6),
            _ => None,
        };
        figure
            .filter(|figure| figure.is_finite())
            .map(exactly)
            .ok_or(NO_DATA)
    }
}

/// The figures of the requests that a threshold selects by name and tags, merged. Without a name, it selects all.
fn requests(map: &BTreeMap<String, Timings>, name: Option<&str>) -> Result<Timings, Inconclusive> {
    let Some(name) = name else {
        return pooled(map, None, Timings::merge);
    };
    let filter = TagFilter::of(name);
    // If some of the requests cannot be told from others, the figures of the rest would not be those of the threshold.
    if map.keys().any(|counted| filter.may_select(counted)) {
        return Err(NO_DATA);
    }
    let selected = map.iter().filter(|(counted, _)| filter.selects(counted));
    let selected = selected.map(|(_, timings)| timings.clone());
    merged(selected, Timings::merge).ok_or(NO_DATA)
}

/// The number of failures of the subject's operations that headcount's own limits caused. They never break a threshold,
/// because the target might have served these operations.
fn own_failures(subject: &Subject, measured: &Measured) -> u64 {
    let counted = match subject.kind {
        SubjectKind::Request => &measured.requests,
        SubjectKind::RoundTrip => &measured.round_trips,
        SubjectKind::Connection => &measured.connections,
        _ => return 0,
    };
    let selects = |what: &str| match subject.name.as_deref() {
        None => counted.contains_key(what),
        Some(name) if subject.kind == SubjectKind::Request => TagFilter::of(name).selects(what),
        Some(name) => what == name,
    };
    let failures = measured.failures.iter();
    let own = failures.filter(|failure| failure.side == Side::Generator && selects(&failure.what));
    own.map(|failure| failure.count).sum()
}

/// The figures of one name, or of all names merged.
fn pooled<T: Clone>(
    map: &BTreeMap<String, T>,
    name: Option<&str>,
    join: fn(&mut T, &T),
) -> Result<T, Inconclusive> {
    let found = match name {
        Some(name) => map.get(name).cloned(),
        None => merged(map.values().cloned(), join),
    };
    found.ok_or(NO_DATA)
}

fn merged<T>(each: impl Iterator<Item = T>, join: fn(&mut T, &T)) -> Option<T> {
    each.reduce(|mut all, one| {
        join(&mut all, &one);
        all
    })
}

#[cfg(test)]
mod tests;
