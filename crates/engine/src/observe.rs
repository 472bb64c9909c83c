//! The value that a threshold looks at, or why there is none.

use std::collections::BTreeMap;

use model::Nanos;
use plan::{Aggregate, SubjectKind, Threshold};
use record::{
    Check, Convergence, Deliveries, Iterations, Level, Measured, Metric, StoryStep, Timings,
};
use stats::{Estimate, Histogram};

/// Why a threshold has no number to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Missing {
    /// There is nothing of the kind.
    Unmeasured,
    /// A percentile needs more.
    TooFew {
        /// Samples that there are.
        have: u64,
        /// Samples that there must be.
        need: u64,
    },
    /// It lies among what timed out: no number, but longer than every time that was measured.
    TimedOut,
    /// It lies among what was still in flight: more than this.
    InFlight {
        /// In the base unit of the limit, as the value would be.
        at_least: f64,
    },
}

type Observed = Result<f64, Missing>;

/// The value that a threshold looks at, in its limit's base unit; always finite.
pub(crate) fn observe(threshold: &Threshold, level: &Level) -> Observed {
    let name = threshold.subject.name.as_deref();
    let measured = &level.measured;
    let asked = Asked {
        aggregate: threshold.aggregate,
        share: threshold.limit.unit == plan::Unit::Ratio,
        hold_s: level.phases.hold_s,
    };
    let timed = |map| asked.of_timings(&pooled(map, name, Timings::merge)?);
    let reached_by_none = || {
        let none = Asked::of_nobody(measured)?;
        // A name that is misspelt must not keep a promise.
        measured_or((!threshold.holds(none)).then_some(none))
    };
    let value = match threshold.subject.kind {
        SubjectKind::Request => timed(&measured.requests),
        SubjectKind::Exchange => timed(&measured.exchanges),
        SubjectKind::Step => match asked.of_steps(measured, name) {
            Err(Missing::Unmeasured) if asked.aggregate == Aggregate::Reached => reached_by_none(),
            other => other,
        },
        SubjectKind::Connection => timed(&measured.connections),
        SubjectKind::Delivery => {
            asked.of_deliveries(&pooled(&measured.deliveries, name, Deliveries::merge)?)
        }
        SubjectKind::Iteration => {
            let named = name.map(|name| measured.scenarios.get(name).ok_or(Missing::Unmeasured));
            asked.of_iterations(named.unwrap_or(Ok(&measured.iterations))?)
        }
        SubjectKind::Check => asked.of_checks(&measured.checks, name),
        SubjectKind::Convergence => {
            asked.of_convergence(&pooled(&measured.converged, name, Convergence::merge)?)
        }
        SubjectKind::Metric => {
            let metric = name.and_then(|name| measured.metrics.get(name));
            asked.of_metric(metric.ok_or(Missing::Unmeasured)?)
        }
        SubjectKind::Target => asked.of_target(level),
    }?;
    measured_or(value.is_finite().then_some(value))
}

/// What a threshold wants to know of its subject.
#[derive(Clone, Copy)]
struct Asked {
    aggregate: Aggregate,
    /// The limit is a share of all, not a number.
    share: bool,
    hold_s: f64,
}

impl Asked {
    fn of_timings(self, timings: &Timings) -> Observed {
        match self.aggregate {
            Aggregate::Failed => self.part(timings.failed, timings.count),
            Aggregate::Count => Ok(timings.count as f64),
            Aggregate::Rate => self.rate(timings.count as f64),
            Aggregate::Percentile(percent) => reported(timings.response_at(percent / 100.0)),
            Aggregate::Max | Aggregate::Mean if timings.timed_out > 0 => Err(Missing::TimedOut),
            Aggregate::Max | Aggregate::Mean if timings.unfinished > 0 => {
                let mut at_their_ages = timings.response.clone();
                at_their_ages.merge(&timings.open);
                self.at_least(&at_their_ages)
            }
            _ => self.of_times(&timings.response),
        }
    }

