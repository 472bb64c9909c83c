//! Parses `aggregate op limit`.

use super::error::ThresholdError;
use super::limit::{self, Form, Limit};
use super::subject::{Subject, SubjectKind, span_of};
use super::{Aggregate, Figure, Op, Threshold, Unit, reach};
use crate::suggest;

const NAMES: [(&str, Aggregate); 21] = [
    ("mean", Aggregate::Mean),
    ("min", Aggregate::Min),
    ("max", Aggregate::Max),
    ("count", Aggregate::Count),
    ("rate", Aggregate::Rate),
    ("failed", Aggregate::Failed),
    ("dropped", Aggregate::Dropped),
    ("reached", Aggregate::Reached),
    ("delivered", Aggregate::Delivered),
    ("late", Aggregate::Late),
    ("lost", Aggregate::Lost),
    ("duplicated", Aggregate::Duplicated),
    ("reordered", Aggregate::Reordered),
    ("misdelivered", Aggregate::Misdelivered),
    ("converged", Aggregate::Converged),
    ("diverged", Aggregate::Diverged),
    ("unknown", Aggregate::Unknown),
    ("unanswered", Aggregate::Unanswered),
    ("surplus", Aggregate::Surplus),
    ("cpu", Aggregate::Cpu),
    ("memory", Aggregate::Memory),
];

/// The figures of streams, which stand before the aggregate.
const FIGURES: [(&str, Figure); 4] = [
    ("rtf", Figure::RealTimeFactor),
    ("lag", Figure::Lag),
    ("first", Figure::First),
    ("final", Figure::Final),
];

/// The operators, longer ones first, so that `<=` is not read as `<`.
const OPS: [(&str, Op); 6] = [
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    ("==", Op::Equal),
    ("!=", Op::Unequal),
    ("<", Op::Less),
    (">", Op::More),
];

/// Names from other tools, each with the name that headcount uses.
const ELSEWHERE: [(&str, &str); 5] = [
    ("avg", "mean"),
    ("average", "mean"),
    ("med", "p50"),
    ("median", "p50"),
    ("errors", "failed"),
];

/// The name of an aggregate. The name of every percentile is `p`.
pub(super) fn name_of(aggregate: Aggregate) -> &'static str {
    NAMES
        .iter()
        .find(|(_, known)| *known == aggregate)
        .map_or("p", |(name, _)| *name)
}

pub(super) fn parse(subject: &Subject, text: &str) -> Result<Threshold, ThresholdError> {
    let (condition, reach, abort) = reach::split(text)?;
    let (left, op, right) = split(condition)?;
    let (figure, word) = split_figure(subject, left);
    let aggregate = parse_aggregate(subject, text, word)?;
    let form = match figure {
        Some(figure) => form_of_figure(figure, aggregate),
        None => form_of(subject.kind, aggregate),
    };
    let Some(form) = form else {
        let message = format!("`{left}` does not apply to {}", subject.kind.plural());
        let error = ThresholdError::new(text, span_of(text, left), message);
        return Err(error.hint(format!(
            "possible aggregates are {}",
            suggest::listed(&possible(subject.kind))
        )));
    };
    if right.is_empty() {
        let end = condition.len();
        return Err(ThresholdError::new(text, end..end, "the limit is missing"));
    }
    let limit = limit::parse(text, right, form)?;
    check_sense(text, op, limit)?;
    Ok(Threshold {
        subject: subject.clone(),
        figure,
        aggregate,
        op,
        limit,
        reach,
        abort,
        source: text.trim().to_owned(),
    })
}

/// Splits `lag p95` into the figure and the aggregate.
fn split_figure<'a>(subject: &Subject, left: &'a str) -> (Option<Figure>, &'a str) {
    let named = left
        .split_once(char::is_whitespace)
        .filter(|_| subject.kind == SubjectKind::Stream);
    let known = named.and_then(|(word, rest)| {
        let mut figures = FIGURES.iter();
        let (_, figure) = figures.find(|(name, _)| *name == word)?;
        Some((Some(*figure), rest.trim()))
    });
    known.unwrap_or((None, left))
}

/// Splits at the operator. Returns the trimmed text before it, the operator, and the trimmed text after it.
fn split(text: &str) -> Result<(&str, Op, &str), ThresholdError> {
    let Some(at) = text.find(['<', '>', '=', '!']) else {
        let error = ThresholdError::new(text, span_of(text, text.trim()), "has no operator");
        return Err(error.hint("expected e.g. `p95 < 100ms` or `lost == 0`"));
    };
    let (left, rest) = text.split_at(at);
    let Some((sign, op)) = OPS.iter().find(|(sign, _)| rest.starts_with(sign)) else {
        let error = ThresholdError::new(text, at..at + 1, "unknown operator");
        let meant = if rest.starts_with('=') { "==" } else { "!=" };
        return Err(error.hint(format!("did you mean `{meant}`?")));
    };
    Ok((left.trim(), *op, rest[sign.len()..].trim()))
}

