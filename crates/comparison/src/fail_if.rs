use plan::{Aggregate, Subject, SubjectKind};
use serde::Serialize;
use thiserror::Error;

use crate::comparison::{ComparedFigure, Comparison, Judgement};
use crate::figure::{Figure, Missing};

/// The figures that a condition can name.
const AGGREGATES: [Aggregate; 13] = [
    Aggregate::Percentile(50.0),
    Aggregate::Percentile(95.0),
    Aggregate::Percentile(99.0),
    Aggregate::Rate,
    Aggregate::Failed,
    Aggregate::Lost,
    Aggregate::Late,
    Aggregate::Duplicated,
    Aggregate::Reordered,
    Aggregate::Misdelivered,
    Aggregate::Dropped,
    Aggregate::Cpu,
    Aggregate::Memory,
];

/// A condition under which a comparison fails: `p95 +5%`, `delivery(said) p95 +5%`, `rate -3%`, `lost +0.1%`.
///
/// For shares such as `failed` and `lost`, the limit is in percentage points.
#[derive(Clone, Debug, PartialEq)]
pub struct FailIf {
    /// The subject. `None` means every subject that has the figure.
    subject: Option<Subject>,
    aggregate: Aggregate,
    /// The change that fails, with its sign: 0.05 for `+5%`.
    change: f64,
    /// The condition as the user wrote it.
    pub source: String,
}

/// Why a condition cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FailIfError {
    /// The last word is not a change.
    #[error("`{0}` does not end with a change such as `+5%` or `-5%`")]
    NoChange(String),
    /// The figure is unknown.
    #[error("`{0}` is not a figure that can be compared; write one of {list}", list = names())]
    UnknownFigure(String),
    /// The subject is unknown.
    #[error("{0}")]
    UnknownSubject(String),
}

/// The outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailIfOutcome {
    /// Every figure changed by less than the limit.
    Passed,
    /// There are too few runs to decide, or nothing was compared.
    Inconclusive,
    /// A figure changed by at least the limit.
    Failed,
}

fn names() -> String {
    AGGREGATES.map(|known| format!("`{known}`")).join(", ")
}

impl FailIf {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Self, FailIfError> {
        let no_change = || FailIfError::NoChange(text.trim().to_owned());
        let (rest, change) = text.trim().rsplit_once(' ').ok_or_else(no_change)?;
        let number = change.strip_suffix('%').ok_or_else(no_change)?;
        let percent = number.parse::<f64>().map_err(|_| no_change())?;
        let is_signed = number.starts_with(['+', '-']);
        if !is_signed || !percent.is_finite() || percent == 0.0 {
            return Err(no_change());
        }
        let (subject, word) = match rest.trim().rsplit_once(' ') {
            Some((subject, word)) => (Some(subject), word),
            None => (None, rest.trim()),
        };
        let known = AGGREGATES.into_iter().find(|one| one.to_string() == word);
        let aggregate = known.ok_or_else(|| FailIfError::UnknownFigure(word.to_owned()))?;
        let subject = subject.map(Subject::parse).transpose();
        Ok(Self {
            subject: subject.map_err(|why| FailIfError::UnknownSubject(why.to_string()))?,
            aggregate,
            change: percent / 100.0,
            source: text.trim().to_owned(),
        })
    }

    /// Whether the condition is about the figure. Without a subject, it is about the operations that users wait for.
    pub(crate) fn is_about(&self, figure: &Figure) -> bool {
        if self.aggregate != figure.aggregate {
            return false;
        }
        match &self.subject {
            None => !matches!(
                figure.subject.kind,
                SubjectKind::Connection | SubjectKind::Step
            ),
            Some(subject) => {
                subject.kind == figure.subject.kind
                    && (subject.name.is_none() || subject.name == figure.subject.name)
            }
        }
    }

    /// Whether the condition is about any figure of the comparison.
    pub fn is_about_any(&self, comparison: &Comparison) -> bool {
        let mut figures = comparison.figures.iter();
        figures.any(|compared| self.is_about(&compared.figure))
    }

    /// Judges the condition by all figures that it is about. Figures that a run did not measure, or for which it has too few
    /// samples, do not count if there are others.
    pub fn judge(&self, comparison: &Comparison) -> FailIfOutcome {
        let figures = comparison.figures.iter();
        let about =
            figures.filter(|compared| self.is_about(&compared.figure) && is_measured(compared));
        let outcomes = about.map(|compared| self.judge_one(compared));
        outcomes.max().unwrap_or(FailIfOutcome::Inconclusive)
    }

    /// Whether this figure makes the condition fail.
    pub fn fails(&self, compared: &ComparedFigure) -> bool {
        self.is_about(&compared.figure) && self.judge_one(compared) == FailIfOutcome::Failed
    }

    fn judge_one(&self, compared: &ComparedFigure) -> FailIfOutcome {
        let Some(effect) = compared.effect else {
            return FailIfOutcome::Inconclusive;
        };
        let towards = self.change.signum();
        let limit = self.change.abs();
        let farthest = (effect.low * towards).max(effect.high * towards);
        if compared.judgement == Judgement::Different && effect.estimate * towards >= limit {
            FailIfOutcome::Failed
        } else if farthest < limit {
            FailIfOutcome::Passed
        } else {
            FailIfOutcome::Inconclusive
        }
    }
}

/// Whether every run has a value. A percentile among timeouts counts as measured, so that it never passes unnoticed.
fn is_measured(compared: &ComparedFigure) -> bool {
    !matches!(
        compared.judgement,
        Judgement::NotCompared {
            missing: Missing::NotMeasured | Missing::TooFewSamples
        }
    )
}
