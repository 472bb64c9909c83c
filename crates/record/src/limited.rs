use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Statistics of the responses with status 429 (too many requests): the evidence of a rate limiter.
///
/// The statistics cover the whole level, including ramp-up and warm-up, because a limiter counts those requests too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limited {
    /// Number of responses with status 429.
    pub count: u64,
    /// Number of requests that ended with another status or an error.
    pub passed: u64,
    /// Number of the passed requests that ended after the last 429.
    pub passed_after: u64,
    /// Time of the first 429, in seconds since the start of the level.
    pub first_s: f64,
    /// Time of the last 429, in seconds since the start of the level.
    pub last_s: f64,
    /// End of the level, in seconds since its start.
    pub end_s: f64,
    /// Length of each bin in `bins`, in seconds.
    pub bin_s: f64,
    /// Counts for each time bin. Bins without a 429 are missing.
    pub bins: Vec<LimitedBin>,
    /// Number of 429s for each request name.
    pub names: BTreeMap<String, u64>,
    /// Limits that response headers stated, with their counts.
    pub stated: Vec<StatedLimit>,
    /// Number of responses that stated how long to wait, in `Retry-After` or a reset header.
    pub told_to_wait: u64,
    /// The longest stated wait, in seconds.
    pub longest_wait_s: f64,
    /// Times at which the limits reset, in seconds since the start of the level.
    pub free_at_s: Vec<f64>,
    /// Statistics per user, over the users that received a 429 and whose responses were counted.
    pub users: PerKey,
    /// Counts for each source address. Empty with a single address.
    pub addresses: Vec<PerAddress>,
}

/// A time bin with 429s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitedBin {
    /// Index of the bin since the start of the level.
    pub at: u32,
    /// Number of responses with status 429.
    pub limited: u64,
    /// Number of requests that ended without a 429 since the previous 429.
    pub passed: u64,
    /// Number of 429s with at least one passed request between them and the previous 429.
    pub turns: u64,
}

/// A limit that response headers stated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedLimit {
    /// Name of the header, such as `RateLimit-Policy`.
    pub header: String,
    /// Number of requests that the limit allows.
    pub limit: f64,
    /// Length of the window in seconds, if stated.
    pub window_s: Option<f64>,
    /// Whether the server named a partition, which means that different requests count against different limits.
    pub partitioned: bool,
    /// Number of times that this limit was exhausted.
    pub spent: u64,
    /// Number of times that this limit was stated.
    pub count: u64,
}

/// Statistics per user or address, which show whether equally many requests passed for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerKey {
    /// Number of users or addresses.
    pub count: u64,
    /// Number of requests that passed.
    pub passed: Spread,
    /// Number of all requests.
    pub asked: Spread,
}

/// Summary of several numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Sum of the numbers.
    pub sum: f64,
    /// Sum of the squares.
    pub squares: f64,
    /// Smallest number.
    pub least: f64,
    /// Largest number.
    pub most: f64,
}

/// Counts of one source address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerAddress {
    /// The address.
    pub address: String,
    /// Number of users.
    pub users: u64,
    /// Number of requests that ended without a 429.
    pub passed: u64,
    /// Number of responses with status 429.
    pub limited: u64,
}

impl PerKey {
    /// Adds one user or address.
    pub fn add(&mut self, passed: u64, limited: u64) {
        let first = self.count == 0;
        self.count += 1;
        self.passed.add(passed as f64, first);
        self.asked.add((passed + limited) as f64, first);
    }

    /// Adds users or addresses that were counted separately.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        self.count += other.count;
        self.passed.merge(&other.passed);
        self.asked.merge(&other.asked);
    }
}

impl Spread {
    fn add(&mut self, value: f64, first: bool) {
        self.sum += value;
        self.squares += value * value;
        self.least = if first { value } else { self.least.min(value) };
        self.most = self.most.max(value);
    }

    fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.squares += other.squares;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    /// Returns the standard deviation of `count` values as a share of their mean.
    pub fn variation(&self, count: u64) -> Option<f64> {
        let mean = self.sum / count as f64;
        let variance = (self.squares / count as f64 - mean * mean).max(0.0);
        (count > 1 && mean > 0.0).then(|| variance.sqrt() / mean)
    }
}
