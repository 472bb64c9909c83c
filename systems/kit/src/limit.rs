//! Rate limits per address: fixed windows, counted by operation and address.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tokio::time::Instant;

use crate::list;
use crate::network::{Networks, counted};
use crate::span::{self, Shown};

/// Maximum number of stored windows. When it is reached, expired windows are removed; if none has expired, all are
/// removed.
const WINDOWS: usize = 100_000;

/// The number of requests allowed per window, for one operation or for all operations together (`*`).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    operation: String,
    requests: u32,
    window: Duration,
}

/// Several limits, written as `*=100/15m,auth.login=10/1m`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(Vec<Limit>);

impl FromStr for Limits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        list::parse(text, limit).map(Self)
    }
}

fn limit(text: &str) -> Result<Limit, String> {
    let read = || {
        let (operation, rest) = text.split_once('=')?;
        let (requests, window) = rest.split_once('/')?;
        let (requests, window) = (requests.parse().ok()?, span::parse(window).ok()?);
        let makes_sense = requests > 0 && window >= Duration::from_secs(1) && !operation.is_empty();
        let operation = operation.to_owned();
        makes_sense.then_some(Limit {
            operation,
            requests,
            window,
        })
    };
    read().ok_or_else(|| {
        format!("`{text}` is not a limit: use for example `*=100/15m` or `auth.login=10/1m`")
    })
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, limit) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            write!(
                f,
                "{comma}{}={}/{}",
                limit.operation,
                limit.requests,
                Shown(limit.window)
            )?;
        }
        Ok(())
    }
}

impl Limits {
    /// The first operation that has a limit but is not in `known`.
    #[must_use]
    pub fn unknown<'a>(&'a self, known: &'a [&str]) -> Option<&'a str> {
        let mut named = self.0.iter().map(|limit| limit.operation.as_str());
        named.find(|name| *name != "*" && !known.contains(name))
    }
}

/// The result of checking one request against a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Whether the request may pass.
    pub admitted: bool,
    /// Number of requests that one address may send per window.
    pub limit: u32,
    /// Number of requests that the address may still send in this window.
    pub remaining: u32,
    /// Length of a window.
    pub window: Duration,
    /// Time until the window ends.
    pub reset: Duration,
}

impl Ticket {
    /// Seconds until the window ends, at least one.
    #[must_use]
    pub fn reset_s(&self) -> u64 {
        self.reset
            .as_millis()
            .div_ceil(1000)
            .max(1)
            .try_into()
            .unwrap_or(u64::MAX)
    }

    /// Writes the standard headers (draft-ietf-httpapi-ratelimit-headers), in the form that most servers send.
    pub fn write(&self, headers: &mut HeaderMap) {
        let policy = format!("{};w={}", self.limit, self.window.as_secs());
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(HeaderName::from_static("ratelimit-policy"), policy);
        }
        let values = [
            ("ratelimit-limit", u64::from(self.limit)),
            ("ratelimit-remaining", u64::from(self.remaining)),
            ("ratelimit-reset", self.reset_s()),
        ];
        for (name, value) in values {
            headers.insert(HeaderName::from_static(name), value.into());
        }
    }
}

/// The current window of one limit and address.
#[derive(Clone, Copy, Debug)]
struct Window {
    ends: Instant,
    used: u32,
}

/// Counts the requests of each limit and address. Exempt addresses are not counted.
#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    bypass: Networks,
    windows: Mutex<HashMap<(usize, IpAddr), Window>>,
}

impl Gate {
    /// Creates a gate without counts. Addresses in `bypass` are exempt.
    #[must_use]
    pub fn new(limits: Limits, bypass: Networks) -> Self {
        Self {
            limits,
            bypass,
            windows: Mutex::default(),
        }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The exempt addresses.
    #[must_use]
    pub fn bypass(&self) -> &Networks {
        &self.bypass
    }

    /// Counts a request against every limit that applies to it, and returns the strictest result. `None` if no
    /// limit applies.
    pub fn admit(&self, operation: &str, address: IpAddr, now: Instant) -> Option<Ticket> {
        if self.bypass.contain(address) {
            return None;
        }
        let address = counted(address);
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= WINDOWS {
            windows.retain(|_, window| window.ends > now);
            if windows.len() >= WINDOWS {
                windows.clear();
            }
        }
        let limits = self.limits.0.iter().enumerate();
        let tickets = limits
            .filter(|(_, limit)| limit.operation == "*" || limit.operation == operation)
            .map(|(n, limit)| {
                let fresh = Window {
                    ends: now + limit.window,
                    used: 0,
                };
                let window = windows.entry((n, address)).or_insert(fresh);
                if window.ends <= now {
                    *window = fresh;
                }
                count(window, limit, now)
            });
        tickets.min_by_key(|ticket| (ticket.admitted, ticket.remaining))
    }
}

fn count(window: &mut Window, limit: &Limit, now: Instant) -> Ticket {
    let admitted = window.used < limit.requests;
    window.used = window.used.saturating_add(u32::from(admitted));
    Ticket {
        admitted,
        limit: limit.requests,
        remaining: limit.requests - window.used,
        window: limit.window,
        reset: window.ends.saturating_duration_since(now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(limits: &str) -> Gate {
        Gate::new(limits.parse().unwrap(), "10.0.0.0/8".parse().unwrap())
    }

    #[test]
    fn limits_are_read_and_shown_alike_and_nonsense_is_refused() {
        let limits: Limits = "*=100/15m, auth.login=10/1m".parse().unwrap();
        assert_eq!(limits.to_string(), "*=100/15m,auth.login=10/1m");
        for refused in ["*", "*=100", "*=0/1m", "*=5/0s", "=5/1m", "*=x/1m"] {
            assert!(refused.parse::<Limits>().is_err(), "{refused}");
        }
        assert_eq!(
            "auth.logim=5/1m"
                .parse::<Limits>()
                .unwrap()
                .unknown(&["auth.login"]),
            Some("auth.logim")
        );
    }

    #[test]
    fn each_address_has_a_window_of_its_own_that_ends() {
        let (gate, now) = (gate("*=3/10s"), Instant::now());
        let admit = |address: &str, after: u64| {
            let at = now + Duration::from_secs(after);
            gate.admit("x", address.parse().unwrap(), at).unwrap()
        };
        let remaining: Vec<_> = (0..3).map(|_| admit("1.1.1.1", 0).remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = admit("1.1.1.1", 4);
        assert!(!refused.admitted);
        assert_eq!(refused.reset_s(), 6);
        assert!(admit("2.2.2.2", 4).admitted);
        assert!(admit("1.1.1.1", 10).admitted);
        let exempt = "10.1.2.3".parse().unwrap();
        assert_eq!(gate.admit("x", exempt, now), None);
    }

    #[test]
    fn an_operation_counts_for_its_own_limit_and_for_that_of_all() {
        let (gate, now) = (gate("*=5/10s,auth.login=2/10s"), Instant::now());
        let address = "1.1.1.1".parse().unwrap();
        let admitted = |operation| gate.admit(operation, address, now).unwrap().admitted;
        let logins: Vec<_> = (0..3).map(|_| admitted("auth.login")).collect();
        assert_eq!(logins, [true, true, false]);
        let others: Vec<_> = (0..3).map(|_| admitted("users.me.get")).collect();
        assert_eq!(others, [true, true, false]);
    }
}
