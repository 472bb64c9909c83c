//! What the comparison rests on, and what it cannot tell.

use comparison::{FEWEST_DAYS, FailIfOutcome, Judgement, Method};
use format::{count, plural};

use super::compared::{Compared, name_of};
use super::table::is_shown;

/// One paragraph each.
pub(super) fn of(compared: Compared<'_>) -> Vec<String> {
    let outcomes = compared.conditions.iter().map(|(condition, outcome)| {
        let outcome = match outcome {
            FailIfOutcome::Passed => "passed",
            FailIfOutcome::Failed => "failed",
            FailIfOutcome::Inconclusive => "inconclusive",
        };
        format!("fail if {}: {outcome}", condition.source)
    });
    let allowed = compared.comparison.allowed.iter().map(|obstacle| {
        let kind = name_of(obstacle.kind);
        format!(
            "allowed to differ: {kind}: {} against {}",
            obstacle.base, obstacle.other
        )
    });
    let notes = [
        Some(runs(compared)),
        method(compared),
        spread(compared),
        others(compared),
        left_out(compared),
        on_both_sides(compared),
    ];
    outcomes
        .chain(notes.into_iter().flatten())
        .chain(allowed)
        .collect()
}

fn runs(compared: Compared<'_>) -> String {
    let comparison = compared.comparison;
    let (base_versions, new_versions) = &comparison.target_versions;
    let base = side(comparison.base_runs, base_versions);
    let new = side(comparison.new_runs, new_versions);
    format!(
        "base: {} ({base}) · new: {} ({new})",
        compared.base, compared.new
    )
}

/// Describes a side: `5 runs, target 1.4.2`.
fn side(runs: usize, versions: &[String]) -> String {
    let runs = plural(runs as u64, "run");
    match versions {
        [] => runs,
        [one] => format!("{runs}, target {one}"),
        [first, .., last] => format!("{runs}, target {first} to {last}"),
    }
}

fn method(compared: Compared<'_>) -> Option<String> {
    match compared.comparison.method {
        Method::Alternating => None,
        Method::OneAfterTheOther => Some(
            "The new runs did not alternate with the base runs. A change of the machine in between would look the same."
                .to_owned(),
        ),
        Method::History => Some(format!(
            "The base is a history. A statement needs runs of at least {FEWEST_DAYS} days, because days differ more than \
             the runs of one day."
        )),
        Method::SingleRun => Some(
            "The samples of one run do not show how much runs differ, so no interval is given.".to_owned(),
        ),
    }
}

/// Whether the runs vary too much for the margin.
fn spread(compared: Compared<'_>) -> Option<String> {
    let effects = compared.comparison.figures.iter();
    let widest = effects
        .filter(|one| one.is_primary && one.judgement == Judgement::CannotTell)
        .filter_map(|one| one.effect.map(|effect| effect.spread / one.margin))
        .fold(0.0, f64::max);
    (widest > 1.2).then(|| {
        "Runs vary by more than the margin here. A quieter machine helps more than more runs."
            .to_owned()
    })
}

fn others(compared: Compared<'_>) -> Option<String> {
    let figures = compared.comparison.figures.iter();
    let hidden = figures.filter(|one| !is_shown(compared, one)).count();
    (hidden > 0).then(|| {
        let them = if hidden == 1 {
            "figure, which is not different"
        } else {
            "figures, none of which is different"
        };
        format!(
            "not listed: {} other {them} (--all lists them)",
            count(hidden as u64)
        )
    })
}

fn left_out(compared: Compared<'_>) -> Option<String> {
    let names = &compared.comparison.left_out;
    (!names.is_empty()).then(|| {
        format!(
            "not compared, although a threshold is about it: {}",
            names.join(", ")
        )
    })
}

fn on_both_sides(compared: Compared<'_>) -> Option<String> {
    let number = compared.comparison.on_both_sides as u64;
    (number > 0).then(|| {
        let are = if number == 1 { "is" } else { "are" };
        format!(
            "{} {are} on both sides, which makes them look more alike than they are.",
            plural(number, "run")
        )
    })
}
