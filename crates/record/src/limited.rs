use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Maximum number of time bins. When there are more, the length of each bin doubles.
const BINS_LIMIT: u32 = 1200;
/// Initial length of a bin, in seconds.
const BIN_S: f64 = 0.1;
/// Maximum number of stated limits, of request names and of reset times. Further ones are omitted.
const KEPT: usize = 32;
/// Maximum number of source addresses counted separately.
const ADDRESSES_KEPT: usize = 256;

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

impl Limited {
    /// Counts a 429 at `at_s`. `passed` is the number of requests that have ended without a 429 so far.
    pub fn note(&mut self, at_s: f64, passed: u64) {
        if self.count == 0 {
            self.first_s = at_s;
            self.bin_s = BIN_S;
        }
        let more = passed.saturating_sub(self.passed);
        self.count += 1;
        self.passed = self.passed.max(passed);
        self.last_s = self.last_s.max(at_s);
        let at = self.place(at_s);
        let bin = match self.bins.last_mut() {
            Some(last) if last.at >= at => last,
            _ => {
                self.bins.push(LimitedBin {
                    at,
                    ..LimitedBin::default()
                });
                let last = self.bins.len() - 1;
                &mut self.bins[last]
            }
        };
        bin.limited += 1;
        bin.passed += more;
        bin.turns += u64::from(more > 0);
    }

    /// Counts a 429 under the name of its request.
    pub fn note_name(&mut self, name: &str) {
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
        } else if self.names.len() < KEPT {
            self.names.insert(name.to_owned(), 1);
        }
    }

    /// Counts a limit that a header stated.
    pub fn note_stated(&mut self, stated: &StatedLimit) {
        let same = |known: &&mut StatedLimit| {
            known.header == stated.header
                && known.limit.to_bits() == stated.limit.to_bits()
                && known.window_s.map(f64::to_bits) == stated.window_s.map(f64::to_bits)
        };
        if let Some(known) = self.stated.iter_mut().find(same) {
            known.count += stated.count;
            known.spent += stated.spent;
            known.partitioned |= stated.partitioned;
        } else if self.stated.len() < KEPT {
            self.stated.push(stated.clone());
        }
    }

    /// Counts a response at `at_s` that stated a wait of `wait_s` seconds.
    pub fn note_wait(&mut self, at_s: f64, wait_s: f64) {
        self.told_to_wait += 1;
        self.longest_wait_s = self.longest_wait_s.max(wait_s);
        self.note_free(at_s + wait_s);
    }

    /// Counts a time at which a limit resets. Headers round up to whole seconds, so times within 1.1 s count as the
    /// same, and the earliest is kept.
    fn note_free(&mut self, at_s: f64) {
        let near = |known: &&mut f64| (**known - at_s).abs() <= 1.1;
        if let Some(known) = self.free_at_s.iter_mut().find(near) {
            *known = known.min(at_s);
        } else if self.free_at_s.len() < KEPT {
            self.free_at_s.push(at_s);
        }
    }

    /// Adds the counts of a source address.
    pub fn add_address(&mut self, new: &PerAddress) {
        let known = self
            .addresses
            .iter_mut()
            .find(|known| known.address == new.address);
        if let Some(known) = known {
            known.users += new.users;
            known.passed += new.passed;
            known.limited += new.limited;
        } else if self.addresses.len() < ADDRESSES_KEPT {
            self.addresses.push(new.clone());
        }
    }

    /// Completes the statistics when the level ends. `passed` is the number of requests that ended without a 429.
    pub fn close(&mut self, end_s: f64, passed: u64) {
        self.end_s = end_s;
        self.passed_after = passed.saturating_sub(self.passed);
        self.passed = self.passed.max(passed);
    }

    /// Adds the statistics of another worker. A worker without a 429 contributes only its passed requests.
    pub fn merge(&mut self, mut other: Self) {
        if self.count == 0 {
            std::mem::swap(self, &mut other);
        }
        if other.count > 0 {
            self.first_s = self.first_s.min(other.first_s);
            while other.bin_s < self.bin_s {
                other.coarsen();
            }
            while self.bin_s < other.bin_s {
                self.coarsen();
            }
        }
        self.count += other.count;
        self.passed += other.passed;
        self.passed_after += other.passed_after;
        self.last_s = self.last_s.max(other.last_s);
        self.end_s = self.end_s.max(other.end_s);
        self.bins.append(&mut other.bins);
        self.join_bins();
        for (name, count) in other.names {
            *self.names.entry(name).or_default() += count;
        }
        for stated in &other.stated {
            self.note_stated(stated);
        }
        self.told_to_wait += other.told_to_wait;
        self.longest_wait_s = self.longest_wait_s.max(other.longest_wait_s);
        for at_s in other.free_at_s {
            self.note_free(at_s);
        }
        self.users.merge(&other.users);
        for address in &other.addresses {
            self.add_address(address);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level lasts weeks at most, and begins at zero"
    )]
    fn place(&mut self, at_s: f64) -> u32 {
        loop {
            let at = (at_s.max(0.0) / self.bin_s) as u32;
            if at < BINS_LIMIT {
                return at;
            }
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        self.bin_s *= 2.0;
        for bin in &mut self.bins {
            bin.at /= 2;
        }
        self.join_bins();
    }

    /// Sorts the bins, and merges those with the same index.
    fn join_bins(&mut self) {
        self.bins.sort_by_key(|bin| bin.at);
        self.bins.dedup_by(|next, kept| {
            let same = next.at == kept.at;
            if same {
                kept.limited += next.limited;
                kept.passed += next.passed;
                kept.turns += next.turns;
            }
            same
        });
    }
}

impl PerKey {
    /// Adds one user or address.
    pub fn add(&mut self, passed: u64, limited: u64) {
        let first = self.count == 0;
        self.count += 1;
        self.passed.add(passed as f64, first);
        self.asked.add((passed + limited) as f64, first);
    }

    fn merge(&mut self, other: &Self) {
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

#[cfg(test)]
mod tests;
