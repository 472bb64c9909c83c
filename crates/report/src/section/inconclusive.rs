//! Explains why a threshold is neither held nor broken, and which data would decide it.

use format::{count, millis, percent, plural, seconds, share};
use record::{
    Counted, CountedKind, Forecast, Inconclusive, Level, Run, Shortfall, ThresholdResult,
};

use crate::words;

/// Formats the observed figure, or the counts that replace it. Adds the reason if the threshold is inconclusive.
pub(crate) fn observed(run: &Run, result: &ThresholdResult) -> String {
    let figure = result.observed.as_ref().map(words::observed);
    let figure = figure.or_else(|| result.counted.map(beyond));
    let why = result
        .inconclusive
        .map(|why| why_inconclusive(run, result, why));
    let parts: Vec<String> = figure.into_iter().chain(why).collect();
    if parts.is_empty() {
        "no data".to_owned()
    } else {
        parts.join("; ")
    }
}

fn beyond(counted: Counted) -> String {
    let of = match counted.what {
        CountedKind::Values => count(counted.of),
        CountedKind::Messages => plural(counted.of, "message"),
    };
    format!("{} of {of} beyond the limit", count(counted.beyond))
}

/// Explains why a threshold is inconclusive, and which data would decide it.
pub(crate) fn why_inconclusive(run: &Run, result: &ThresholdResult, why: Inconclusive) -> String {
    let level = run.levels.iter().find(|level| level.index == result.level);
    match why {
        Inconclusive::NoData => "no data".to_owned(),
        Inconclusive::TooFewSamples { have, need } => too_few(level, have, need),
        Inconclusive::InFlight { open } => {
            format!(
                "{} in flight at the end could still decide the threshold",
                plural(open, "operation")
            )
        }
        Inconclusive::GroupsUnknown { groups } => {
            format!(
                "{} whose members did not all report a user state could decide the threshold",
                plural(groups, "group")
            )
        }
        Inconclusive::DeliveriesOpen { deliveries } => format!(
            "{} deliveries of unknown fate could decide the threshold",
            count(deliveries)
        ),
        Inconclusive::OwnFailures { operations } => format!(
            "{} that failed because of headcount's own limits, or did not end, could decide the threshold",
            plural(operations, "operation")
        ),
        Inconclusive::ClockError { error_ms } => format!(
            "the clocks of the agents, which can be wrong by {} together, could decide the threshold",
            millis(error_ms)
        ),
        Inconclusive::LessLoad { shortfall } => format!(
            "the threshold held, but the load was lower than planned: {}",
            missing_load(shortfall)
        ),
        Inconclusive::InvalidLevel => "the level is invalid".to_owned(),
        Inconclusive::OutOfReach => "every level exceeds the threshold's `up to` load".to_owned(),
    }
}

/// Formats the number of missing samples, and the additional time or users that would yield them.
fn too_few(level: Option<&Level>, have: u64, need: u64) -> String {
    let more = need.saturating_sub(have);
    let mut text = format!(
        "needs about {} more {} ({} of {})",
        count(more),
        if more == 1 { "sample" } else { "samples" },
        count(have),
        count(need)
    );
    if let Some(level) = level.filter(|_| have > 0) {
        text.push_str(&supply(level, more, have));
    }
    text
}

fn supply(level: &Level, more: u64, have: u64) -> String {
    let load = &level.load;
    let time = seconds((level.phases.duration_s * more as f64 / have as f64).ceil());
    let users = load.users.saturating_mul(more).div_ceil(have);
    let users = plural(users, "user");
    let only_users = load.once || once_for_each_user(level, have);
    match (only_users, load.rate_per_s) {
        (true, _) => format!(": {users} more"),
        (false, Some(_)) => format!(": {time} more"),
        (false, None) => format!(": {time} or {users} more"),
    }
}

/// Whether more time would yield no more samples, because each user does this once and stays until the level ends.
fn once_for_each_user(level: &Level, have: u64) -> bool {
    let (load, iterations) = (&level.load, &level.measured.iterations);
    let began = iterations.succeeded + iterations.failed + iterations.unfinished;
    load.rate_per_s.is_none() && have <= load.users && began <= load.groups
}

fn missing_load(shortfall: Shortfall) -> String {
    match shortfall {
        Shortfall::StartsDropped { dropped, planned } => {
            format!("{} planned starts were dropped", share(dropped, planned))
        }
        Shortfall::LoopSlowed { percent: slowed } => format!(
            "users waited for the generator for {} of their time; use more workers or cores",
            percent(slowed)
        ),
        Shortfall::WorkerBusy { percent: busy } => format!(
            "a worker was busy for {} of the time; use more workers or cores",
            percent(busy)
        ),
        Shortfall::AgentsLost { agents } => {
            let were = if agents == 1 { "was" } else { "were" };
            format!("{} {were} lost", plural(agents, "agent"))
        }
        Shortfall::QueueDropped { dropped } => format!(
            "the script was too slow for {} (messages or ticks)",
            plural(dropped, "event")
        ),
    }
}

/// Formats the warning, before a run, that a threshold will be inconclusive. The warning has no line break.
pub fn forecast_line(few: &Forecast) -> String {
    let each = if few.one_each {
        " (at one per iteration)"
    } else {
        ""
    };
    let what = few.duration_s.map_or_else(
        || format!("use {}", plural(few.need, "group")),
        |duration_s| format!("measure for {}", seconds(duration_s.ceil())),
    );
    format!(
        "`{}` will be inconclusive: level {} will have {}{each}, but the threshold needs {}; {what}",
        few.threshold,
        few.level,
        plural(few.samples, "sample"),
        count(few.need)
    )
}

#[cfg(test)]
mod tests;
