//! Figures and formats that all studies use.

use model::Nanos;
use record::{Deliveries, Level, Run, Timings};
use stats::Estimate;

use crate::telling::memory;

/// A number with thousands separated: `13,712`.
pub(crate) fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Milliseconds with two decimals, or why there are none.
pub(crate) fn millis(estimate: Estimate) -> String {
    match estimate.value() {
        Some(value) => format!("{:.2}", value.as_millis_f64()),
        None => "n/a".to_owned(),
    }
}

pub(crate) fn millis_of(value: Option<Nanos>) -> String {
    value.map_or("n/a".to_owned(), |value| {
        format!("{:.2}", value.as_millis_f64())
    })
}

/// All requests of a level together.
pub(crate) fn requests(level: &Level) -> Timings {
    level
        .measured
        .requests
        .values()
        .fold(Timings::default(), |mut all, one| {
            all.merge(one);
            all
        })
}

/// All deliveries of a level together.
pub(crate) fn deliveries(level: &Level) -> Deliveries {
    level
        .measured
        .deliveries
        .values()
        .fold(Deliveries::default(), |mut all, one| {
            all.merge(one);
            all
        })
}

/// Requests per second of the measured time.
pub(crate) fn per_s(level: &Level) -> f64 {
    if level.phases.duration_s > 0.0 {
        requests(level).count as f64 / level.phases.duration_s
    } else {
        0.0
    }
}

pub(crate) fn level_at(run: &Run, users: u64) -> Option<&Level> {
    run.levels.iter().find(|level| level.load.users == users)
}

pub(crate) fn levels_at(run: &Run, users: u64) -> impl Iterator<Item = &Level> {
    run.levels
        .iter()
        .filter(move |level| level.load.users == users)
}

/// The smallest and the largest value; `None` without values.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// The memory of an open WebSocket session on the bridge, from two levels.
pub(crate) fn session_cost(run: &Run) -> Option<String> {
    let (few, many) = (run.levels.first()?, run.levels.last()?);
    let users = many
        .load
        .users
        .checked_sub(few.load.users)
        .filter(|&users| users > 0)?;
    let opened = |level: &Level| level.measured.iterations.succeeded == level.load.groups;
    let held = if opened(many) {
        "All stayed open until the end"
    } else {
        "Not all stayed open until the end"
    };
    let kilobytes = (memory(many)? - memory(few)?) * 1000.0 / users as f64;
    Some(format!(
        "{} open sessions with a WebSocket each. {held}. The bridge's memory grew from {:.1} MB at {} sessions to \
         {:.1} MB: {kilobytes:.1} KB per session.",
        whole(many.load.users as f64),
        memory(few)?,
        few.load.users,
        memory(many)?
    ))
}
