use plan::{Aggregate, Subject, SubjectKind};
use record::{Deliveries, Iterations, Level, Measured, Timings};
use serde::{Serialize, Serializer};
use stats::Estimate;

/// The percentiles that are compared.
const PERCENTILES: [f64; 3] = [50.0, 95.0, 99.0];
/// The faults of deliveries that are compared.
const FATES: [Aggregate; 5] = [
    Aggregate::Lost,
    Aggregate::Late,
    Aggregate::Duplicated,
    Aggregate::Reordered,
    Aggregate::Misdelivered,
];

/// A figure of one level, such as p95 of a request. It names the same figure in each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Index of the level among the levels that all runs have.
    pub level: usize,
    /// The operation, or the target.
    pub subject: Subject,
    /// The figure of the subject.
    pub aggregate: Aggregate,
}

/// The scale on which a figure is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Times, rates and sizes. The effect is a relative change: 0.05 is 5 % more.
    Ratio,
    /// Shares of operations. The effect is a difference: 0.01 is one percentage point more.
    Share,
}

/// The value of a figure in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// The value: nanoseconds, a number per second, a share, cores or bytes.
    pub(crate) value: f64,
    /// Variance of the value on the compared scale, as the run alone shows it. Zero if the run does not show it.
    pub(crate) within: f64,
}

/// Why a figure cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A run did not measure it.
    NotMeasured,
    /// A run has too few samples for the percentile.
    TooFewSamples,
    /// In a run, the percentile is among operations that timed out or did not end. Compare the failures instead.
    AmongTimeouts,
}

impl Figure {
    /// The scale on which the figure is compared.
    pub fn scale(&self) -> Scale {
        match self.aggregate {
            Aggregate::Failed
            | Aggregate::Dropped
            | Aggregate::Lost
            | Aggregate::Late
            | Aggregate::Duplicated
            | Aggregate::Reordered
            | Aggregate::Misdelivered => Scale::Share,
            _ => Scale::Ratio,
        }
    }

    /// Whether a larger value is worse.
    pub fn more_is_worse(&self) -> bool {
        self.aggregate != Aggregate::Rate
    }

    /// Whether the figure shows the tail of a distribution, which varies more from run to run.
    pub(crate) fn is_tail(&self) -> bool {
        matches!(self.aggregate, Aggregate::Percentile(percent) if percent >= 99.0)
    }

    /// Reads the figure's value in a level of a run.
    pub(crate) fn read(&self, level: &Level) -> Result<Reading, Missing> {
        let measured = &level.measured;
        let name = self.subject.name.as_deref().unwrap_or_default();
        let timed = |timings: Option<&Timings>| {
            of_timings(timings.ok_or(Missing::NotMeasured)?, self.aggregate, level)
        };
        match self.subject.kind {
            SubjectKind::Request => timed(measured.requests.get(name)),
            SubjectKind::RoundTrip => timed(measured.round_trips.get(name)),
            SubjectKind::Step => timed(measured.steps.get(name)),
            SubjectKind::Connection => timed(measured.connections.get(name)),
            SubjectKind::Delivery => {
                let deliveries = measured.deliveries.get(name).ok_or(Missing::NotMeasured)?;
                of_deliveries(deliveries, self.aggregate)
            }
            SubjectKind::Iteration => of_iterations(&measured.iterations, self.aggregate, level),
            SubjectKind::Target => of_target(level, self.aggregate),
            SubjectKind::Check
            | SubjectKind::Convergence
            | SubjectKind::Metric
            | SubjectKind::Stream => Err(Missing::NotMeasured),
        }
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Figure", 3)?;
        fields.serialize_field("level", &self.level)?;
        fields.serialize_field("subject", &self.subject.to_string())?;
        fields.serialize_field("aggregate", &self.aggregate.to_string())?;
        fields.end()
    }
}

/// Returns all figures of a level that can be compared.
pub(crate) fn figures_of(index: usize, level: &Level) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |kind, name: Option<&String>, aggregates: &[Aggregate]| {
        let name = name.cloned();
        let percentiles = PERCENTILES.map(Aggregate::Percentile);
        let times = percentiles.iter().filter(|_| kind != SubjectKind::Target);
        figures.extend(times.chain(aggregates).map(|aggregate| Figure {
            level: index,
            subject: Subject {
                kind,
                name: name.clone(),
            },
            aggregate: *aggregate,
        }));
    };
    let measured: &Measured = &level.measured;
    for name in measured.deliveries.keys() {
        add(SubjectKind::Delivery, Some(name), &FATES);
    }
    let ended = [Aggregate::Rate, Aggregate::Failed];
    for name in measured.requests.keys() {
        add(SubjectKind::Request, Some(name), &ended);
    }
    for name in measured.round_trips.keys() {
        add(SubjectKind::RoundTrip, Some(name), &ended);
    }
    for name in measured.steps.keys() {
        add(SubjectKind::Step, Some(name), &ended[1..]);
    }
    for name in measured.connections.keys() {
        add(SubjectKind::Connection, Some(name), &ended[1..]);
    }
    let iterations = [Aggregate::Rate, Aggregate::Failed, Aggregate::Dropped];
    add(SubjectKind::Iteration, None, &iterations);
    add(
        SubjectKind::Target,
        None,
        &[Aggregate::Cpu, Aggregate::Memory],
    );
    figures
}

