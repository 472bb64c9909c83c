//! Collects the evidence, the open questions and the advice of a finding, as types of the record.

use record::{
    Advice, Evidence, LimitKey as Key, LimiterKind, OneAddress, Run, StatedLimit, Unknown,
};

use super::key::{Keys, number_of};
use super::limit::{Limit, Window};
use super::pace::{Outpaced, outpaced};
use super::seen::Seen;
use super::shape::Shape;

/// The algorithm of the limiter; `None` if the figures do not show it.
pub(super) fn kind(seen: &Seen<'_>) -> Option<LimiterKind> {
    match seen.shape? {
        Shape::Periodic { aligned: true, .. } => Some(LimiterKind::FixedWindow),
        Shape::Periodic { mixed: true, .. }
        | Shape::Steady {
            reopened_s: Some(_),
            ..
        } => Some(LimiterKind::SlidingWindow),
        Shape::Steady { burst, .. } if burst > 0.0 => Some(LimiterKind::TokenBucket),
        _ => None,
    }
}

/// The number of keys that shared the passed requests. 1 if the key is unknown.
pub(super) fn sharing(seen: &Seen<'_>, keys: &Keys) -> f64 {
    match keys.left.as_slice() {
        [one] => number_of(*one, seen),
        _ => 1.0,
    }
}

/// The number of requests that passed at the beginning in addition to the steady rate.
pub(super) fn burst(seen: &Seen<'_>) -> f64 {
    match seen.shape {
        Some(Shape::Steady { burst, .. }) => burst.max(0.0),
        _ => 0.0,
    }
}

/// The evidence for the finding.
pub(super) fn evidence(seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<Evidence> {
    let mut all: Vec<Evidence> = seen.limited.stated.iter().map(stated).collect();
    all.extend(seen.shape.map(|shape| observed(shape, seen)));
    all.extend(outpaced(seen).map(|outpaced| match outpaced {
        Outpaced::Always { took_s, apart_s } | Outpaced::Once { took_s, apart_s } => {
            Evidence::Outpaced { took_s, apart_s }
        }
    }));
    if seen.limited.told_to_wait > 0 {
        all.push(match limit.window {
            Window::Told(at_s) => Evidence::SameResetTime { at_s },
            _ => Evidence::RetryAfter {
                longest_s: seen.limited.longest_wait_s,
            },
        });
    }
    all.extend(keys.evidence.iter().cloned());
    all
}

fn stated(stated: &StatedLimit) -> Evidence {
    Evidence::LimitStated {
        header: stated.header.clone(),
        limit: stated.limit,
        window_s: stated.window_s,
    }
}

fn observed(shape: Shape, seen: &Seen<'_>) -> Evidence {
    let limited = seen.limited;
    match shape {
        Shape::Stop { passed } => Evidence::Stopped {
            passed,
            until_s: limited.first_s,
            refused: limited.count,
            last_s: limited.last_s,
        },
        Shape::Periodic {
            passed,
            window_s,
            windows,
            ..
        } => Evidence::Repeated {
            passed,
            period_s: window_s,
            times: windows as u64,
        },
        Shape::Steady {
            per_s,
            burst,
            regular,
            reopened_s,
            seconds,
        } => Evidence::SteadyRate {
            per_s,
            burst,
            regular,
            reopened_s,
            seconds: seconds as u64,
        },
    }
}

/// The questions that the evidence leaves open.
pub(super) fn unknown(seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<Unknown> {
    let mut open = Vec::new();
    let left = |key: Key| keys.left.contains(&key);
    if left(Key::All) && left(Key::Address) {
        let because = match (seen.addresses, seen.limited.addresses.len()) {
            (0 | 1, 0 | 1) => Some(OneAddress::Used),
            (0 | 1, _) => Some(OneAddress::Refused),
            _ => None,
        };
        open.push(Unknown::AddressOrAll { because });
    }
    if left(Key::User) && keys.left.len() > 1 {
        let refused = seen.users;
        open.push(Unknown::ByUser { refused });
    }
    match limit.window {
        Window::AtLeast(seconds) => open.push(Unknown::WindowLongerThan { seconds }),
        Window::Unknown => open.push(Unknown::Window),
        _ => {}
    }
    if let Some(Outpaced::Once { apart_s, .. }) = outpaced(seen) {
        open.push(Unknown::OneWorker { seconds: apart_s });
    }
    if kind(seen).is_none() {
        open.push(Unknown::Algorithm);
    }
    let counted = limit.requests.is_some() || limit.stated.is_some();
    if !counted && kind(seen) != Some(LimiterKind::TokenBucket) {
        open.push(Unknown::Requests);
    }
    open.extend(routes(seen));
    open
}

/// The open question whether other routes are limited too. `None` if several routes were requested and all were
/// refused.
fn routes(seen: &Seen<'_>) -> Option<Unknown> {
    let names = &seen.limited.names;
    let mut asked = seen.level.measured.requests.keys();
    let free = asked.find(|name| !names.contains_key(*name)).cloned();
    let refused = names.keys().take(3).cloned().collect();
    let open = free.is_some() || names.len() == 1;
    open.then_some(Unknown::OtherRoutes { refused, free })
}

/// The next steps.
pub(super) fn advice(run: &Run, seen: &Seen<'_>, keys: &Keys, limit: &Limit<'_>) -> Vec<Advice> {
    let mut advice = vec![Advice::ExemptGenerator];
    if keys.left.contains(&Key::Address) {
        advice.push(Advice::MoreAddresses {
            loopback: run.target.contains("//127.") || run.target.contains("//localhost"),
            needed: needed(seen, limit),
        });
    }
    if keys.left == [Key::User] {
        advice.push(Advice::MoreUsers);
    }
    let below = match (limit.requests, limit.window) {
        (Some(requests), Window::Stated(window) | Window::Seen(window) | Window::Told(window)) => {
            Some(requests / window)
        }
        _ => seen.flow.map(|flow| flow / sharing(seen, keys)),
    };
    let per = match keys.left.as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    advice.extend(below.map(|below| Advice::StayBelow {
        per_minute: below * 60.0,
        per,
    }));
    advice
}

/// The number of source addresses over which the load must be spread to keep each address within its limit.
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
