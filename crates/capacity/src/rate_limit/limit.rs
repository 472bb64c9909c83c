//! The number of requests that a limiter lets pass, and its window.

use record::{LimitKey as Key, Limited, Run, StatedLimit};

use super::key::{Keys, number_of};
use super::seen::Seen;
use super::shape::Shape;

/// The limit to report.
pub(super) struct Limit<'a> {
    pub(super) stated: Option<&'a StatedLimit>,
    /// Requests per window for each key.
    pub(super) requests: Option<f64>,
    pub(super) window: Window,
}

/// The length of a window, in seconds.
#[derive(Clone, Copy)]
pub(super) enum Window {
    Stated(f64),
    Seen(f64),
    /// The reset time that the responses state, in seconds since the start of the level.
    Told(f64),
    AtLeast(f64),
    Unknown,
}

/// Returns the stated limit that was exhausted most often. Among limits that were exhausted equally often, returns the
/// one with the shortest window.
pub(super) fn stated_of(limited: &Limited) -> Option<&StatedLimit> {
    let window = |one: &StatedLimit| one.window_s.unwrap_or(f64::INFINITY);
    let order = |one: &&StatedLimit, other: &&StatedLimit| {
        let by_window = window(other).total_cmp(&window(one));
        one.spent.cmp(&other.spent).then(by_window)
    };
    limited.stated.iter().max_by(order)
}

/// Returns the limit of the level with the best evidence.
pub(super) fn limit_of<'a>(
    run: &Run,
    seen: &Seen<'_>,
    keys: &Keys,
    stated: Option<&'a StatedLimit>,
) -> Limit<'a> {
    let users = &seen.limited.users;
    let each_user = users.passed.sum / users.count.max(1) as f64;
    let counted = match (keys.left.as_slice(), seen.shape) {
        // Every user has a separate budget. Only users with refused requests have exhausted it, so only these users
        // count.
        ([Key::User], Some(Shape::Stop { .. })) if users.count > 0 => Some(each_user),
        ([Key::User], None) if closed_to_the_end(seen.limited) => Some(each_user),
        ([key], _) => seen.per_window.map(|passed| passed / number_of(*key, seen)),
        _ => seen.per_window,
    };
    let stated_window = stated.and_then(|stated| stated.window_s);
    let window = stated_window.map_or_else(|| window_of(run, seen), Window::Stated);
    Limit {
        stated,
        requests: stated.map(|stated| stated.limit).or(counted),
        window,
    }
}

fn window_of(run: &Run, seen: &Seen<'_>) -> Window {
    match seen.shape {
        Some(
            Shape::Periodic { window_s, .. }
            | Shape::Steady {
                reopened_s: Some(window_s),
                ..
            },
        ) => Window::Seen(window_s),
        Some(Shape::Stop { .. }) => told(seen.limited)
            .filter(|_| seen.fresh)
            .map_or_else(|| Window::AtLeast(closed_for(run, seen)), Window::Told),
        None if closed_to_the_end(seen.limited) => {
            told(seen.limited).map_or(Window::AtLeast(seen.limited.end_s), Window::Told)
        }
        _ => Window::Unknown,
    }
}

/// Whether at least one reset time is stated, and all stated reset times are after the end of the level.
fn closed_to_the_end(limited: &Limited) -> bool {
    let mut moments = limited.free_at_s.iter();
    !limited.free_at_s.is_empty() && moments.all(|at_s| *at_s > limited.end_s)
}

/// Returns the reset time that all responses state. The times may differ by 5 %, because users start one after the
/// other.
fn told(limited: &Limited) -> Option<f64> {
    let first = limited.free_at_s.iter().copied().reduce(f64::min)?;
    let last = limited.free_at_s.iter().copied().reduce(f64::max)?;
    (last - first <= first * 0.05).then_some(first)
}

/// Returns a lower bound of the window: the seconds for which the limiter stayed closed, including later levels.
fn closed_for(run: &Run, seen: &Seen<'_>) -> f64 {
    let later = run
        .levels
        .iter()
        .skip_while(|level| level.index <= seen.level.index);
    let closed = later.map_while(|level| {
        let limited = level.limited.as_ref()?;
        (limited.passed == 0).then_some(limited.end_s)
    });
    let own = seen.limited.last_s;
    match closed.sum::<f64>() {
        0.0 => own,
        more => seen.limited.end_s + more,
    }
}
