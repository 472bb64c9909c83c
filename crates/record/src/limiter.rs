use serde::{Deserialize, Serialize};

use crate::finding::LimitKey;

/// Figures of a rate limiter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateLimiter {
    /// Requests that pass per window, for each key.
    pub limit: Option<f64>,
    /// Whether the target states the limit; otherwise it was counted.
    pub limit_stated: bool,
    /// Length of the window in seconds.
    pub window_s: Option<f64>,
    /// Whether the target states the window; otherwise it was observed.
    pub window_stated: bool,
    /// Lower bound of the window in seconds, if the length of the window is unknown.
    pub window_at_least_s: Option<f64>,
    /// Possible keys by which the limiter counts. A single one if the key is known.
    pub per: Vec<LimitKey>,
    /// Algorithm. `None` if unknown.
    pub kind: Option<LimiterKind>,
    /// Requests that passed per second while others were refused.
    pub rate_per_s: Option<f64>,
    /// Number of requests that passed at the beginning beyond that rate.
    pub burst: f64,
    /// Number of keys that shared the passed requests. 1 if the key is unknown.
    pub keys: f64,
}

/// Algorithm of a rate limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimiterKind {
    /// Windows begin by the clock.
    FixedWindow,
    /// Each request counts for the length of one window.
    SlidingWindow,
    /// A bucket of requests that is refilled at a steady rate.
    TokenBucket,
}
