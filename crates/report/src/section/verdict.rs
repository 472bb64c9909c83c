//! The first sentence of a report: the result of the run, or why it has no result.

mod around;

use std::collections::BTreeSet;

use format::{Tone, amount, plural, share};
use model::Verdict;
use record::{Inconclusive, Level, Note, Run, ThresholdResult};

use super::levels::{Lead, all_operations};
use super::status::Status;
use super::{inconclusive, label, label_at, label_with_unit_at};
use crate::words;

/// The first sentence, divided into the verdict and the rest.
#[derive(Clone, Debug)]
pub(crate) struct Headline {
    pub(crate) verdict: &'static str,
    pub(crate) tone: Tone,
    pub(crate) sentence: String,
}

/// Returns the first sentence.
pub(crate) fn headline(run: &Run) -> Headline {
    let (verdict, tone) = match run.verdict {
        _ if run.interrupted => ("Interrupted", Tone::Doubtful),
        Verdict::Passed => ("Passed", Tone::Good),
        Verdict::Failed => ("Failed", Tone::Bad),
        Verdict::Inconclusive => ("Inconclusive", Tone::Doubtful),
    };
    let sentence = match (run.interrupted, run.levels.len() as u64) {
        (true, 0) => " before anything was measured.".to_owned(),
        (false, 0) => ": nothing was measured.".to_owned(),
        (true, levels) => {
            let levels = plural(levels, "level");
            format!(
                " after {levels}; until then {}{}",
                run.verdict,
                outcome(run)
            )
        }
        (false, _) => outcome(run),
    };
    Headline {
        verdict,
        tone,
        sentence,
    }
}

/// Returns the first sentence of a trace, which checks no thresholds and therefore cannot pass.
pub(crate) fn of_trace(run: &Run) -> Headline {
    if run.interrupted || run.verdict != Verdict::Passed {
        return headline(run);
    }
    Headline {
        verdict: "Traced",
        tone: Tone::Good,
        sentence: format!(
            " one iteration.{} Thresholds are not checked.",
            failures(run)
        ),
    }
}

/// Returns the first sentence without the verdict, for a run with levels.
fn outcome(run: &Run) -> String {
    match run.verdict {
        Verdict::Passed => passed(run),
        Verdict::Failed => format!("{}{}", failed(run), doubtful_levels(run)),
        Verdict::Inconclusive => cannot_tell(run),
    }
}

fn passed(run: &Run) -> String {
    if run.thresholds.is_empty() {
        let reach = reach(&run.levels);
        let levels = plural(run.levels.len() as u64, "level");
        let failures = failures(run);
        return format!(": {levels} measured {reach}.{failures} No threshold was set.");
    }
    // The statement omits loads above the limit of every threshold.
    let judged = |level: &&Level| {
        run.thresholds
            .iter()
            .any(|result| result.level == level.index)
    };
    let judged: Vec<Level> = run.levels.iter().filter(judged).cloned().collect();
    let reach = reach(&judged);
    let doubtful = judged.iter().any(Level::is_invalid);
    let despite = if doubtful {
        " A level is invalid because the generator was late. Its thresholds count nevertheless: lateness only makes \
         times longer, and the target had the full load."
    } else {
        ""
    };
    format!(": every threshold held {reach}.{despite}")
}

/// Returns the share of failures, for a run without thresholds.
fn failures(run: &Run) -> String {
    let lead = Lead::of(run);
    let all = run.levels.iter().map(|level| all_operations(level, lead));
    let (failed, count) = all.fold((0, 0), |(failed, count), all| {
        (failed + all.failed, count + all.count)
    });
    if failed == 0 {
        return String::new();
    }
    format!(" {} operations failed.", share(failed, count))
}

/// Formats the load: `at 50 users` for a single level; `up to 1,000 users`, with the last level's load, for several.
fn reach(levels: &[Level]) -> String {
    let preposition = if levels.len() == 1 { "at" } else { "up to" };
    let last = levels
        .last()
        .map_or_else(|| "no load".to_owned(), |level| label(&level.load));
    format!("{preposition} {last}")
}

fn failed(run: &Run) -> String {
    let broken = |result: &&ThresholdResult| result.held == Some(false);
    let Some(first) = run
        .thresholds
        .iter()
        .filter(broken)
        .min_by_key(|result| result.level)
    else {
        return without_threshold(run);
    };
    let same_level = run
        .thresholds
        .iter()
        .filter(broken)
        .filter(|r| r.level == first.level);
    let more = and_others(same_level.count());
    let (metric, condition) = (&first.metric, &first.condition);
    let observed = inconclusive::observed(run, first);
    let at = label_with_unit_at(&run.levels, first.level);
    format!(
        " at {at}: {metric} {condition}, observed {observed}{more}.{}",
        held_before(run, first)
    )
}

