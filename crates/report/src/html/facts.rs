//! The four facts below the verdict: the highest load that held, the first failure, the cause, and earlier runs.

use format::{count, escape_html, estimate, percent};
use model::Verdict;
use record::{Level, Run};

use crate::section::levels::{Lead, LeadTimes};
use crate::section::status::{Status, by_load, highest_held};
use crate::section::{deliveries, failures, inconclusive, label, label_at, results_of};
use crate::words;

/// The value of a fact about a run without levels.
const NOTHING: &str = "Nothing was measured";

/// One fact.
struct Fact {
    title: &'static str,
    value: String,
    detail: String,
}

/// Returns the facts in HTML.
pub(super) fn section(run: &Run) -> String {
    let facts = [
        highest(run),
        failed_first(run),
        cause(run),
        Fact {
            title: "Since the last run",
            value: "Unknown from one run".to_owned(),
            detail: "Runs of an unchanged system differ, too. At least three runs of each version show what changed: \
                     headcount compare OLD NEW."
                .to_owned(),
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
            value: label(&last.load),
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
        |level| (label(&level.load), figures(run, level)),
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
    let more = match broken.count() {
        0 => String::new(),
        more => format!(
            " Also broken there: {}.",
            format::plural(more as u64, "other threshold")
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

fn cause(run: &Run) -> Fact {
    if let Some(finding) = run.findings.first() {
        let (sentence, confidence) = (
            words::finding::sentence(finding),
            finding.confidence.as_str(),
        );
        return Fact {
            title: "Likely cause: the target",
            value: capitalised(words::finding::name(finding)),
            detail: format!("{}. Confidence: {confidence}.", capitalised(&sentence)),
        };
    }
    let invalid = run
        .levels
        .iter()
        .find(|level| Status::of(run, level) == Status::Invalid);
    if let Some(level) = invalid {
        let reason = level.invalid_because().next().map(words::issue::sentence);
        return Fact {
            title: "Limit: the generator",
            value: format!("Invalid at {}", label(&level.load)),
            detail: capitalised(&reason.unwrap_or_default()) + ".",
        };
    }
    if run.verdict == Verdict::Failed {
        return Fact {
            title: "Likely cause",
            value: "No cause recognised".to_owned(),
            detail: Some(most_frequent_failure(run))
                .filter(|known| !known.is_empty())
                .unwrap_or_else(|| resources(run)),
        };
    }
    let is_known = run.verdict == Verdict::Passed && !run.levels.is_empty();
    Fact {
        title: "Likely cause",
        value: if is_known {
            "No limit found"
        } else {
            "Not known"
        }
        .to_owned(),
        detail: resources(run),
    }
}

/// Formats the use of the target and of the generator at the highest load.
fn resources(run: &Run) -> String {
    let levels = by_load(run);
    let Some((level, _)) = levels.last() else {
        return format!("{NOTHING}.");
    };
    let target = level.target.as_ref();
    let thread = target.and_then(|target| target.busiest_thread.as_ref());
    let parts = [
        target
            .and_then(|it| it.cpu_percent)
            .map(|cpu| format!("target CPU {}", percent(cpu))),
        thread.map(|thread| format!("its busiest thread {}", percent(thread.cpu_percent))),
        level
            .generator
            .busiest_worker_percent
            .map(|busy| format!("generator's busiest worker {}", percent(busy))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "The use of resources is unknown.".to_owned();
    }
    format!("At {}: {}.", label(&level.load), parts.join(", "))
}

/// Makes the first letter a capital.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
