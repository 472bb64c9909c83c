//! Reads the rate limit that a response states, in all the forms that servers use:
//!
//! - `Retry-After` (RFC 9110 §10.2.3);
//! - `RateLimit-Limit`, `-Remaining`, `-Reset` and `RateLimit-Policy: 100;w=900` of
//!   draft-ietf-httpapi-ratelimit-headers-00 to -06;
//! - `RateLimit: limit=100, remaining=0, reset=30` of -07;
//! - `RateLimit-Policy: "name";q=100;w=900;pk=:…:` and `RateLimit: "name";r=0;t=30` since -08;
//! - the older `X-RateLimit-…`, whose reset is a point in time with some servers.
//!
//! Points in time are compared with the `Date` of the same response, so no clock is read.

use super::Headers;
use super::date::{is_time_of_day, unix_seconds};

/// Maximum number of items that are read from a header, and maximum number of policies.
const ITEMS_LIMIT: usize = 8;

/// A limit that the server states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policy {
    /// The name of the policy, if it has one.
    pub name: Option<String>,
    /// Requests, or units of quota, per window.
    pub limit: f64,
    /// Length of the window in seconds, if the server states it.
    pub window_s: Option<f64>,
    /// Whether the server names a partition, which means that not all clients share the limit.
    pub partitioned: bool,
    /// Whether the quota is used up, so that this policy refused the request.
    pub spent: bool,
    /// The header that states the limit.
    pub header: &'static str,
}

/// The rate limit that a response states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quota {
    /// The limits that the server states.
    pub policies: Vec<Policy>,
    /// Seconds until requests are accepted again: the longest wait that any header states.
    pub wait_s: Option<f64>,
    /// Whether there was a `Retry-After` header.
    pub retry_after: bool,
}

impl Quota {
    /// Reads all rate limit headers. Malformed values are ignored.
    pub fn of(headers: &Headers) -> Self {
        let now = headers.get("date").and_then(unix_seconds);
        let mut quota = Self::default();
        quota.read_policies(headers);
        quota.read_state(headers);
        quota.read_separate(headers, now);
        if let Some(wait) = headers
            .get("retry-after")
            .and_then(|text| wait_of(text, now))
        {
            quota.retry_after = true;
            quota.waits(wait);
        }
        quota
    }

    fn waits(&mut self, wait: f64) {
        self.wait_s = Some(self.wait_s.map_or(wait, |known| known.max(wait)));
    }

    /// Reads `RateLimit-Policy` in its old and new form.
    fn read_policies(&mut self, headers: &Headers) {
        for item in headers.all("ratelimit-policy").flat_map(items) {
            let (head, parameters) = parameters(item);
            let of = |key: &str| parameters.iter().find(|(known, _)| *known == key);
            let named = head.starts_with('"');
            let limit = if named {
                of("q").and_then(|(_, text)| number(text))
            } else {
                number(head)
            };
            let Some(limit) = limit.filter(|_| self.policies.len() < ITEMS_LIMIT) else {
                continue;
            };
            self.policies.push(Policy {
                name: named.then(|| head.trim_matches('"').to_owned()),
                limit,
                window_s: of("w").and_then(|(_, text)| number(text)),
                partitioned: of("pk").is_some(),
                spent: false,
                header: "RateLimit-Policy",
            });
        }
    }

    /// Reads `RateLimit` in the forms of drafts -07 and -08: which policy is used up, and until when.
    fn read_state(&mut self, headers: &Headers) {
        for item in headers.all("ratelimit").flat_map(items) {
            let (head, parameters) = parameters(item);
            let of = |key: &str| parameters.iter().find(|(known, _)| *known == key);
            if let Some((key, value)) = head.split_once('=') {
                match (key.trim(), number(value)) {
                    ("limit", Some(limit)) => {
                        if let Some(policy) = self.policy(limit, "RateLimit") {
                            policy.spent = true;
                        }
                    }
                    ("reset", Some(wait)) => self.waits(wait),
                    _ => {}
                }
                continue;
            }
            let left = of("r").and_then(|(_, text)| number(text));
            if left.is_none_or(|left| left > 0.0) {
                continue;
            }
            if let Some(wait) = of("t").and_then(|(_, text)| number(text)) {
                self.waits(wait);
            }
            let name = Some(head.trim_matches('"'));
            for policy in &mut self.policies {
                policy.spent |= policy.name.as_deref() == name;
            }
        }
    }