/// Mentions the thresholds beside the first one.
fn and_others(all: usize) -> String {
    let others = all.saturating_sub(1) as u64;
    let some = (others > 0).then(|| format!(", and {}", plural(others, "other threshold")));
    some.unwrap_or_default()
}

/// Describes why a run failed although no threshold was broken.
fn without_threshold(run: &Run) -> String {
    let around = around::of(run);
    if !around.is_empty() {
        return format!(": {}.", around.join("; "));
    }
    let failing = |level: &&Level| {
        let measured = &level.measured;
        let none = measured.only_failures().is_some();
        measured.script_failed() || measured.iterations.succeeded == 0 || none
    };
    let Some(level) = run.levels.iter().find(failing).or(run.levels.first()) else {
        return ": nothing was measured.".to_owned();
    };
    let at = label(&level.load);
    let iterations = &level.measured.iterations;
    let failed = share(iterations.failed, iterations.succeeded + iterations.failed);
    if level.measured.script_failed() {
        return format!(" at {at}: the script failed in {failed} iterations.");
    }
    if let Some(none) = level
        .measured
        .only_failures()
        .filter(|_| iterations.succeeded > 0)
    {
        return format!(" at {at}: {}.", words::none_succeeded(none));
    }
    format!(" at {at}: nothing succeeded; {failed} iterations failed.")
}

/// Describes the levels before the first broken threshold. A level that did not break one need not have held all: too few
/// samples decide nothing.
fn held_before(run: &Run, first: &ThresholdResult) -> String {
    let before = run
        .levels
        .iter()
        .filter(|level| level.index < first.level && !level.is_invalid());
    let of = |status: Status| {
        before
            .clone()
            .filter(move |&level| Status::of(run, level) == status)
    };
    let held: Vec<Level> = of(Status::Held).cloned().collect();
    let held = if held.is_empty() {
        String::new()
    } else {
        format!(" Every threshold held {}.", reach(&held))
    };
    held + &named("Inconclusive", of(Status::Inconclusive))
}

fn doubtful_levels(run: &Run) -> String {
    named(
        "Invalid",
        run.levels.iter().filter(|level| level.is_invalid()),
    )
}

/// Lists the loads of levels: ` Invalid: 5 users, 9 users.`
fn named<'a>(what: &str, levels: impl Iterator<Item = &'a Level>) -> String {
    let levels: Vec<String> = levels.map(|level| label(&level.load)).collect();
    if levels.is_empty() {
        return String::new();
    }
    format!(" {what}: {}.", levels.join(", "))
}

fn cannot_tell(run: &Run) -> String {
    let invalid = run.levels.iter().find(|level| level.is_invalid());
    let Some(first) = invalid.filter(|_| run.thresholds.is_empty()) else {
        return unjudged(run);
    };
    let at = label(&first.load);
    format!(
        " at {at}: this level says nothing about the target, because {}.",
        invalid_event(first)
    )
}

/// Describes a run with inconclusive thresholds but no broken threshold.
fn unjudged(run: &Run) -> String {
    let open = || run.thresholds.iter().filter(|result| result.held.is_none());
    let Some(first) = open().next() else {
        return none_ended(run);
    };
    let at = label_at(&run.levels, first.level);
    let names: BTreeSet<_> = open().map(|one| (&one.metric, &one.condition)).collect();
    let more = and_others(names.len());
    let others = if open().count() < run.thresholds.len() {
        " Every other threshold held."
    } else {
        ""
    };
    let (metric, condition) = (&first.metric, &first.condition);
    let observed = inconclusive::observed(run, first);
    let level = run.levels.iter().find(|level| level.index == first.level);
    let because = level
        .filter(|_| first.inconclusive == Some(Inconclusive::InvalidLevel))
        .map(|level| format!(", because {}", invalid_event(level)))
        .unwrap_or_default();
    format!(": {metric} {condition} at {at}: {observed}{because}{more}.{others}")
}

/// Returns the first event that made a level invalid. The notes explain all of them.
pub fn invalid_event(level: &Level) -> String {
    let first = level.invalid_because().next();
    first.map_or("its cause is unknown".to_owned(), words::issue::event)
}

