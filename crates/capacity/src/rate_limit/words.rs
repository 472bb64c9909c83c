//! The finding in sentences.

use record::Run;

use super::key::{Key, Keys, number_of};
use super::shape::Shape;
use super::{Limit, Seen, Window};

/// How it counts: `fixed window`, `sliding window`, `token bucket`; `None` where that cannot be told.
pub(super) fn kind(seen: &Seen<'_>) -> Option<&'static str> {
    match seen.shape? {
        Shape::Periodic { aligned: true, .. } => Some("fixed window"),
        Shape::Periodic { mixed: true, .. }
        | Shape::Steady {
            reopened_s: Some(_),
            ..
        } => Some("sliding window"),
        Shape::Steady { burst, .. } if burst > 0.0 => Some("token bucket"),
        _ => None,
    }
}

/// The finding in one sentence.
pub(super) fn what(seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> String {
    let per = match keys.left.as_slice() {
        [] => String::new(),
        [one] => one.words().to_owned(),
        several => several
            .iter()
            .map(|key| key.words())
            .collect::<Vec<_>>()
            .join(" or "),
    };
    let per = per.replace(
        "per source address or per user",
        "per source address or user",
    );
    let of_bucket = matches!(kind(seen), Some("token bucket")) && limit.stated.is_none();
    let amount = match (limit.requests, limit.window) {
        (Some(requests), window) if !of_bucket => {
            format!("{} {}", requests_in(requests, limit), span_words(window))
        }
        _ => {
            let flow = seen.flow.unwrap_or_default() / of_one(seen, keys);
            format!("about {} requests/s", amount(flow))
        }
    };
    let burst = match seen.shape {
        Some(Shape::Steady { burst, .. }) if burst > 0.0 => {
            format!(
                " (and about {:.0} at once at first)",
                burst / of_one(seen, keys)
            )
        }
        _ => String::new(),
    };
    let amount = amount.trim_end();
    format!("a rate limiter lets through {amount}{burst}, {per}")
}

/// How many share what was let through, when that is known.
fn of_one(seen: &Seen<'_>, keys: &Keys) -> f64 {
    match keys.left.as_slice() {
        [one] => number_of(*one, seen),
        _ => 1.0,
    }
}

fn requests_in(requests: f64, limit: &Limit<'_>) -> String {
    let about = if limit.stated.is_some() { "" } else { "about " };
    format!("{about}{} requests", amount(requests))
}

fn span_words(window: Window) -> String {
    match window {
        Window::Stated(seconds) => format!("in {}", span(seconds)),
        Window::Seen(seconds) | Window::Told(seconds) => format!("in about {}", span(seconds)),
        Window::AtLeast(seconds) => format!("in a window of at least {}", span(seconds.floor())),
        Window::Unknown => String::new(),
    }
}

/// `15 min`, `1 min 30 s`, `0.5 s`.
pub(super) fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        let text = format!("{seconds:.1}");
        return format!("{} s", text.trim_end_matches(".0"));
    }
    let whole = seconds.round();
    let parts = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    let mut left = whole;
    let mut words = Vec::new();
    for (size, unit) in parts {
        let number = (left / size).floor();
        left -= number * size;
        if number > 0.0 {
            words.push(format!("{number:.0} {unit}"));
        }
    }
    words.truncate(2);
    words.join(" ")
}

