//! The four facts below the verdict: the highest load that held, the first failure, the side at fault, and the last run.

mod last_run;

use format::{count, escape_html, estimate};
use record::{Level, Run};

use crate::section::levels::{Lead, LeadTimes};
use crate::section::status::{Status, by_load, highest_held};
use crate::section::{
    at_fault, deliveries, failures, inconclusive, label, label_at, label_with_unit, results_of,
};
use crate::words::capitalised;

/// The value of a fact about a run without levels.
const NOTHING: &str = "Nothing was measured";

/// One fact.
struct Fact {
    title: &'static str,
    value: String,
    detail: String,
}

/// Returns the facts in HTML. `last` is an earlier run of the same script.
pub(super) fn section(run: &Run, last: Option<&Run>) -> String {
    let (value, detail) = last_run::since(run, last);
    let facts = [
        highest(run),
        failed_first(run),
        at_fault(run),
        Fact {
            title: "Since the last run",
            value,
            detail,
        },
    ];
    let html = facts.iter().map(|fact| {
        format!(
            "<div class=\"fact\"><h2>{}</h2><strong>{}</strong><p>{}</p></div>",
            fact.title,
            escape_html(&fact.value),
            escape_html(&fact.detail)
        )
    });
    let html: String = html.collect();
    format!("<section class=\"facts\" aria-label=\"Main results\">{html}</section>")
}

fn highest(run: &Run) -> Fact {
    let levels = by_load(run);
    let Some((last, _)) = levels.last() else {
        return Fact {
            title: "Highest load that held",
            value: NOTHING.to_owned(),
            detail: "The run ended before its first level.".to_owned(),
        };
    };
    if run.thresholds.is_empty() {
        return Fact {
            title: "Highest load measured",
            value: label_with_unit(&last.load),
            detail: format!(
                "No threshold was set, so no load held or failed. {}",
                figures(run, last)
            ),
        };
    }
    let (value, detail) = highest_held(run).map_or_else(
        || {
            (
                "None".to_owned(),
                "At no level did every threshold hold.".to_owned(),
            )
        },
        |level| (label_with_unit(&level.load), figures(run, level)),
    );
    Fact {
        title: "Highest load that held",
        value,
        detail,
    }
}

/// Formats a level's main figures: `11,074 requests, p50 2.95 ms, p95 30.7 ms, p99 38.4 ms.`
fn figures(run: &Run, level: &Level) -> String {
    let lead = Lead::of(run);
    let times = LeadTimes::of(level, lead);
    let at = |q| {
        format!(
            "{} {}",
            format::percentile(q),
            estimate(times.at(q), times.limit())
        )
    };
    let (number, noun) = (count(times.count()), lead.rate_title());
    format!("{number} {noun}: {}, {}, {}.", at(0.5), at(0.95), at(0.99))
}

fn failed_first(run: &Run) -> Fact {
    let title = "Failed first";
    let levels = by_load(run);
    let failed = levels.iter().find(|(_, status)| *status == Status::Failed);
    let Some((level, _)) = failed else {
        let (value, detail) = nothing_failed(run);
        return Fact {
            title,
            value: value.to_owned(),
            detail,
        };
    };
    let at = label(&level.load);
    let mut broken = results_of(run, level).filter(|one| one.held == Some(false));
    let Some(first) = broken.next() else {
        return Fact {
            title,
            value: format!("Operations at {at}"),
            detail: most_frequent_failure(run),
        };
    };
    let more = match broken.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [other] => format!(" Also broken there: {} {}.", other.metric, other.condition),
        others => format!(
            " Also broken there: {}.",
            format::plural(others.len() as u64, "other threshold")
        ),
    };
    Fact {
        title,
        value: format!("{} at {at}", first.metric),
        detail: format!(
            "{}, observed {}.{more}",
            first.condition,
            inconclusive::observed(run, first)
        ),
    }
}

/// Formats what is known where no level failed. Operations can fail although no threshold broke.
fn nothing_failed(run: &Run) -> (&'static str, String) {
    if run.levels.is_empty() {
        return (NOTHING, String::new());
    }
    if let Some(open) = run.thresholds.iter().find(|result| result.held.is_none()) {
        let at = label_at(&run.levels, open.level);
        return (
            "Not decided",
            format!("{} {} at {at}.", open.metric, open.condition),
        );
    }
    let value = if run.thresholds.is_empty() {
        "No threshold was set"
    } else {
        "No threshold broke"
    };
    if let Some((fate, why)) = deliveries::missing(run).first() {
        return (value, format!("{} {why}.", capitalised(fate)));
    }
    let most_frequent = most_frequent_failure(run);
    if !most_frequent.is_empty() {
        return (value, most_frequent);
    }
    let lead = Lead::of(run);
    let counts = run.levels.iter().rev().find_map(|level| match lead {
        Lead::Deliveries => deliveries::none_lost_counts(level),
        _ => failures::none_failed_counts(level, lead),
    });
    let counts = counts.map_or_else(String::new, |counts| capitalised(&counts) + ".");
    ("Nothing failed", counts)
}

fn most_frequent_failure(run: &Run) -> String {
    let groups = failures::groups(run);
    groups.first().map_or_else(String::new, |group| {
        format!(
            "{}, {}: {}. Side at fault: {}.",
            group.kind,
            group.what,
            group.counts(),
            group.side
        )
    })
}

fn at_fault(run: &Run) -> Fact {
    let found = at_fault::of(run);
    let culprit = found.culprit.as_str();
    let value = found
        .cause
        .map_or_else(|| culprit.to_owned(), |cause| format!("{culprit}: {cause}"));
    Fact {
        title: "At fault",
        value,
        detail: found.reason,
    }
}
