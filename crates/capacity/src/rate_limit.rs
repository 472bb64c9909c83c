//! Finds a rate limiter in the target or in front of it. A limiter lets a limited number of requests pass per unit of
//! time, and rejects the others with status 429.
//!
//! Kinds of evidence, strongest first:
//!
//! - limits stated in the headers of responses with status 429,
//! - a pattern over time that only a limiter produces: no more requests pass, the same number passes in every window,
//!   or a burst precedes a flow more regular than chance,
//! - an even flow of requests, of which one took less time than a worker would have for each,
//! - the number of requests that passed per user and per address,
//! - the number of requests that passed in other levels.
//!
//! A 429 alone, even with a `Retry-After` header, is not evidence, because busy servers send it too.

mod facts;
mod key;
mod limit;
mod pace;
mod seen;
mod shape;

use model::FaultKind;
use record::{Cause, Confidence, Finding, Level, RateLimiter, Run};

use key::{Keys, is_by_user, keys_of, number_of};
use limit::{Limit, Window, limit_of, stated_of};
use pace::{Outpaced, is_quick, outpaced};
use seen::{Seen, look, with_window};
use shape::Shape;

/// A limiter counts as the limit of a level only if it refused more than this share of the requests.
const WORTH_TELLING: f64 = 0.01;

/// Finds the limiter, if there is one.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let seen: Vec<Seen<'_>> = run
        .levels
        .iter()
        .filter_map(|level| look(run, level))
        .collect();
    // If several levels have equally strong evidence, one that began with full budgets shows the limit best.
    let main = seen
        .iter()
        .max_by_key(|seen| (strength(seen), seen.fresh))?;
    let is_other = |seen: &&Seen<'_>| seen.level.index != main.level.index;
    let others: Vec<&Seen<'_>> = seen.iter().filter(is_other).collect();
    if strength(main) == 0 && !flows_alike(main, &others) {
        return None;
    }
    let stated = stated_of(main.limited);
    let main = &with_window(main, stated);
    let keys = keys_of(main, stated.map(|stated| stated.limit), &others);
    let limit = limit_of(run, main, &keys, stated);
    Some(tell(run, main, &keys, &limit, &seen))
}

/// Returns the strength of the evidence in a level; 0 means that there is no limiter.
fn strength(seen: &Seen<'_>) -> u8 {
    let states = !seen.limited.stated.is_empty();
    let told_to_wait = seen.limited.told_to_wait > 0;
    let shape = match seen.shape {
        Some(Shape::Periodic { windows: 2.., .. }) => 6,
        Some(Shape::Periodic { .. }) => 5,
        Some(Shape::Stop { passed }) if passed > 0.0 && told_to_wait => 4,
        Some(Shape::Steady {
            burst,
            reopened_s,
            regular: true,
            ..
        }) if burst > 0.0 || reopened_s.is_some() => 3,
        _ if is_by_user(seen.limited) => 4,
        Some(Shape::Steady { per_s, .. })
            if shape::is_even(seen.limited) && is_quick(seen, per_s) =>
        {
            3
        }
        Some(Shape::Steady { .. }) => match outpaced(seen) {
            Some(Outpaced::Always { .. }) => 3,
            Some(Outpaced::Once { .. }) => 2,
            None => 0,
        },
        Some(Shape::Stop { passed }) if passed > 0.0 => 2,
        _ => 0,
    };
    if states { shape + 10 } else { shape }
}

/// Whether requests pass at the same regular rate in another level, although its request rate is very different.
fn flows_alike(seen: &Seen<'_>, others: &[&Seen<'_>]) -> bool {
    let asked = |seen: &Seen<'_>| {
        (seen.limited.count + seen.limited.passed) as f64
            / seen.limited.end_s.max(f64::MIN_POSITIVE)
    };
    let regular = |seen: &Seen<'_>| matches!(seen.shape, Some(Shape::Steady { regular: true, .. }));
    let alike = |other: &Seen<'_>| {
        let Some((here, there)) = seen.flow.zip(other.flow) else {
            return false;
        };
        let (more, flow) = (asked(other) / asked(seen), there / here);
        regular(other) && !(0.67..1.5).contains(&more) && (0.95..1.05).contains(&flow)
    };
    regular(seen) && others.iter().any(|other| alike(other))
}

/// Whether the limiter caused most failures of a level.
fn is_limiting(level: &Level) -> bool {
    let all = level.measured.requests.values();
    let (asked, failed) = all.fold((0, 0), |(asked, failed), one| {
        (asked + one.count, failed + one.failed)
    });
    let of_it = level.measured.failures.iter();
    let refused: u64 = of_it
        .filter(|failure| failure.kind == FaultKind::RateLimited)
        .map(|failure| failure.count)
        .sum();
    refused * 2 > failed && refused as f64 > asked as f64 * WORTH_TELLING
}

fn confidence(seen: &Seen<'_>, keys: &Keys, stated: Option<f64>) -> Confidence {
    let agrees = stated.zip(seen.per_window).is_some_and(|(limit, passed)| {
        let times = passed / limit;
        keys.left.iter().any(|key| {
            let number = number_of(*key, seen);
            (times - number).abs() <= (number * 0.1).max(2.0 / limit)
        })
    });
    match (stated.is_some(), strength(seen)) {
        (true, _) if agrees => Confidence::Certain,
        (true, _) | (_, 3..) => Confidence::High,
        _ => Confidence::Low,
    }
}

fn tell(run: &Run, main: &Seen<'_>, keys: &Keys, limit: &Limit<'_>, seen: &[Seen<'_>]) -> Finding {
    let (window_s, window_at_least_s) = match limit.window {
        Window::Stated(window) | Window::Seen(window) | Window::Told(window) => {
            (Some(window), None)
        }
        Window::AtLeast(least) => (None, Some(least)),
        Window::Unknown => (None, None),
    };
    let found = RateLimiter {
        limit: limit.requests,
        limit_stated: limit.stated.is_some(),
        window_s,
        window_stated: matches!(limit.window, Window::Stated(_)),
        window_at_least_s,
        per: keys.left.clone(),
        kind: facts::kind(main),
        rate_per_s: main.flow,
        burst: facts::burst(main),
        keys: facts::sharing(main, keys),
    };
    let limits = seen.iter().filter(|seen| is_limiting(seen.level));
    Finding {
        cause: Cause::RateLimiter(found),
        confidence: confidence(main, keys, limit.stated.map(|stated| stated.limit)),
        levels: seen.iter().map(|seen| seen.level.index).collect(),
        limits: limits.map(|seen| seen.level.index).collect(),
        evidence: facts::evidence(main, keys, limit),
        unknown: facts::unknown(main, keys, limit),
        advice: facts::advice(run, main, keys, limit),
    }
}