fn amount(number: f64) -> String {
    if number < 10.0 && (number - number.round()).abs() > 0.05 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

/// What it rests on.
pub(super) fn evidence(seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<String> {
    let limited = seen.limited;
    let mut told: Vec<String> = seen.limited.stated.iter().map(stated).collect();
    told.extend(seen.shape.map(|shape| course(shape, seen)));
    if limited.told_to_wait > 0 {
        let longest = span(limited.longest_wait_s);
        told.push(match limit.window {
            Window::Told(until) => format!(
                "the answers named one moment at which it is free again, {} after the start: the window is that long if it \
                 began with the first request",
                span(until)
            ),
            _ => format!("the answers said how long to wait: {longest} at most"),
        });
    }
    told.extend(keys.evidence.iter().cloned());
    told
}

fn stated(stated: &record::StatedLimit) -> String {
    let window = stated
        .window_s
        .map_or(String::new(), |window| format!(" in {}", span(window)));
    format!(
        "the header {} of the 429s states {} requests{window}",
        stated.header,
        amount(stated.limit)
    )
}

fn course(shape: Shape, seen: &Seen<'_>) -> String {
    let limited = seen.limited;
    match shape {
        Shape::Stop { passed } if passed > 0.0 => format!(
            "{passed:.0} requests were let through until {:.1} s, and then none of {} until {}",
            limited.first_s,
            limited.count,
            span(limited.last_s)
        ),
        Shape::Stop { .. } => format!(
            "none of {} requests was let through in {}",
            limited.count,
            span(limited.last_s)
        ),
        Shape::Periodic {
            passed,
            window_s,
            windows: 1,
            ..
        } => format!(
            "{passed:.0} requests were let through, then none, and again from {} on",
            span(window_s)
        ),
        Shape::Periodic {
            passed,
            window_s,
            windows,
            ..
        } => format!(
            "every {} {} requests were let through and then none, {windows} times",
            span(window_s),
            amount(passed)
        ),
        Shape::Steady {
            per_s,
            burst,
            regular,
            reopened_s,
            seconds,
        } => {
            let first = match (reopened_s, burst > 0.0) {
                (Some(until), _) => {
                    format!("first a burst and then none until {}; then ", span(until))
                }
                (None, true) => format!("first {burst:.0} more than the rate explains; then "),
                (None, false) => String::new(),
            };
            let even = if regular {
                ", more evenly than chance would have it"
            } else {
                ""
            };
            format!(
                "{first}{} requests/s were let through over {seconds} s{even}, beside those that were refused",
                amount(per_s)
            )
        }
    }
}

/// What the evidence does not tell.
pub(super) fn unknown(seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<String> {
    let mut told = Vec::new();
    let left = |key: Key| keys.left.contains(&key);
    if left(Key::All) && left(Key::Address) && seen.addresses <= 1 {
        told.push(if seen.limited.addresses.len() <= 1 {
            "whether it counts by address or all together: all users came from one address"
                .to_owned()
        } else {
            "whether it counts by address or all together: only users of one address were refused"
                .to_owned()
        });
    } else if left(Key::All) && left(Key::Address) {
        told.push("whether it counts by address or all together".to_owned());
    }
    if left(Key::User) && keys.left.len() > 1 {
        told.push(if seen.users <= 1 {
            "whether it counts by user: only one was refused".to_owned()
        } else {
            "whether it counts by user: all asked for as much, so that shares of one limit look the same".to_owned()
        });
    }
    match limit.window {
        Window::AtLeast(seconds) => told.push(format!(
            "how long the window is: longer than the {} that it was seen to be closed",
            span(seconds.floor())
        )),
        Window::Unknown => {
            told.push("how long the window is: what is let through comes evenly".to_owned());
        }
        _ => {}
    }
    if kind(seen).is_none() {
        told.push(
            "whether windows are fixed or sliding, or it is a bucket that is filled again"
                .to_owned(),
        );
    }
    if limit.requests.is_none() && limit.stated.is_none() && kind(seen) != Some("token bucket") {
        told.push("how many in a window".to_owned());
    }
    told.extend(routes(seen));
    told
}

/// Whether other requests are limited too.
fn routes(seen: &Seen<'_>) -> Option<String> {
    let asked = &seen.level.measured.requests;
    let free: Vec<&str> = asked
        .keys()
        .map(String::as_str)
        .filter(|name| !seen.limited.names.contains_key(*name))
        .collect();
    let refused: Vec<&str> = seen
        .limited
        .names
        .keys()
        .map(String::as_str)
        .take(3)
        .collect();
    let refused = refused.join(", ");
    match free.as_slice() {
        [] if seen.limited.names.len() == 1 => Some(format!(
            "whether other routes are limited too: only {refused} was asked"
        )),
        [] => None,
        [first, ..] => Some(format!(
            "whether {first} is limited too: only {refused} was refused"
        )),
    }
}

/// What to try.
pub(super) fn advice(run: &Run, seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<String> {
    let mut told = vec![
        "if the limiter is yours, exempt the generator's addresses for the test: many take a list, such as \
         RATE_LIMIT_BYPASS_IPS=127.0.0.1"
            .to_owned(),
    ];
    if keys.left.contains(&Key::Address) {
        let here = run.target.contains("//127.") || run.target.contains("//localhost");
        let example = if here {
            "--source 127.0.0.0/24 (254 of them)"
        } else {
            "--source IP,IP,…"
        };
        let needed = needed(seen, limit).map_or(String::new(), |number| {
            format!("; what was asked here needs at least {number:.0}")
        });
        told.push(format!("use more source addresses, {example}{needed}"));
    }
    if keys.left == [Key::User] {
        told.push("use more users, or let each ask less often".to_owned());
    }
    let below = match (limit.requests, limit.window) {
        (Some(requests), Window::Stated(window) | Window::Seen(window) | Window::Told(window)) => {
            Some(requests / window)
        }
        _ => seen.flow.map(|flow| flow / of_one(seen, keys)),
    };
    if let Some(below) = below {
        let per = match keys.left.as_slice() {
            [one] => format!(" {}", one.words()),
            _ => String::new(),
        };
        told.push(format!(
            "or stay below it: {} requests/min{per}",
            amount(below * 60.0)
        ));
    }
    told
}

/// Addresses among which what was asked in a window would not have met the limit.
fn needed(seen: &Seen<'_>, limit: &Limit<'_>) -> Option<f64> {
    let all = (seen.limited.count + seen.limited.passed) as f64;
    let asked = match limit.window {
        Window::Stated(window) | Window::Seen(window) if window < seen.limited.end_s => {
            all / seen.limited.end_s * window
        }
        _ => all,
    };
    Some((asked / limit.requests?).ceil().max(2.0))
}