    /// Reads `RateLimit-Limit` and related headers, with and without `X-`.
    fn read_separate(&mut self, headers: &Headers, now: Option<f64>) {
        for (limit, reset, name) in [
            ("ratelimit-limit", "ratelimit-reset", "RateLimit-Limit"),
            (
                "x-ratelimit-limit",
                "x-ratelimit-reset",
                "X-RateLimit-Limit",
            ),
            (
                "x-rate-limit-limit",
                "x-rate-limit-reset",
                "X-Rate-Limit-Limit",
            ),
        ] {
            // Drafts up to -02 state the limit that is closest to exhaustion, followed by all policies: `100, 100;w=10,
            // 1000;w=3600`.
            for (place, item) in headers.all(limit).flat_map(items).enumerate() {
                let (head, parameters) = parameters(item);
                let window = parameters.iter().find(|(key, _)| *key == "w");
                let Some(limit) = number(head) else { continue };
                let Some(policy) = self.policy(limit, name) else {
                    continue;
                };
                policy.spent |= place == 0;
                let window_s = window.and_then(|(_, text)| number(text));
                policy.window_s = policy.window_s.or(window_s);
            }
            if let Some(wait) = headers.get(reset).and_then(|text| wait_of(text, now)) {
                self.waits(wait);
            }
        }
        let after = headers.get("x-ratelimit-reset-after").and_then(number);
        if let Some(wait) = after {
            self.waits(wait);
        }
    }

    /// The policy with this limit, which is added if it is missing. `None` if there are too many policies.
    fn policy(&mut self, limit: f64, header: &'static str) -> Option<&mut Policy> {
        let known = self
            .policies
            .iter()
            .position(|policy| same(policy.limit, limit));
        if known.is_none() && self.policies.len() < ITEMS_LIMIT {
            self.policies.push(Policy {
                limit,
                header,
                ..Policy::default()
            });
        }
        match known {
            Some(at) => self.policies.get_mut(at),
            None => self
                .policies
                .last_mut()
                .filter(|last| same(last.limit, limit)),
        }
    }
}

/// Whether two limits are the same. Limits are whole numbers that were parsed as floats.
fn same(left: f64, right: f64) -> bool {
    (left - right).abs() < 0.5
}

/// The wait in seconds. The header gives it directly, or as a point in time: an HTTP date or a Unix time.
fn wait_of(text: &str, now: Option<f64>) -> Option<f64> {
    let until = match number(text) {
        Some(seconds) if !is_time_of_day(seconds) => return Some(seconds),
        Some(moment) if moment > 1e11 => moment / 1e3, // milliseconds
        Some(moment) => moment,
        None => unix_seconds(text)?,
    };
    Some((until - now?).max(0.0))
}

fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches('"');
    let plain = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let number: f64 = text.bytes().all(plain).then(|| text.parse().ok())??;
    (number.is_finite() && number < 1e15).then_some(number)
}

/// The items of a list, separated by commas outside of quotes.
fn items(line: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    line.split(move |letter| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    })
    .take(ITEMS_LIMIT)
    .map(str::trim)
    .filter(|item| !item.is_empty())
}

/// The text before the first semicolon, and the parameters after it.
fn parameters(item: &str) -> (&str, Vec<(&str, &str)>) {
    let mut parts = item.split(';');
    let head = parts.next().unwrap_or_default().trim();
    let pairs = parts
        .take(ITEMS_LIMIT)
        .map(|part| match part.split_once('=') {
            Some((key, value)) => (key.trim(), value.trim()),
            None => (part.trim(), ""),
        });
    (head, pairs.collect())
}

#[cfg(test)]
mod tests;
