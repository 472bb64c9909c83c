use serde::{Deserialize, Serialize};

use crate::finding::LimitKey;

/// The figures of a rate limiter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateLimiter {
    /// Requests that pass per window, for each key.
    pub limit: Option<f64>,
    /// The target states the limit; else it was counted.
    pub limit_stated: bool,
    /// The length of the window in seconds.
    pub window_s: Option<f64>,
    /// The target states the window; else it was observed.
    pub window_stated: bool,
    /// Where its length is not known: the window is longer than this, in seconds.
    pub window_at_least_s: Option<f64>,
    /// What it may keep a count for; one where that is known.
    pub per: Vec<LimitKey>,
    /// How it counts; `None` where that is not known.
    pub kind: Option<LimiterKind>,
    /// Requests that passed per second while others were refused.
    pub rate_per_s: Option<f64>,
    /// How many more passed at the beginning than the rate explains.
    pub burst: f64,
    /// Among how many keys what passed was shared; 1 where the key is not known.
    pub keys: f64,
}

/// How a rate limiter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimiterKind {
    /// Windows begin by the clock.
    FixedWindow,
    /// Each request counts for one window's length.
    SlidingWindow,
    /// A bucket of requests that is refilled at a steady rate.
    TokenBucket,
}