fn of_timings(timings: &Timings, aggregate: Aggregate, level: &Level) -> Result<Reading, Missing> {
    match aggregate {
        Aggregate::Percentile(percent) => {
            let q = percent / 100.0;
            time(timings.response_at(q), timings.response_log_error_at(q))
        }
        Aggregate::Failed => share(timings.failed, timings.count),
        Aggregate::Rate => rate(timings.count - timings.failed, level),
        _ => Err(Missing::NotMeasured),
    }
}

fn of_iterations(
    all: &Iterations,
    aggregate: Aggregate,
    level: &Level,
) -> Result<Reading, Missing> {
    match aggregate {
        Aggregate::Percentile(percent) => {
            let q = percent / 100.0;
            time(all.time_at(q), all.time_log_error_at(q))
        }
        Aggregate::Failed => share(all.failed, all.succeeded + all.failed),
        Aggregate::Dropped => share(all.dropped, all.planned),
        Aggregate::Rate => rate(all.succeeded, level),
        _ => Err(Missing::NotMeasured),
    }
}

fn of_deliveries(deliveries: &Deliveries, aggregate: Aggregate) -> Result<Reading, Missing> {
    match aggregate {
        Aggregate::Percentile(percent) => {
            let q = percent / 100.0;
            time(deliveries.latency_at(q), deliveries.latency_log_error_at(q))
        }
        Aggregate::Lost => share(deliveries.lost_count(), deliveries.judged()),
        Aggregate::Late => share(deliveries.late, deliveries.judged()),
        Aggregate::Duplicated => share(deliveries.duplicated, deliveries.judged()),
        Aggregate::Reordered => share(deliveries.reordered, deliveries.judged()),
        Aggregate::Misdelivered => share(deliveries.misdelivered_count(), deliveries.judged()),
        _ => Err(Missing::NotMeasured),
    }
}

fn of_target(level: &Level, aggregate: Aggregate) -> Result<Reading, Missing> {
    let target = level.target.as_ref().ok_or(Missing::NotMeasured)?;
    let value = match aggregate {
        Aggregate::Cpu => target.cpu_percent.map(|percent| percent / 100.0),
        Aggregate::Memory => target.memory_mb_max.map(|megabytes| megabytes * 1e6),
        _ => None,
    };
    positive(value.unwrap_or_default(), 0.0)
}

/// A percentile. `log_error` is the standard error that the run's blocks show. The interval of the estimate would not do:
/// it is wide on purpose, because it must hold for a single run. As the least variance of many runs, it would hide
/// differences that the runs show.
fn time(estimate: Estimate, log_error: Option<f64>) -> Result<Reading, Missing> {
    match estimate {
        Estimate::Value { value, .. } => {
            positive(value.0 as f64, log_error.unwrap_or_default().powi(2))
        }
        Estimate::Beyond { .. } => Err(Missing::AmongTimeouts),
        Estimate::Unavailable { have: 0, .. } => Err(Missing::NotMeasured),
        Estimate::Unavailable { .. } => Err(Missing::TooFewSamples),
    }
}

/// The rate of a closed load. An open load's rate is given, not measured.
fn rate(count: u64, level: &Level) -> Result<Reading, Missing> {
    if level.load.rate_per_s.is_some() || level.load.once {
        return Err(Missing::NotMeasured);
    }
    positive(count as f64 / level.phases.duration_s, 0.0)
}

/// A share of `all`. The variance of its square root is at least that of a binomial share, about 1 ÷ 4n.
fn share(count: u64, all: u64) -> Result<Reading, Missing> {
    if all == 0 {
        return Err(Missing::NotMeasured);
    }
    Ok(Reading {
        value: count as f64 / all as f64,
        within: 0.25 / all as f64,
    })
}

fn positive(value: f64, within: f64) -> Result<Reading, Missing> {
    let is_usable = value.is_finite() && value > 0.0;
    is_usable
        .then_some(Reading { value, within })
        .ok_or(Missing::NotMeasured)
}
