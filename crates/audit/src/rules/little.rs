//! Little's law (Little, "A Proof for the Queuing Formula L = λW", 1961): operations in progress = rate × time. In a
//! closed loop, each user has at most one request in flight, so rate × mean time cannot exceed the number of users.
//! With a known pause, rate × (time + pause) equals the number of users.

use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Level, Loop, Results, Row};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "little-s-law",
    says: "rate × mean time exceeds the number of users, or contradicts the number and the pause of the users",
    needs: Needs::Figures("the number of users, and the rate and mean time of one operation"),
    instead: "rate and times of the same operations over the same period, and the number of active users",
    check,
};

/// Allowed excess over Little's law, as a share, in addition to the longest request. It covers rounding, ramp-up and
/// the ends of the run.
const TOLERANCE: f64 = 0.02;
/// Like [`TOLERANCE`], but used if a pause is stated. Real pauses rarely match the stated ones.
const WITH_PAUSE: f64 = 0.15;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        let Some(users) = &level.users else {
            continue;
        };
        if level.shape != Some(Loop::Closed) {
            desk.lacks(
                level.name.clone(),
                "the kind of load, closed or open (`loop`)",
            );
            continue;
        }
        let rows = measured(level);
        if rows.is_empty() {
            desk.lacks(
                level.name.clone(),
                "the rate and the mean time of the same operation",
            );
            continue;
        }
        desk.checked();
        let at_work: f64 = rows.iter().filter_map(|row| at_work(row, f64::min)).sum();
        let room = room(level, &rows);
        let most = users.high() * (1.0 + room.unwrap_or(0.0) + TOLERANCE);
        if at_work > most {
            // Requests that failed immediately may be included in the rate but not in the times.
            let timed: Option<f64> = rows.iter().map(|row| timed(row)).sum();
            let surely = room.is_some() && timed.is_some_and(|timed| timed > most);
            let severity = if surely {
                Severity::Impossible
            } else {
                Severity::Unsupported
            };
            desk.find(
                severity,
                (
                    level.name.clone(),
                    &[level.at.as_str(), rows[0].at.as_str()],
                ),
                format!(
                    "{} users who wait for responses cannot reach this rate",
                    precise(users.value)
                ),
                format!(
                    "Σ rate × mean time = {} operations at the same time, with {} users",
                    precise(at_work),
                    precise(users.value)
                ),
            );
        } else {
            with_pause(level, users.value, rows[0], desk);
        }
    }
}

/// Returns the smallest number of operations in progress, which results if the times cover as few operations as
/// possible. `None` if failures are not stated.
fn timed(row: &Row) -> Option<f64> {
    let all = at_work(row, f64::min)? * (1.0 - row.times.resolution);
    let counts = row.sample_counts();
    if row.times.samples.is_some() && row.times.tool_is_known() {
        return Some(all);
    }
    let fewest = counts.first().filter(|_| row.samples_are_told())?;
    Some(all * fewest / row.counts.sent.as_ref()?.high())
}

/// Returns the share by which the operations' total time may exceed the users' time in the run. Each user may have
/// begun a request before the counting, and the ramp-up may be counted too. `None` if the necessary figures are not
/// stated.
fn room(level: &Level, rows: &[&Row]) -> Option<f64> {
    let whole_run = rows.iter().all(|row| row.times.tool_is_known());
    let ramp = match &level.ramp_s {
        Some(ramp) => ramp.high(),
        None if whole_run => 0.0,
        None => return None,
    };
    let (edge, span) = edge(level, rows)?;
    Some(edge + ramp / span)
}

/// Returns the longest request as a share of the run, and the length of the run in seconds. `None` if either is not
/// stated.
fn edge(level: &Level, rows: &[&Row]) -> Option<(f64, f64)> {
    let longest: Option<Vec<f64>> = rows
        .iter()
        .map(|row| Some(row.reach("max", row.times.max.as_ref()?).high / 1000.0))
        .collect();
    let longest = longest?.into_iter().fold(0.0, f64::max);
    let counted =
        |row: &&Row| Some(row.counts.sent.as_ref()?.low() / row.rate_per_s.as_ref()?.high());
    let span = match &level.duration_s {
        Some(span) => span.low(),
        None => rows.iter().filter_map(counted).reduce(f64::min)?,
    };
    let span = span.max(1e-9);
    Some((longest / span, span))
}

fn with_pause(level: &Level, users: f64, row: &Row, desk: &mut Desk<'_>) {
    let (Some(pause), 1) = (&level.think_ms, measured(level).len()) else {
        return;
    };
    let (Some(rate), Some(mean)) = (&row.rate_per_s, &row.times.mean) else {
        return;
    };
    let needed = rate.value * (mean.value + pause.value) / 1000.0;
    let least = rate.low() * (mean.low() + pause.low()) / 1000.0;
    let most = rate.high() * (mean.high() + pause.high()) / 1000.0;
    // During the ramp-up there are fewer users, and the count may include the ramp-up while the duration does not.
    let ramp = level.ramp_s.as_ref().map_or(0.0, Figure::high);
    let span = level.duration_s.as_ref().map_or(ramp, Figure::low);
    let coming = (ramp / span.max(1e-9)).min(1.0);
    let too_many = least > users * (1.0 + WITH_PAUSE + coming);
    if too_many || most < users * (1.0 - WITH_PAUSE) * (1.0 - coming) {
        let (severity, what) = if too_many {
            (
                Severity::Unsupported,
                "users, rate, time and pause do not match",
            )
        } else {
            (
                Severity::Doubtful,
                "users, rate, time and pause do not match: some users paused longer, or waited without being counted",
            )
        };
        desk.find(
            severity,
            (level.name.clone(), &[level.at.as_str(), rate.at.as_str()]),
            what,
            format!(
                "{}/s × ({} + {}) = {} users; stated: {}",
                precise(rate.value),
                time(mean.value),
                time(pause.value),
                precise(needed),
                precise(users)
            ),
        );
    }
}

/// Returns the row of the whole level if it has a rate and a mean, or otherwise the rows of its operations.
pub(super) fn measured(level: &Level) -> Vec<&Row> {
    let has = |row: &&Row| at_work(row, f64::min).is_some();
    if has(&&level.total) {
        return vec![&level.total];
    }
    let rows = level.rows.iter().filter(|row| !row.repeats);
    rows.filter(has).collect()
}

pub(super) fn at_work(row: &Row, pick: fn(f64, f64) -> f64) -> Option<f64> {
    let (rate, mean) = (row.rate_per_s.as_ref()?, row.times.mean.as_ref()?);
    let least = rate.low().max(0.0) * mean.low().max(0.0);
    Some(pick(least, rate.high() * mean.high()) / 1000.0)
}
