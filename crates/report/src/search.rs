//! Renders a saved search for the terminal: the answer in words, the evidence in one table, and the lines during the
//! search.

mod answer;
mod map;
pub(crate) mod scalability;
mod table;

use capacity::search::{Evidence, Outcome, Purpose, Quantity, SavedSearch, Trial};
use format::{amount, millis, paint, plural, seconds, span};
use record::{Cause, Finding};

pub use map::ceiling_map;

use crate::section::findings;
use crate::terminal::{Page, Terminal, finding_text};

/// Formats a load with the unit of its quantity: `385/s`, `12 groups`.
fn load(load: f64, quantity: Quantity) -> String {
    let plural = if (load - 1.0).abs() < f64::EPSILON {
        ""
    } else {
        "s"
    };
    match quantity {
        Quantity::Rate => format!("{}/s", amount(load)),
        Quantity::Users => format!("{} user{plural}", amount(load)),
        Quantity::Groups => format!("{} group{plural}", amount(load)),
    }
}

/// Renders the result of a search, ending with a line break.
pub fn search_result(search: &SavedSearch, options: Terminal<'_>) -> String {
    let page = Page::new(options.colour, options.width);
    let headline = page.paragraph(&answer::headline(search)).into_iter();
    let mut lines: Vec<String> = headline
        .map(|line| paint(&line, answer::tone(search), options.colour))
        .collect();
    let fit = search.scalability.iter().flat_map(scalability::lines);
    let details = answer::details(search).into_iter().chain(fit);
    lines.extend(details.flat_map(|line| page.paragraph(&line)));
    lines.push(String::new());
    lines.extend(why_no_more(search, page));
    let table = table::of(search);
    if !table.is_empty() {
        lines.push(page.title("Loads tried (without warm-up and recovery trials)"));
        lines.extend(page.table(table));
        lines.push(String::new());
    }
    let declared = if search.default_thresholds {
        "thresholds (defaults, because none are declared)"
    } else {
        "thresholds"
    };
    let declared = format!("{declared}: {}", search.thresholds.join(" · "));
    lines.extend(page.paragraph(&declared));
    lines.push(format!(
        "{} in {}",
        plural(search.answer.trials as u64, "trial"),
        span(search.answer.spent_s)
    ));
    if let Some(path) = options.saved_to {
        lines.push(format!("saved in {path}"));
    }
    lines.join("\n") + "\n"
}

/// The causes that limit the target, or the generator. Empty if the search found no limit.
fn why_no_more(search: &SavedSearch, page: Page) -> Vec<String> {
    let generator = answer::generator_as_cause(search);
    let is_told =
        |finding: &&Finding| !generator.is_empty() && matches!(finding.cause, Cause::Generator(_));
    let others: Vec<&Finding> = search.findings.iter().filter(|one| !is_told(one)).collect();
    let is_empty = generator.is_empty() && others.is_empty();
    if search.answer.fails.is_none() && is_empty {
        return Vec::new();
    }
    let mut lines = vec![page.title("Why no more")];
    if is_empty {
        lines.push("  no known cause shows in the figures".to_owned());
    }
    lines.extend(finding_text(generator, page));
    for finding in others {
        lines.extend(finding_text(findings::reasons(finding), page));
    }
    lines.push(String::new());
    lines
}

/// What a search knows, for the line that shows its state.
#[derive(Clone, Copy, Debug)]
pub struct SearchState {
    /// The searched quantity.
    pub quantity: Quantity,
    /// The trial that runs.
    pub trial: Trial,
    /// The number of the trial, from 1.
    pub number: usize,
    /// The highest load that held.
    pub holds: Option<f64>,
    /// The lowest load that failed.
    pub fails: Option<f64>,
    /// Seconds left of the budget.
    pub left_s: f64,
}

/// Renders the state of a search: the trial that runs, what is known, and the time that is left.
pub fn search_state(state: &SearchState) -> String {
    format!(
        "trial {} at {} for {} ({}) · {} · {} left",
        state.number,
        load(state.trial.load, state.quantity),
        seconds(state.trial.duration_s),
        purpose(state.trial.purpose),
        known(state.holds, state.fails, state.quantity),
        span(state.left_s.max(0.0)),
    )
}

fn known(holds: Option<f64>, fails: Option<f64>, quantity: Quantity) -> String {
    match (holds, fails) {
        (None, None) => "nothing known yet".to_owned(),
        (Some(holds), None) => format!("holds {}", load(holds, quantity)),
        (None, Some(fails)) => format!("fails at {}", load(fails, quantity)),
        (Some(holds), Some(fails)) => format!(
            "holds {}, fails at {}",
            load(holds, quantity),
            load(fails, quantity)
        ),
    }
}

/// What users missed of the measured time is told if it is a larger share than this.
const MISSED: f64 = 0.01;

/// Renders a trial that has ended, with what is known since: `trial 4 at 160/s for 3 s (expand): failed (requests: p95
/// < 50ms), 23.1 % beyond the limit (allowed 5 %), median 61 ms · holds 80/s, fails at 160/s · 3 min 20 s left`.
pub fn search_trial(state: &SearchState, outcome: &Outcome) -> String {
    let SearchState {
        quantity, trial, ..
    } = state;
    let head = format!(
        "trial {} at {} for {} ({}): {}",
        state.number,
        load(trial.load, *quantity),
        seconds(trial.duration_s),
        purpose(trial.purpose),
        result(outcome)
    );
    let is_broken = outcome.is_valid() && outcome.failed() && !outcome.broken.is_empty();
    let head = if is_broken {
        format!("{head} ({})", outcome.broken.join(" · "))
    } else {
        head
    };
    let beyond = match outcome.evidence {
        Evidence::Share(counts) if outcome.is_valid() => Some(format!(
            "{} beyond the limit (allowed {})",
            format::percent(counts.share() * 100.0),
            format::percent(counts.allowed * 100.0)
        )),
        _ => None,
    };
    let median = outcome
        .median_ms
        .map(|median| format!("median {}", millis(median)));
    let left = outcome
        .leftovers
        .map(|left| format!("{} left over from earlier trials", amount(left)));
    let missed = outcome.readiness.filter(|users| users.missed > MISSED);
    let missed = missed.map(|users| {
        let missed = format::percent(users.missed * 100.0);
        format!("users missed {missed} of the measured time on average")
    });
    let figures: Vec<String> = [Some(head), missed, beyond, median, left]
        .into_iter()
        .flatten()
        .collect();
    format!(
        "{} · {} · {} left",
        figures.join(", "),
        known(state.holds, state.fails, *quantity),
        span(state.left_s.max(0.0))
    )
}

/// The outcome of a trial in a few words.
fn result(outcome: &Outcome) -> &'static str {
    if outcome.not_ready {
        "users were not ready in time; again with a longer ramp"
    } else if !outcome.is_valid() {
        "the generator was the limit"
    } else if outcome.completed.is_some() {
        "fell behind"
    } else if outcome.failed() {
        "failed"
    } else if outcome.held() {
        "held"
    } else {
        "undecided"
    }
}

fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::WarmUp => "warm-up",
        Purpose::Expand => "expand",
        Purpose::Reference => "reference",
        Purpose::Refine => "refine",
        Purpose::Confirm => "confirm",
        Purpose::Above => "above",
        Purpose::Recovery => "recovery",
        Purpose::Drift => "drift",
        Purpose::Overload => "overload",
        Purpose::Explain => "explain",
    }
}