    /// Steps and conditions; a path with ` > ` in it is that of one step within another.
    fn of_steps(self, measured: &Measured, name: Option<&str>) -> Observed {
        let step = name.and_then(|name| measured.story.step(name));
        if self.aggregate == Aggregate::Reached {
            return match name {
                Some(_) => self.of_reached(measured, step.ok_or(Missing::Unmeasured)?),
                None => self.of_least_reached(measured),
            };
        }
        match pooled(&measured.steps, name, Timings::merge) {
            Ok(all) => self.of_timings(&all),
            Err(missing) => self.of_timings(&step.ok_or(missing)?.timings()),
        }
    }

    fn of_reached(self, measured: &Measured, step: &StoryStep) -> Observed {
        let of = step.scenario.as_ref();
        let of = of.and_then(|scenario| measured.scenarios.get(scenario));
        let started = of.unwrap_or(&measured.iterations).started;
        self.part(step.reached, started)
    }

    /// A step that nobody reached is in no record; that iterations were started is. Of a mix it is not known whose it was.
    fn of_nobody(measured: &Measured) -> Observed {
        let could = measured.scenarios.is_empty() && measured.iterations.started > 0;
        measured_or(could.then_some(0.0))
    }

    /// Of all steps, that which the fewest reached.
    fn of_least_reached(self, measured: &Measured) -> Observed {
        let each = measured.story.steps.iter();
        let each = each.map(|step| self.of_reached(measured, step));
        let least = each.reduce(|least, one| Ok(least?.min(one?)));
        least.unwrap_or(Err(Missing::Unmeasured))
    }

    fn of_deliveries(self, deliveries: &Deliveries) -> Observed {
        let judged = deliveries.judged();
        match self.aggregate {
            Aggregate::Delivered => self.part(deliveries.delivered, judged),
            Aggregate::Late => self.part(deliveries.late, judged),
            Aggregate::Lost => self.part(deliveries.lost_count(), judged),
            Aggregate::Duplicated => self.part(deliveries.duplicated, judged),
            Aggregate::Reordered => self.part(deliveries.reordered, judged),
            Aggregate::Strayed => self.part(deliveries.strayed_count(), judged),
            Aggregate::Count => Ok(deliveries.received() as f64),
            Aggregate::Rate => self.rate(deliveries.received() as f64),
            Aggregate::Percentile(percent) => reported(deliveries.latency_at(percent / 100.0)),
            _ => self.of_times(&deliveries.latency),
        }
    }

    fn of_iterations(self, iterations: &Iterations) -> Observed {
        let ended = iterations.succeeded + iterations.failed;
        match self.aggregate {
            Aggregate::Failed => self.part(iterations.failed, ended),
            Aggregate::Dropped => self.part(iterations.dropped, iterations.planned),
            Aggregate::Count => Ok(ended as f64),
            Aggregate::Rate => self.rate(ended as f64),
            Aggregate::Percentile(percent) => reported(iterations.time_at(percent / 100.0)),
            Aggregate::Max | Aggregate::Mean if iterations.unfinished > 0 => {
                let mut at_their_ages = iterations.time.clone();
                at_their_ages.merge(&iterations.open);
                self.at_least(&at_their_ages)
            }
            _ => self.of_times(&iterations.time),
        }
    }

    fn of_convergence(self, groups: &Convergence) -> Observed {
        let all = groups.groups();
        match self.aggregate {
            Aggregate::Converged => self.part(groups.converged, all),
            Aggregate::Diverged => self.part(groups.diverged, all),
            Aggregate::Unknown => self.part(groups.unknown, all),
            Aggregate::Count => Ok(all as f64),
            _ => Err(Missing::Unmeasured),
        }
    }

