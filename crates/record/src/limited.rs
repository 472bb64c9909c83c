use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The course of time is kept in at most so many pieces; then they become twice as long.
const BINS_LIMIT: u32 = 1200;
/// How long a piece is at first, in seconds.
const BIN_S: f64 = 0.1;
/// Policies, names and moments beyond so many are left out.
const KEPT: usize = 32;
/// Source addresses that are told apart.
const ADDRESSES_KEPT: usize = 256;

/// What the answers with status 429 (too many requests) were like: the evidence of a rate limiter. It covers the whole
/// level, ramp and warm-up included, because a limiter knows nothing of what is measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limited {
    /// Answers with that status.
    pub count: u64,
    /// Requests that ended otherwise.
    pub passed: u64,
    /// Of these, after the last 429.
    pub passed_after: u64,
    /// When the first and the last came, in seconds since the start of the level.
    pub first_s: f64,
    /// See `first_s`.
    pub last_s: f64,
    /// When the level was over.
    pub end_s: f64,
    /// How long a piece of `bins` is, in seconds.
    pub bin_s: f64,
    /// The course of time, without the pieces in which there were none.
    pub bins: Vec<LimitedBin>,
    /// 429s by the name of the request.
    pub names: BTreeMap<String, u64>,
    /// What the headers stated, each with how often.
    pub stated: Vec<StatedLimit>,
    /// Answers that said how long to wait, by `Retry-After` or a reset.
    pub told_to_wait: u64,
    /// The longest that was said, in seconds.
    pub longest_wait_s: f64,
    /// The moments at which something was to be free again, in seconds since the start of the level.
    pub free_at_s: Vec<f64>,
    /// By user, of those who got a 429 and whose answers were counted.
    pub users: PerKey,
    /// By source address, where there were several.
    pub addresses: Vec<PerAddress>,
}

/// A piece of time with answers of status 429.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitedBin {
    /// Which piece since the start of the level.
    pub at: u32,
    /// Answers with status 429.
    pub limited: u64,
    /// Requests that ended otherwise, since the last 429 before.
    pub passed: u64,
    /// How often a 429 came after something else.
    pub turns: u64,
}

/// A limit that headers stated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedLimit {
    /// The header: `RateLimit-Policy`.
    pub header: String,
    /// So many requests.
    pub limit: f64,
    /// In so many seconds, where that was said.
    pub window_s: Option<f64>,
    /// Whether the server named a partition: it is not for all together.
    pub partitioned: bool,
    /// How often it was the one that had nothing left.
    pub spent: u64,
    /// How often it was stated.
    pub count: u64,
}

/// What several users or addresses got, each: enough to tell whether they all got the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerKey {
    /// How many there are.
    pub count: u64,
    /// Of what was let through: the sum, the sum of squares, the least and the most.
    pub passed: Spread,
    /// The same of all that they asked for.
    pub asked: Spread,
}

/// Some numbers, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Their sum.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// What the users of one source address got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PerAddress {
    /// The address.
    pub address: String,
    /// Users.
    pub users: u64,
    /// Requests that ended otherwise than with a 429.
    pub passed: u64,
    /// Answers with status 429.
    pub limited: u64,
}

impl Limited {
    /// An answer with status 429 at `at_s`, before which `passed` requests had ended otherwise.
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

    /// Under which name it was asked.
    pub fn note_name(&mut self, name: &str) {
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
        } else if self.names.len() < KEPT {
            self.names.insert(name.to_owned(), 1);
        }
    }

    /// A limit that a header stated; `spent`: it has nothing left.
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

    /// An answer at `at_s` that said to wait so many seconds.
    pub fn note_wait(&mut self, at_s: f64, wait_s: f64) {
        self.told_to_wait += 1;
        self.longest_wait_s = self.longest_wait_s.max(wait_s);
        self.note_free(at_s + wait_s);
    }

    /// Headers count whole seconds: what is nearer than that is the same moment, and the earliest of them is kept, as
    /// rounding is upwards.
    fn note_free(&mut self, at_s: f64) {
        let near = |known: &&mut f64| (**known - at_s).abs() <= 1.1;
        if let Some(known) = self.free_at_s.iter_mut().find(near) {
            *known = known.min(at_s);
        } else if self.free_at_s.len() < KEPT {
            self.free_at_s.push(at_s);
        }
    }

    /// What the users of an address got.
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

    /// The level is over, after so many requests that ended otherwise.
    pub fn close(&mut self, end_s: f64, passed: u64) {
        self.end_s = end_s;
        self.passed_after = passed.saturating_sub(self.passed);
        self.passed = self.passed.max(passed);
    }

    /// Adds what another worker saw; one that saw no 429 adds what it let through.
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

    /// In order, and one for each piece of time.
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
    /// One more user or address.
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

    /// The standard deviation as a share of the mean, of `count` values.
    pub fn variation(&self, count: u64) -> Option<f64> {
        let mean = self.sum / count as f64;
        let variance = (self.squares / count as f64 - mean * mean).max(0.0);
        (count > 1 && mean > 0.0).then(|| variance.sqrt() / mean)
    }
}

#[cfg(test)]
mod tests;
