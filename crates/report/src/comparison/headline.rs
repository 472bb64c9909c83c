//! The answer in one sentence.

use comparison::{ComparedFigure, FailIfOutcome, Judgement, Method};
use format::{Tone, plural};

use super::compared::Compared;
use super::table::{interval, is_worse, signed};
use crate::words::capitalised;

/// The sentence, and what it means for the reader.
pub(super) fn of(compared: Compared<'_>) -> (String, Tone) {
    let outcome = compared
        .conditions
        .iter()
        .map(|(_, outcome)| *outcome)
        .max();
    let facts = facts(compared);
    match outcome {
        Some(FailIfOutcome::Failed) => (format!("Failed: {facts}"), Tone::Bad),
        Some(FailIfOutcome::Inconclusive) => (format!("Inconclusive: {facts}"), Tone::Doubtful),
        Some(FailIfOutcome::Passed) => (format!("Passed: {facts}"), Tone::Good),
        None => (capitalised(&facts), tone(compared)),
    }
}

fn tone(compared: Compared<'_>) -> Tone {
    match decisive(compared) {
        Some(worst) if is_worse(worst) => Tone::Bad,
        Some(_) => Tone::Good,
        None => Tone::Strong,
    }
}

/// The figures that decide: those of thresholds and conditions, or all if there are none.
fn deciding(compared: Compared<'_>) -> Vec<&ComparedFigure> {
    let figures = compared.comparison.figures.iter();
    let primary: Vec<_> = figures.clone().filter(|one| one.is_primary).collect();
    if primary.is_empty() {
        figures.collect()
    } else {
        primary
    }
}

/// The figure that the sentence names: the one that became worse most, or else the one that became better most. If a
/// condition failed, it is one of the figures that made it fail.
fn decisive(compared: Compared<'_>) -> Option<&ComparedFigure> {
    let all = deciding(compared);
    let fails = |one: &ComparedFigure| {
        let mut conditions = compared.conditions.iter();
        conditions.any(|(condition, _)| condition.fails(one))
    };
    let any_fails = all.iter().any(|one| fails(one));
    let different = all
        .into_iter()
        .filter(|one| one.judgement == Judgement::Different && (!any_fails || fails(one)));
    let size = |one: &ComparedFigure| one.effect.map_or(0.0, |effect| effect.estimate.abs());
    different.max_by(|one, other| {
        let rank = |one: &ComparedFigure| (is_worse(one), size(one));
        let (one, other) = (rank(one), rank(other));
        one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
    })
}

fn facts(compared: Compared<'_>) -> String {
    if let Some(one) = decisive(compared) {
        return difference(compared, one);
    }
    let figures = deciding(compared);
    let same = figures
        .iter()
        .filter(|one| one.judgement == Judgement::Same)
        .count();
    let compared_at_all = figures
        .iter()
        .filter(|one| !matches!(one.judgement, Judgement::NotCompared { .. }))
        .count();
    if compared_at_all == 0 {
        return "nothing can be compared. The table states the reason for each figure.".to_owned();
    }
    if compared.comparison.method == Method::SingleRun {
        return "one run on a side cannot show a difference. Repeat each at least three times, alternating.".to_owned();
    }
    let open = compared_at_all - same;
    match (same, open) {
        (1, 0) => "no difference: the figure is the same within its margin.".to_owned(),
        (_, 0) => format!(
            "no difference: all {} are the same within their margins.",
            figures_text(same)
        ),
        (0, _) => format!(
            "no difference is proven: the runs do not decide on {}.",
            figures_text(open)
        ),
        _ => format!(
            "no difference is proven: of {}, {same} stayed within the margin, and the runs do not decide on {open}.",
            figures_text(same + open),
        ),
    }
}

fn figures_text(number: usize) -> String {
    plural(number as u64, "figure")
}

fn difference(compared: Compared<'_>, one: &ComparedFigure) -> String {
    let figure = &one.figure;
    let load = compared
        .comparison
        .levels
        .get(figure.level)
        .map(|load| format!(" at {load}"));
    let effect = one.effect.map(|effect| {
        let scale = figure.scale();
        format!(
            "{} ({})",
            signed(effect.estimate, scale),
            interval(effect, scale)
        )
    });
    let others = deciding(compared)
        .iter()
        .filter(|other| other.judgement == Judgement::Different && is_worse(other) == is_worse(one))
        .count()
        - 1;
    let more = if others == 0 {
        String::new()
    } else {
        format!(
            ", and {} that decide",
            plural(others as u64, "other figure")
        )
    };
    format!(
        "{} of {} became {}{}: {}{more}.",
        figure.aggregate,
        figure.subject,
        if is_worse(one) { "worse" } else { "better" },
        load.unwrap_or_default(),
        effect.unwrap_or_default(),
    )
}
