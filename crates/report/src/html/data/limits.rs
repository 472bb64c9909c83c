//! The limits of latency, read from the thresholds.

use std::collections::BTreeSet;

use plan::{Aggregate, Op, Subject, SubjectKind, Threshold, Unit};
use record::{Run, ThresholdResult};
use serde::Serialize;

use crate::section::levels::Lead;

/// A limit of latency.
#[derive(Serialize)]
pub(super) struct Limit {
    /// The limit in milliseconds.
    ms: f64,
    /// The percentile: 95.
    percentile: f64,
    /// The threshold as the user wrote it: `requests p95 < 50ms`.
    text: String,
}

/// Returns the upper limits of percentiles of the run's main subject, without repetitions.
pub(super) fn of(run: &Run, lead: Lead) -> Vec<Limit> {
    let mut seen = BTreeSet::new();
    let each = run.thresholds.iter();
    let new = each.filter(|result| seen.insert((&result.metric, &result.condition)));
    new.filter_map(|result| limit(result, lead)).collect()
}

fn limit(result: &ThresholdResult, lead: Lead) -> Option<Limit> {
    let subject = Subject::parse(&result.metric).ok()?;
    let threshold = Threshold::parse(&subject, &result.condition).ok()?;
    let is_upper = matches!(threshold.op, Op::Less | Op::AtMost);
    let Aggregate::Percentile(percentile) = threshold.aggregate else {
        return None;
    };
    let is_shown = subject.kind == kind(lead) && threshold.limit.unit == Unit::Nanos;
    (is_upper && is_shown).then(|| Limit {
        ms: threshold.limit.value / 1e6,
        percentile,
        text: format!("{} {}", result.metric, result.condition),
    })
}

fn kind(lead: Lead) -> SubjectKind {
    match lead {
        Lead::Deliveries => SubjectKind::Delivery,
        Lead::Requests => SubjectKind::Request,
        Lead::RoundTrips => SubjectKind::RoundTrip,
        Lead::Iterations => SubjectKind::Iteration,
    }
}
