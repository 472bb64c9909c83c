use serde::{Deserialize, Serialize};

/// Figures of a rate limiter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateLimiter {
    /// Number of requests per key that pass in a window.
    pub limit: Option<f64>,
    /// Whether the target states the limit. Otherwise, headcount derived it by counting requests.
    pub limit_stated: bool,
    /// Length of the window in seconds.
    pub window_s: Option<f64>,
    /// Whether the target states the window. Otherwise, headcount derived it by observation.
    pub window_stated: bool,
    /// Lower bound of the window in seconds, if its exact length is unknown.
    pub window_at_least_s: Option<f64>,
    /// Keys by which the limiter may count; a single key if it is certain.
    pub per: Vec<LimitKey>,
    /// Algorithm. `None` if unknown.
    pub kind: Option<LimiterKind>,
    /// Requests that passed per second while others were refused.
    pub rate_per_s: Option<f64>,
    /// Number of requests beyond `rate_per_s` that passed at the beginning.
    pub burst: f64,
    /// Number of keys that shared the passed requests. 1 if the key is unknown.
    pub keys: f64,
}

/// Algorithm of a rate limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimiterKind {
    /// Windows begin at fixed times.
    FixedWindow,
    /// A request counts against the limit until one window length has passed.
    SlidingWindow,
    /// Each request takes a token from a bucket, which is refilled at a steady rate.
    TokenBucket,
}

/// Key by which a limiter counts requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKey {
    /// All requests count against one limit.
    All,
    /// Each source address has its own limit.
    Address,
    /// Each user has their own limit.
    User,
}