/// Describes a run without an open threshold in which nothing succeeded in a level, although operations in flight or a
/// better generator might have.
fn none_ended(run: &Run) -> String {
    let none = |level: &Level| level.measured.only_failures();
    let nothing = |level: &&Level| {
        let measured = &level.measured;
        let no_iteration = measured.iterations.succeeded == 0;
        no_iteration || measured.only_failures_so_far() || none(level).is_some()
    };
    let Some(level) = run.levels.iter().find(nothing) else {
        return ": nothing was measured.".to_owned();
    };
    let at = label(&level.load);
    let iterations = &level.measured.iterations;
    let but = if level.is_invalid() {
        ", but the level is invalid"
    } else if level.measured.only_own_failures() {
        ", because of headcount's own limits"
    } else {
        ""
    };
    match (none(level), iterations.failed, iterations.unfinished) {
        (Some(none), ..) => format!(" at {at}: {}{but}.", words::none_succeeded(none)),
        (None, 0, 0) => {
            format!(" at {at}: nothing succeeded, and operations were still in flight.")
        }
        (None, 0, open) => {
            let open = plural(open, "iteration");
            format!(" at {at}: nothing succeeded, and {open} had not ended.")
        }
        (None, failed, 0) => {
            let failed = plural(failed, "iteration");
            format!(" at {at}: {failed} failed and none succeeded{but}.")
        }
        (None, failed, open) => {
            let failed = plural(failed, "iteration");
            format!(" at {at}: {failed} failed, {open} had not ended, and none succeeded.")
        }
    }
}

/// Lists why levels are invalid.
fn invalid(run: &Run) -> Vec<String> {
    let mut remarks = Vec::new();
    for level in &run.levels {
        let at = label(&level.load);
        let causes = level.invalid_because().map(words::issue::sentence);
        remarks.extend(causes.map(|cause| format!("invalid at {at}: {cause}")));
    }
    remarks
}

/// Returns further facts that readers need before they trust the figures. Each fact is one sentence.
pub(crate) fn remarks(run: &Run) -> Vec<String> {
    // Names without data and mistakes of the script come first, because the terminal shows only the first remarks, and
    // thresholds are undecided for these reasons.
    let has_no_data =
        |note: &&Note| matches!(note, Note::UnknownName { .. } | Note::NotMeasured { .. });
    let (undecided, others): (Vec<&Note>, Vec<&Note>) = run.notes.iter().partition(has_no_data);
    let mut remarks: Vec<String> = undecided.into_iter().map(words::note).collect();
    remarks.extend(super::mistakes::remarks(run));
    remarks.extend(super::endless::remark(run));
    remarks.extend(invalid(run));
    for level in &run.levels {
        let at = label(&level.load);
        let causes = level.questionable_because().map(words::issue::sentence);
        remarks.extend(causes.map(|cause| format!("questionable at {at}: {cause}")));
    }
    remarks.extend(
        run.levels
            .iter()
            .filter_map(|level| super::findings::refused(run, level)),
    );
    remarks.extend(super::hidden_losses::remarks(run));
    if run
        .thresholds
        .iter()
        .any(|result| result.held == Some(false))
    {
        remarks.extend(around::of(run)); // otherwise part of the first sentence
    }
    remarks.extend(run.levels.iter().filter_map(repeated));
    remarks.extend(leftovers(run));
    let broken = run.inconsistencies().into_iter();
    remarks.extend(broken.map(|found| format!("the record contradicts itself: {found}")));
    remarks.extend(others.into_iter().map(words::note));
    remarks
}

/// Reports the number of requests that were sent a second time.
fn repeated(level: &Level) -> Option<String> {
    let requests = level.measured.requests.values();
    let repeated: u64 = requests.map(|timings| timings.repeated).sum();
    let at = label(&level.load);
    (repeated > 0).then(|| {
        format!(
            "headcount repeated {} at {at}: a kept-alive connection closed before any response, or the server reported \
             that nothing was processed (RFC 9110 §9.2.2, RFC 9113 §8.7)",
            plural(repeated, "request")
        )
    })
}

/// Reports sessions, keys or messages left from an earlier run when a level began.
fn leftovers(run: &Run) -> Option<String> {
    let mut found = run.levels.iter().filter_map(|level| {
        let left = level.leftovers.filter(|&left| left > 0.0)?;
        Some((label(&level.load), left))
    });
    let (at, left) = found.next()?;
    let more = match found.count() {
        0 => String::new(),
        more => format!(", and before {}", plural(more as u64, "later level")),
    };
    Some(format!(
        "state was left from an earlier run: the `leftovers` query returned {} before the level at {at}{more}",
        amount(left)
    ))
}