    /// A check that was never made has not held.
    fn of_checks(self, checks: &BTreeMap<String, Check>, name: Option<&str>) -> Observed {
        let asked = checks
            .iter()
            .filter(|(known, _)| name.is_none_or(|name| name == *known));
        let (passed, failed) = asked.fold((0, 0), |sum, (_, check)| {
            (sum.0 + check.passed, sum.1 + check.failed)
        });
        let made = passed + failed;
        match self.aggregate {
            _ if made == 0 => Err(Missing::Unmeasured),
            Aggregate::Failed => self.part(failed, made),
            Aggregate::Count => Ok(made as f64),
            Aggregate::Rate => self.rate(made as f64),
            _ => Err(Missing::Unmeasured),
        }
    }

    fn of_metric(self, metric: &Metric) -> Observed {
        let counter = metric.kind == record::MetricKind::Counter;
        let amount = if counter {
            metric.sum
        } else {
            metric.count as f64
        };
        match self.aggregate {
            Aggregate::Count => Ok(amount),
            Aggregate::Rate => self.rate(amount),
            Aggregate::Mean => {
                measured_or((metric.count > 0).then(|| metric.sum / metric.count as f64))
            }
            Aggregate::Min => measured_or(metric.min),
            Aggregate::Max => measured_or(metric.max),
            Aggregate::Percentile(percent) => {
                let values = metric.values.as_ref().ok_or(Missing::Unmeasured)?;
                let (have, need) = (values.count(), stats::needed_samples(percent / 100.0));
                let stated = values.stated(percent / 100.0);
                stated.ok_or(Missing::TooFew { have, need })
            }
            _ => Err(Missing::Unmeasured),
        }
    }

    fn of_target(self, level: &Level) -> Observed {
        let target = level.target.as_ref().ok_or(Missing::Unmeasured)?;
        measured_or(match self.aggregate {
            Aggregate::Cpu => target.cpu_percent.map(|percent| percent / 100.0),
            Aggregate::Memory => target.memory_mb_max.map(|megabytes| megabytes * 1e6),
            _ => None,
        })
    }

    /// Some of the times are ages of what is in flight: no value, but what it exceeds.
    fn at_least(self, times: &Histogram) -> Observed {
        let at_least = self.of_times(times)?;
        Err(Missing::InFlight { at_least })
    }

    fn of_times(self, times: &Histogram) -> Observed {
        let time = match self.aggregate {
            Aggregate::Percentile(percent) => {
                return reported(stats::estimate(times, 0, percent / 100.0));
            }
            Aggregate::Mean => times.mean(),
            Aggregate::Min => times.min(),
            Aggregate::Max => times.max(),
            _ => None,
        };
        measured_or(time.map(nanos))
    }

    fn rate(self, count: f64) -> Observed {
        measured_or((self.hold_s > 0.0).then(|| count / self.hold_s))
    }

    /// A share of all, or a number. Of nothing there is no share.
    fn part(self, count: u64, of: u64) -> Observed {
        if !self.share {
            return Ok(count as f64);
        }
        measured_or((of > 0).then(|| count as f64 / of as f64))
    }
}

/// One name, or all names together.
fn pooled<T: Clone>(
    map: &BTreeMap<String, T>,
    name: Option<&str>,
    join: fn(&mut T, &T),
) -> Result<T, Missing> {
    let found = match name {
        Some(name) => map.get(name).cloned(),
        None => map.values().cloned().reduce(|mut all, one| {
            join(&mut all, &one);
            all
        }),
    };
    found.ok_or(Missing::Unmeasured)
}

/// A percentile, if there are samples enough for it and it is not among the time-outs.
fn reported(estimate: Estimate) -> Observed {
    match estimate {
        Estimate::Value { value, .. } => Ok(nanos(value)),
        Estimate::Beyond { at_least: None } => Err(Missing::TimedOut),
        Estimate::Beyond {
            at_least: Some(age),
        } => Err(Missing::InFlight {
            at_least: nanos(age),
        }),
        Estimate::Unavailable { have, need } => Err(Missing::TooFew { have, need }),
    }
}

fn measured_or(value: Option<f64>) -> Observed {
    value.ok_or(Missing::Unmeasured)
}

fn nanos(nanos: Nanos) -> f64 {
    nanos.0 as f64
}

#[cfg(test)]
mod tests;
