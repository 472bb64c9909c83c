//! Trades at an arrival rate: the limit, its cause, and the number of people that it corresponds to.

use std::fmt::Write as _; // writing to a String cannot fail

use record::{Level, Run};

use super::field::THINK_S;
use super::figures::{PROMISE_MS, levels, others, time};
use crate::figures::{per_s, whole};
use crate::telling::cpu;

/// The CPU use from which a core is full. The rest is the kernel's own work on it.
const FULL_PERCENT: f64 = 93.0;

/// Why a level does not show that its thresholds hold; empty if it does.
pub(super) fn misses(level: &Level) -> Vec<String> {
    let all = &level.measured.iterations;
    let p95 = others(level).response_at(0.95).value();
    let mut why = Vec::new();
    if level.is_invalid() {
        why.push("not measured validly".to_owned());
    }
    for (count, what) in [
        (all.failed, "failed"),
        (all.unfinished, "not finished"),
        (all.dropped, "dropped because all users were busy"),
    ] {
        if count > 0 {
            let planned = all.planned;
            why.push(format!("{count} of {planned} trades {what}"));
        }
    }
    match p95 {
        Some(p95) if p95.as_millis_f64() >= PROMISE_MS => why.push(format!("p95 {}", time(p95))),
        Some(_) => {}
        None => why.push("no p95".to_owned()),
    }
    why
}

/// The last level before the first that does not show that its thresholds hold, and that level.
pub(super) fn ceiling(run: Option<&Run>) -> (Option<&Level>, Option<&Level>) {
    let mut held = None;
    for level in levels(run) {
        if !misses(level).is_empty() {
            return (held, Some(level));
        }
        held = Some(level);
    }
    (held, None)
}

pub(super) fn rate_of(level: &Level) -> String {
    let rate = level.load.rate_per_s.unwrap_or_default();
    format!("{} trades/s", whole(rate))
}

/// Completed trades per second.
pub(super) fn completed_per_s(level: &Level) -> f64 {
    level.measured.iterations.succeeded as f64 / level.phases.duration_s.max(f64::MIN_POSITIVE)
}

/// The limit and its cause, in words.
pub(super) fn in_words(run: Option<&Run>) -> String {
    let (held, broke) = ceiling(run);
    let mut text = match (held, broke) {
        (None, None) => return "Not measured.".to_owned(),
        (Some(held), None) => format!("No limit was found: {} met the thresholds.", rate_of(held)),
        (None, Some(broke)) => format!(
            "No rate showed that it meets the thresholds; {} did not: {}.",
            rate_of(broke),
            misses(broke).join(", ")
        ),
        (Some(held), Some(broke)) => format!(
            "{} met the thresholds; {} did not: {}.",
            rate_of(held),
            rate_of(broke),
            misses(broke).join(", ")
        ),
    };
    if let Some(level) = broke.or(held) {
        let _ = write!(text, " {}", cause(level));
    }
    text
}

/// The resource that was full at a level, as far as figures of the process show it.
fn cause(level: &Level) -> String {
    let Some(target) = &level.target else {
        return "The resources that the marketplace used are unknown.".to_owned();
    };
    let cores = target.cores.as_ref().map_or(1, Vec::len);
    let thread = target.busiest_thread.as_ref();
    let thread = thread.map_or(String::new(), |thread| {
        format!(
            ", its busiest thread (`{}`) {:.0} %",
            thread.name, thread.cpu_percent
        )
    });
    let used = target.cpu_percent.unwrap_or_default();
    let why = if used >= FULL_PERCENT * cores as f64 {
        "its cores are full"
    } else if target
        .busiest_thread
        .as_ref()
        .is_some_and(|thread| thread.cpu_percent >= FULL_PERCENT)
    {
        "one thread is full"
    } else if !level.is_invalid() {
        "no core is full: writes wait for each other, because SQLite allows one at a time and each waits for the disk"
    } else {
        "the generator was the limit, so what was full cannot be told"
    };
    format!(
        "There the marketplace used {} of {cores} core(s){thread}: {why}.",
        cpu(level)
    )
}

/// The limit converted to people: a model, with its arithmetic.
pub(super) fn people(run: Option<&Run>) -> Option<String> {
    let (held, _) = ceiling(run);
    let level = held?;
    let requests = per_s(level);
    let r = others(level).mean()?.as_secs_f64();
    let [few, many] = THINK_S.map(|think| requests * (r + think));
    Some(format!(
        "In people, by a model and not by measurement: N = X·(R + Z). At {} the marketplace answered X = {} requests/s in \
         R = {:.4} s on average. People who do something every Z = {} to {} s, the report's think time, would be N = {} × ({r:.4} + {}) \
         = {} to {} at the same time. All of them are logged in already and trade without a pause between trades. A login costs a \
         password, and that limit is separate.",
        rate_of(level),
        whole(requests),
        r,
        THINK_S[0],
        THINK_S[1],
        whole(requests),
        THINK_S[0],
        whole(few),
        whole(many)
    ))
}
