//! Words for a rate limiter: its behaviour, the evidence, open questions and next steps.

use format::{about, count, plural, span};
use record::{Advice, Evidence, LimitKey, LimiterKind, OneAddress, RateLimiter, Unknown};

/// Formats the finding: `a rate limiter lets through 100 requests in 15 min, per source address`.
pub(super) fn sentence(found: &RateLimiter) -> String {
    let of_bucket = found.kind == Some(LimiterKind::TokenBucket) && !found.limit_stated;
    let passed = if let Some(limit) = found.limit.filter(|_| !of_bucket) {
        let word = if found.limit_stated { "" } else { "about " };
        format!("{word}{} requests{}", about(limit), window(found))
    } else if let Some(rate) = found.rate_per_s {
        format!("about {} requests/s", about(rate / found.keys))
    } else {
        format!("no requests{}", closed_for(found))
    };
    let burst = if found.burst > 0.0 {
        format!(" (after a burst of about {:.0})", found.burst / found.keys)
    } else {
        String::new()
    };
    let mut keys: Vec<&str> = found.per.iter().map(|one| per(*one)).collect();
    if let [.., LimitKey::Address, LimitKey::User] = found.per[..] {
        keys.pop();
        keys.push("user"); // `per source address or user`
    }
    let per = match keys.as_slice() {
        [] => String::new(),
        several => format!(", {}", several.join(" or ")),
    };
    format!("a rate limiter lets through {passed}{burst}{per}")
}

fn window(found: &RateLimiter) -> String {
    match (found.window_s, found.window_at_least_s) {
        (Some(window), _) if found.window_stated => format!(" in {}", span(window)),
        (Some(window), _) => format!(" in about {}", span(window)),
        (None, Some(least)) => format!(" in a window of at least {}", span(least.floor())),
        (None, None) => String::new(),
    }
}

/// The time for which a limiter lets nothing through, of which neither the number of requests nor their rate is known.
fn closed_for(found: &RateLimiter) -> String {
    match (found.window_s, found.window_at_least_s) {
        (Some(window), _) => format!(" for up to {}", span(window)),
        (None, Some(least)) => format!(" for at least {}", span(least)),
        (None, None) => String::new(),
    }
}

fn per(key: LimitKey) -> &'static str {
    match key {
        LimitKey::All => "for all requests together",
        LimitKey::Address => "per source address",
        LimitKey::User => "per user",
    }
}

/// Formats an observation that supports the finding.
pub(crate) fn evidence(seen: &Evidence) -> String {
    match seen {
        Evidence::LimitStated {
            header,
            limit,
            window_s,
        } => {
            let window = window_s.map_or(String::new(), |window| format!(" in {}", span(window)));
            format!(
                "the 429 responses state {} requests{window} (header {header})",
                about(*limit)
            )
        }
        Evidence::Stopped { .. } | Evidence::Repeated { .. } | Evidence::SteadyRate { .. } => {
            over_time(seen)
        }
        Evidence::Outpaced { took_s, apart_s } => format!(
            "a request that did not wait took {}, although responses leave every {}: a worker would take as long for \
             each request",
            span(*took_s),
            span(*apart_s)
        ),
        Evidence::SameResetTime { at_s } => format!(
            "all Retry-After headers point to the same reset time, {} after the start: if the window began with the \
             first request, this is its length",
            span(*at_s)
        ),
        Evidence::RetryAfter { longest_s } => {
            format!("Retry-After headers ask to wait up to {}", span(*longest_s))
        }
        Evidence::PartitionNamed => {
            "a header names a partition, so the limiter does not count all requests together"
                .to_owned()
        }
        Evidence::FitsStatedLimit {
            passed,
            limit,
            users,
            addresses,
        } => format!(
            "{} from {} got {passed:.0} requests through in one window: {:.1} times the stated limit of {limit:.0}",
            plural(*users, "user"),
            self::addresses((*addresses).max(1)),
            passed / limit
        ),
        Evidence::PassedAlike { per, least, most } => format!(
            "{least:.0} to {most:.0} requests of each {} passed, regardless of how many it sent",
            each(*per)
        ),
        Evidence::PassedUnequally { per, least, most } => format!(
            "{least:.0} to {most:.0} requests passed for each refused {}: too unequal for separate limits",
            each(*per)
        ),
        Evidence::OtherLevel {
            users,
            than_users,
            times,
        } => format!(
            "at {}, {times:.2} times as many requests passed as at {}",
            plural(*users, "user"),
            count(*than_users)
        ),
        Evidence::Text { text } => text.clone(),
        _ => String::new(),
    }
}

fn addresses(number: u64) -> String {
    match number {
        1 => "one address".to_owned(),
        more => format!("{} addresses", count(more)),
    }
}

fn each(key: LimitKey) -> &'static str {
    match key {
        LimitKey::Address => "address",
        LimitKey::All | LimitKey::User => "user",
    }
}

