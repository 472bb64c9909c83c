//! The figures that decide: those of thresholds, and of the conditions of the command line.

use plan::{Aggregate, Subject, Threshold};
use record::Run;

use crate::comparison::ComparedFigure;
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
        let mut thresholds = self.thresholds.iter();
        thresholds.any(|threshold| is_about(threshold, figure))
            || self
                .conditions
                .iter()
                .any(|condition| condition.is_about(figure))
    }

    /// Returns the figures of thresholds that are not among the compared ones, each once.
    pub(crate) fn left_out(&self, figures: &[ComparedFigure]) -> Vec<String> {
        let mut names = Vec::new();
        for threshold in &self.thresholds {
            let name = format!("{} {}", threshold.0, threshold.1);
            let is_compared = figures.iter().any(|one| is_about(threshold, &one.figure));
            if !is_compared && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn is_about((subject, aggregate): &(Subject, Aggregate), figure: &Figure) -> bool {
    *aggregate == figure.aggregate
        && subject.kind == figure.subject.kind
        && (subject.name.is_none() || subject.name == figure.subject.name)
}
