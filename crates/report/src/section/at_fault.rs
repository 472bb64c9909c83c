//! Names the side at fault, with the reason, as far as the measurements show it.

mod failures;
mod losses;
mod side;
mod thresholds;
mod undecided;

use format::{duration, percent};
use record::{Cause, Finding, Level, Run, ThresholdResult};

use super::status::{Status, by_load};
use super::{label, overstated_by, results_of};
use crate::words;
use crate::words::{Culprit, capitalised};
pub(crate) use side::AtFault;
use side::nearest;

/// Names the side at fault for what failed first. If nothing failed, names the side because of which the run decides
/// nothing, or nobody.
pub(crate) fn of(run: &Run) -> AtFault {
    let levels = by_load(run);
    let first = |wanted: Status| levels.iter().find(|(_, status)| *status == wanted);
    if let Some((level, _)) = first(Status::Failed) {
        return of_failed(run, level);
    }
    if let Some(around) = failures::around(run) {
        return around;
    }
    if run.levels.is_empty() {
        return AtFault::new(Culprit::Unknown, "Nothing was measured.");
    }
    if run.interrupted {
        return AtFault::new(Culprit::Unknown, "The run was interrupted.");
    }
    if let Some((level, _)) = first(Status::Invalid) {
        return undecided::invalid(level);
    }
    if let Some(open) = run.thresholds.iter().find(|result| result.held.is_none()) {
        return undecided::threshold(run, open);
    }
    if run.thresholds.is_empty() {
        return without_thresholds(run);
    }
    let limit = run.findings.first().map(explained);
    AtFault::new(Culprit::Nobody, "Every threshold held.")
        .and(&limit.unwrap_or_else(|| resources(run)))
}

fn without_thresholds(run: &Run) -> AtFault {
    let levels = || run.levels.iter();
    let lost = levels().find_map(|level| losses::of(run, level, None));
    let failed = || levels().find_map(|level| failures::of(run, level, |_| true));
    lost.or_else(failed)
        .unwrap_or_else(|| AtFault::new(Culprit::Nobody, "Nothing failed.").and(&resources(run)))
}

/// Counts name their reasons themselves. For times, a finding explains more than the times do. If times and counts broke
/// their thresholds, both are explained.
fn of_failed(run: &Run, level: &Level) -> AtFault {
    let covers = |finding: &&Finding| finding.levels.contains(&level.index);
    let finding = run.findings.iter().find(covers);
    let mut broken = results_of(run, level).filter(|result| result.held == Some(false));
    let Some(first) = broken.next() else {
        let failed = if level.measured.script_failed() {
            failures::of_script(run, level)
        } else {
            failures::of(run, level, |_| false)
        };
        return failed.unwrap_or_else(|| of_times(run, level, None));
    };
    if let Some(counted) = thresholds::counted(run, level, first) {
        return counted.and(&finding.map_or_else(String::new, explained));
    }
    let other = broken.find_map(|result| thresholds::counted(run, level, result));
    let times = finding
        .or(run.findings.first())
        .map_or_else(|| of_times(run, level, Some(first)), of_finding);
    times.and(&other.map_or_else(String::new, |other| other.reason))
}

fn of_finding(finding: &Finding) -> AtFault {
    let confidence = finding.confidence.as_str();
    AtFault {
        culprit: culprit_of(&finding.cause),
        cause: Some(words::finding::name(finding)),
        reason: format!("{} Confidence: {confidence}.", explained(finding)),
    }
}

/// The sentence of a finding.
fn explained(finding: &Finding) -> String {
    format!("{}.", capitalised(&words::finding::sentence(finding)))
}

fn culprit_of(cause: &Cause) -> Culprit {
    match cause {
        Cause::Generator(_) | Cause::PortsExhausted { .. } => Culprit::Generator,
        // Whether the scenario caused them is a question that these findings leave open.
        Cause::SynchronisedRetries(_) | Cause::UniquenessCollisions(_) => Culprit::TargetOrScript,
        _ => Culprit::Target,
    }
}

/// Names the side at fault for times that no finding explains. The level is valid, so it is not the generator.
fn of_times(run: &Run, level: &Level, broken: Option<&ThresholdResult>) -> AtFault {
    let culprit = if broken.is_some_and(thresholds::has_pauses) {
        Culprit::TargetOrScript
    } else {
        nearest(run)
    };
    let why = match culprit {
        Culprit::TargetOrScript => "The time includes the scenario's own pauses.",
        Culprit::TargetOrNetwork => "The network's part of the times is unknown.",
        _ => "The target is on this machine, so no network is involved.",
    };
    let bound = overstated_by(level).map_or_else(
        || "The level is valid, so the generator was not the limit.".to_owned(),
        |most| format!("The generator adds at most {} (p99).", duration(most)),
    );
    AtFault::new(
        culprit,
        format!("Slow, for no cause that headcount recognises. {why}"),
    )
    .and(&bound)
}

/// Formats the use of the target and of the generator at the highest load.
fn resources(run: &Run) -> String {
    let levels = by_load(run);
    levels
        .last()
        .map_or_else(String::new, |(level, _)| resources_of(level))
}

/// Formats the use of the target and of the generator. Empty if nothing is known.
fn resources_of(level: &Level) -> String {
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
        return String::new();
    }
    format!("At {}: {}.", label(&level.load), parts.join(", "))
}