/// Formats an observation about the course of the level.
fn over_time(seen: &Evidence) -> String {
    match *seen {
        Evidence::Stopped {
            passed,
            until_s,
            refused,
            last_s,
        } if passed > 0.0 => format!(
            "{passed:.0} requests passed until {until_s:.1} s, then none of the next {} until {}",
            count(refused),
            span(last_s)
        ),
        Evidence::Stopped {
            refused, last_s, ..
        } => format!(
            "none of {} requests passed in {}",
            count(refused),
            span(last_s)
        ),
        Evidence::Repeated {
            passed,
            period_s,
            times: 1,
        } => format!(
            "{passed:.0} requests passed, then none, and requests passed again from {} on",
            span(period_s)
        ),
        Evidence::Repeated {
            passed,
            period_s,
            times,
        } => format!(
            "every {}, {} requests passed and then none, {times} times in a row",
            span(period_s),
            about(passed)
        ),
        Evidence::SteadyRate {
            per_s,
            burst,
            regular,
            reopened_s,
            seconds,
        } => {
            let first = match (reopened_s, burst > 0.0) {
                (Some(until), _) => format!(
                    "after a first burst, no request passed until {}; then ",
                    span(until)
                ),
                (None, true) => {
                    format!(
                        "at first, {burst:.0} more requests passed than the rate explains; then "
                    )
                }
                (None, false) => String::new(),
            };
            let even = if regular {
                ", more evenly than chance explains"
            } else {
                ""
            };
            format!(
                "{first}{} requests/s passed for {seconds} s{even}, while others were refused",
                about(per_s)
            )
        }
        _ => String::new(),
    }
}

/// Formats a question that the measurement leaves open.
pub(crate) fn unknown(open: &Unknown) -> String {
    match open {
        Unknown::AddressOrAll { because } => {
            let because = match because {
                Some(OneAddress::Used) => " (all users came from one address)",
                Some(OneAddress::Refused) => " (only users of one address were refused)",
                None => "",
            };
            format!("whether the limiter counts by address or all requests together{because}")
        }
        Unknown::ByUser { refused: 0 | 1 } => {
            "whether the limiter counts by user (only one user was refused)".to_owned()
        }
        Unknown::ByUser { .. } => {
            "whether the limiter counts by user (all users sent the same number of requests, so shares of one limit \
             look the same)"
                .to_owned()
        }
        Unknown::WindowLongerThan { seconds } => format!(
            "the length of the window (no request passed for {})",
            span(seconds.floor())
        ),
        Unknown::Window => "the length of the window (requests pass at an even rate)".to_owned(),
        Unknown::OneWorker { seconds } => format!(
            "whether a single worker that takes {} for each request paces the responses instead (only one request shows \
             that it does not): compare with a lower load",
            span(*seconds)
        ),
        Unknown::Algorithm => {
            "whether the limiter uses fixed windows, sliding windows or a token bucket".to_owned()
        }
        Unknown::Requests => "the number of requests per window".to_owned(),
        Unknown::OtherRoutes { refused, free } => {
            let refused = refused.join(", ");
            match free {
                Some(free) => format!("whether {free} is limited too (only {refused} was refused)"),
                None => format!("whether other routes are limited too (only {refused} was requested)"),
            }
        }
        Unknown::Text { text } => text.clone(),
        _ => String::new(),
    }
}

/// Formats a next step.
pub(crate) fn advice(advice: &Advice) -> String {
    match advice {
        Advice::ExemptGenerator => {
            "if the limiter is yours, exempt the generator's addresses during the test; many limiters have a list for \
             this, such as RATE_LIMIT_BYPASS_IPS=127.0.0.1"
                .to_owned()
        }
        Advice::MoreAddresses { loopback, needed } => {
            let example = if *loopback {
                "--source 127.0.0.0/24 (254 addresses)"
            } else {
                "--source IP,IP,…"
            };
            let needed = needed.map_or(String::new(), |number| {
                format!("; this load needs at least {number:.0}")
            });
            format!("use more source addresses: {example}{needed}")
        }
        Advice::MoreUsers => "use more users, or send fewer requests with each".to_owned(),
        Advice::StayBelow { per_minute, per } => {
            let per = per.map_or(String::new(), |key| format!(" {}", self::per(key)));
            format!("stay below the limit: {}{per}", pace(*per_minute))
        }
        Advice::Text { text } => text.clone(),
        _ => String::new(),
    }
}

/// A rate of requests in the unit that a reader needs no arithmetic for: `100 requests/s`, `7 requests/min`.
fn pace(per_minute: f64) -> String {
    const FAST: f64 = 120.0;
    if per_minute >= FAST {
        format!("{} requests/s", about(per_minute / 60.0))
    } else {
        format!("{} requests/min", about(per_minute))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limiter_of_unknown_limit_has_no_rate_of_zero() {
        let limiter = RateLimiter {
            window_at_least_s: Some(2.0),
            per: vec![LimitKey::Address],
            keys: 1.0,
            ..RateLimiter::default()
        };
        let told = sentence(&limiter);
        assert_eq!(
            told,
            "a rate limiter lets through no requests for at least 2 s, per source address"
        );
        let flowing = RateLimiter {
            rate_per_s: Some(50.0),
            ..limiter
        };
        assert!(sentence(&flowing).contains("about 50 requests/s"));
    }
}