fn parse_aggregate(subject: &Subject, text: &str, word: &str) -> Result<Aggregate, ThresholdError> {
    if let Some((_, aggregate)) = NAMES.iter().find(|(name, _)| *name == word) {
        return Ok(*aggregate);
    }
    let span = span_of(text, word);
    let number = word
        .strip_prefix('p')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if let Some(percent) = number.and_then(|number| number.parse::<f64>().ok()) {
        if percent > 0.0 && percent < 100.0 {
            return Ok(Aggregate::Percentile(percent));
        }
        let error = ThresholdError::new(text, span, format!("there is no percentile `{word}`"));
        return Err(error.hint("p0 is `min`, p100 is `max`"));
    }
    if word.is_empty() {
        return Err(ThresholdError::new(text, 0..0, "the aggregate is missing"));
    }
    let error = ThresholdError::new(text, span, format!("unknown aggregate `{word}`"));
    Err(match ELSEWHERE.iter().find(|(theirs, _)| *theirs == word) {
        Some((_, ours)) => error.hint(format!("did you mean `{ours}`?")),
        None => error.hint(suggest::hint(word, &possible(subject.kind))),
    })
}

/// The form that the limit must have. `None` if the aggregate does not apply to the subject.
fn form_of(kind: SubjectKind, aggregate: Aggregate) -> Option<Form> {
    use Aggregate as A;
    use SubjectKind as K;
    match aggregate {
        A::Cpu => (kind == K::Target).then_some(Form::Cores),
        A::Memory => (kind == K::Target).then_some(Form::Size),
        _ if kind == K::Target => None,
        A::Percentile(_) | A::Mean | A::Min | A::Max => match kind {
            K::Check | K::Convergence | K::Stream => None,
            K::Metric => Some(Form::Plain),
            _ => Some(Form::Duration),
        },
        A::Count if kind == K::Metric => Some(Form::Plain),
        A::Count => Some(Form::Count),
        A::Rate => (kind != K::Convergence).then_some(Form::PerSecond),
        A::Failed => (!matches!(kind, K::Delivery | K::Metric | K::Convergence))
            .then_some(Form::ShareOrCount),
        A::Converged | A::Diverged | A::Unknown => {
            (kind == K::Convergence).then_some(Form::ShareOrCount)
        }
        A::Reached => (kind == K::Step).then_some(Form::ShareOrCount),
        A::Dropped => matches!(kind, K::Iteration | K::Stream).then_some(Form::ShareOrCount),
        A::Reordered => matches!(kind, K::Delivery | K::Stream).then_some(Form::ShareOrCount),
        A::Unanswered | A::Surplus => (kind == K::Stream).then_some(Form::ShareOrCount),
        A::Delivered | A::Late | A::Lost | A::Duplicated | A::Misdelivered => {
            (kind == K::Delivery).then_some(Form::ShareOrCount)
        }
    }
}

/// The form that the limit must have for a figure of streams. `None` if the aggregate does not apply to it.
fn form_of_figure(figure: Figure, aggregate: Aggregate) -> Option<Form> {
    use Aggregate as A;
    let is_result = matches!(figure, Figure::First | Figure::Final);
    match aggregate {
        A::Percentile(_) | A::Mean | A::Min | A::Max if figure == Figure::RealTimeFactor => {
            Some(Form::Plain)
        }
        A::Percentile(_) | A::Mean | A::Min | A::Max => Some(Form::Duration),
        A::Failed if is_result => Some(Form::ShareOrCount),
        A::Count if is_result => Some(Form::Count),
        _ => None,
    }
}

/// The aggregates that apply to a subject.
fn possible(kind: SubjectKind) -> Vec<&'static str> {
    let percentiles = form_of(kind, Aggregate::Percentile(95.0)).map(|_| ["p50", "p95", "p99"]);
    let named = NAMES
        .iter()
        .filter(|(_, aggregate)| form_of(kind, *aggregate).is_some());
    let names = named.map(|(name, _)| *name);
    let all = percentiles.into_iter().flatten().chain(names);
    if kind == SubjectKind::Stream {
        let series = ["rtf p5", "lag p95", "first p95", "final p95"];
        return series.into_iter().chain(all).collect();
    }
    all.collect()
}

/// Refuses thresholds whose outcome does not depend on the measurement.
fn check_sense(text: &str, op: Op, limit: Limit) -> Result<(), ThresholdError> {
    let verdict = match (op, limit.value == 0.0) {
        _ if limit.unit == Unit::Plain => return Ok(()),
        (Op::Less, true) => "can never hold: nothing is less than zero",
        (Op::AtLeast, true) => "always holds: everything is at least zero",
        _ => return Ok(()),
    };
    Err(ThresholdError::new(
        text,
        span_of(text, text.trim()),
        verdict,
    ))
}
