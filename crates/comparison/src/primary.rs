//! The figures that decide: those of thresholds, and of the conditions of the command line.

use plan::{Aggregate, Subject, Threshold};
use record::Run;

use crate::fail_if::FailIf;
use crate::figure::Figure;

/// Selects the figures that were of interest before anybody saw them.
pub(crate) struct Primary<'a> {
    thresholds: Vec<(Subject, Aggregate)>,
    conditions: &'a [FailIf],
}

impl<'a> Primary<'a> {
    pub(crate) fn of(run: &Run, conditions: &'a [FailIf]) -> Self {
        let thresholds = run.thresholds.iter().filter_map(|result| {
            let subject = Subject::parse(&result.metric).ok()?;
            let threshold = Threshold::parse(&subject, &result.condition).ok()?;
            Some((subject, threshold.aggregate))
        });
        Self {
            thresholds: thresholds.collect(),
            conditions,
        }
    }

    /// Whether a threshold or a condition is about the figure.
    pub(crate) fn contains(&self, figure: &Figure) -> bool {
        let by_threshold = self.thresholds.iter().any(|(subject, aggregate)| {
            *aggregate == figure.aggregate
                && subject.kind == figure.subject.kind
                && (subject.name.is_none() || subject.name == figure.subject.name)
        });
        by_threshold
            || self
                .conditions
                .iter()
                .any(|condition| condition.is_about(figure))
    }
}
