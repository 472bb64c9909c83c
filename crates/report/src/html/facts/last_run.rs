//! What changed since an earlier run of the same script. One run each proves no difference, so the words only state the
//! figures of both.

use comparison::obstacles;
use format::{about, duration};
use model::Nanos;
use record::{Level, Run};

use crate::comparison::name_of;
use crate::section::label;
use crate::section::levels::{Lead, LeadTimes};
use crate::section::status::{Status, by_load, highest_held};

/// Says that one run each is not enough.
const NO_PROOF: &str =
    "One run each proves no difference; three runs each do: headcount compare OLD NEW.";
/// The percentile that is compared.
const Q: f64 = 0.95;

/// Returns the value and the detail of the fact.
pub(super) fn since(run: &Run, last: Option<&Run>) -> (String, String) {
    let Some(last) = last else {
        return (
            "No earlier run".to_owned(),
            "No earlier run of this script is in the same folder. At least three runs of each version show what changed: \
             headcount compare OLD NEW."
                .to_owned(),
        );
    };
    let at = when(last);
    let differs: Vec<&str> = obstacles(&[last, run])
        .iter()
        .filter(|obstacle| !obstacle.kind.is_about_levels())
        .map(|obstacle| name_of(obstacle.kind))
        .collect();
    if !differs.is_empty() {
        return (
            "Not comparable".to_owned(),
            format!("The run of {at} differs in: {}.", differs.join(", ")),
        );
    }
    held(run, last, &at)
        .or_else(|| changed(run, last, &at))
        .or_else(|| times(run, last, &at))
        .unwrap_or_else(|| {
            (
                "Not comparable".to_owned(),
                format!("The run of {at} has no valid level at the same load."),
            )
        })
}

/// Formats the start of a run without its seconds.
fn when(run: &Run) -> String {
    let (date, time) = run.started_at.split_once('T').unwrap_or_default();
    format!("{date} {} UTC", time.get(..5).unwrap_or_default())
}

/// Names a load that held in one of the runs and failed in the other: the lowest that failed now or, if none did, the highest
/// that failed before. `None` without such a load.
fn changed(run: &Run, last: &Run, at: &str) -> Option<(String, String)> {
    let both = |level: &Level, now: Status| -> Option<(String, Status, Status)> {
        let same = last.levels.iter().find(|other| other.load == level.load)?;
        let usable = !level.is_invalid() && !same.is_invalid();
        usable.then(|| (label(&level.load), now, Status::of(last, same)))
    };
    let levels: Vec<_> = by_load(run)
        .into_iter()
        .filter_map(|(level, now)| both(level, now))
        .collect();
    let told = |word: &str, load: &str, now: &str, before: &str| {
        (
            format!("{word}: {load} {now}, before {before}"),
            format!("Compared with the run of {at}. {NO_PROOF}"),
        )
    };
    let worse = levels
        .iter()
        .find(|(_, now, before)| *now == Status::Failed && *before == Status::Held);
    if let Some((load, ..)) = worse {
        return Some(told("Worse", load, "failed", "it held"));
    }
    let mut higher = levels.iter().rev();
    let better = higher.find(|(_, now, before)| *now == Status::Held && *before == Status::Failed);
    better.map(|(load, ..)| told("Better", load, "held", "it failed"))
}

/// Compares the highest loads that held. `None` if the runs have different loads, no thresholds or invalid levels, or if the
/// same load held.
fn held(run: &Run, last: &Run, at: &str) -> Option<(String, String)> {
    let loads = |run: &Run| -> Vec<String> {
        let levels = run.levels.iter();
        levels.map(|level| format!("{:?}", level.load)).collect()
    };
    let judged = |run: &Run| {
        let is_invalid = run.levels.iter().any(Level::is_invalid);
        !run.thresholds.is_empty() && !is_invalid
    };
    if loads(run) != loads(last) || !judged(run) || !judged(last) {
        return None;
    }
    let amount = |level: Option<&Level>| level.map_or(0.0, |level| level.load.amount());
    let (now, before) = (highest_held(run), highest_held(last));
    let word = match amount(now).total_cmp(&amount(before)) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => "Better",
        std::cmp::Ordering::Less => "Worse",
    };
    let name =
        |level: Option<&Level>| level.map_or("no load".to_owned(), |level| label(&level.load));
    let (now, before) = (name(now), name(before));
    Some((
        format!("{word}: {now} held, before {before}"),
        format!("Compared with the run of {at}. {NO_PROOF}"),
    ))
}

/// Compares p95 at the highest load that both runs have.
fn times(run: &Run, last: &Run, at: &str) -> Option<(String, String)> {
    let lead = Lead::of(run);
    let value = |level: &Level| LeadTimes::of(level, lead).at(Q).value();
    let both = |level: &Level| -> Option<(Nanos, Nanos)> {
        let same = last.levels.iter().find(|other| other.load == level.load)?;
        let usable = !level.is_invalid() && !same.is_invalid();
        usable.then_some((value(level)?, value(same)?))
    };
    let mut levels = by_load(run).into_iter().rev();
    let (load, (now, before)) =
        levels.find_map(|(level, _)| Some((label(&level.load), both(level)?)))?;
    let change = (now.0 as f64 / before.0.max(1) as f64 - 1.0) * 100.0;
    let sign = if change < 0.0 { "−" } else { "+" };
    Some((
        format!("p95 {}, before {}", duration(now), duration(before)),
        format!(
            "{sign}{} % at {load}, compared with the run of {at}. {NO_PROOF}",
            about(change.abs())
        ),
    ))
}
