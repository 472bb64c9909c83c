//! Adds up the statistics of responses with status 429, in bounded memory.

use record::{Limited, LimitedBin, PerAddress, StatedLimit};
use serde::{Deserialize, Serialize};

/// Maximum number of time bins. When there are more, the length of each bin doubles.
const BINS_LIMIT: u32 = 1200;
/// Initial length of a bin, in seconds.
const BIN_S: f64 = 0.1;
/// Maximum number of stated limits, of request names and of reset times. Further ones are omitted.
const KEPT: usize = 32;
/// Maximum number of source addresses counted separately.
const ADDRESSES_KEPT: usize = 256;

/// The statistics of one worker, and of all workers when they are merged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LimitedSamples {
    totals: Limited,
}

impl LimitedSamples {
    pub(crate) fn totals(&self) -> &Limited {
        &self.totals
    }

    /// The statistics as they are saved. `None` without a 429.
    pub(crate) fn into_record(self) -> Option<Limited> {
        Some(self.totals).filter(|totals| totals.count > 0)
    }

    /// Counts a 429 at `at_s`. `passed` is the number of requests that have ended without a 429 so far. Returns the
    /// number of 429s in the same time bin.
    pub(crate) fn note(&mut self, at_s: f64, passed: u64) -> u64 {
        if self.totals.count == 0 {
            self.totals.first_s = at_s;
            self.totals.bin_s = BIN_S;
        }
        let more = passed.saturating_sub(self.totals.passed);
        self.totals.count += 1;
        self.totals.passed = self.totals.passed.max(passed);
        self.totals.last_s = self.totals.last_s.max(at_s);
        let at = self.place(at_s);
        let bin = match self.totals.bins.last_mut() {
            Some(last) if last.at >= at => last,
            _ => {
                self.totals.bins.push(LimitedBin {
                    at,
                    ..LimitedBin::default()
                });
                let last = self.totals.bins.len() - 1;
                &mut self.totals.bins[last]
            }
        };
        bin.limited += 1;
        bin.passed += more;
        bin.turns += u64::from(more > 0);
        bin.limited
    }

    /// Counts a 429 under the name of its request.
    pub(crate) fn note_name(&mut self, name: &str) {
        if let Some(count) = self.totals.names.get_mut(name) {
            *count += 1;
        } else if self.totals.names.len() < KEPT {
            self.totals.names.insert(name.to_owned(), 1);
        }
    }

    /// Whether a request of this name was refused.
    pub(crate) fn has_refused(&self, name: &str) -> bool {
        self.totals.names.contains_key(name)
    }

    /// Counts a limit that a header stated.
    pub(crate) fn note_stated(&mut self, stated: &StatedLimit) {
        let same = |known: &&mut StatedLimit| {
            known.header == stated.header
                && known.limit.to_bits() == stated.limit.to_bits()
                && known.window_s.map(f64::to_bits) == stated.window_s.map(f64::to_bits)
        };
        if let Some(known) = self.totals.stated.iter_mut().find(same) {
            known.count += stated.count;
            known.spent += stated.spent;
            known.partitioned |= stated.partitioned;
        } else if self.totals.stated.len() < KEPT {
            self.totals.stated.push(stated.clone());
        }
    }

    /// Counts a response at `at_s` that stated a wait of `wait_s` seconds.
    pub(crate) fn note_wait(&mut self, at_s: f64, wait_s: f64) {
        self.totals.told_to_wait += 1;
        self.totals.longest_wait_s = self.totals.longest_wait_s.max(wait_s);
        self.note_free(at_s + wait_s);
    }

    /// Counts a time at which a limit resets. Headers round up to whole seconds, so times within 1.1 s count as the
    /// same, and the earliest is kept.
    fn note_free(&mut self, at_s: f64) {
        let near = |known: &&mut f64| (**known - at_s).abs() <= 1.1;
        if let Some(known) = self.totals.free_at_s.iter_mut().find(near) {
            *known = known.min(at_s);
        } else if self.totals.free_at_s.len() < KEPT {
            self.totals.free_at_s.push(at_s);
        }
    }

    /// Adds the counts of a user who received a 429.
    pub(crate) fn add_user(&mut self, passed: u64, limited: u64) {
        self.totals.users.add(passed, limited);
    }

    /// Adds the counts of a source address.
    pub(crate) fn add_address(&mut self, new: &PerAddress) {
        let known = self
            .totals
            .addresses
            .iter_mut()
            .find(|known| known.address == new.address);
        if let Some(known) = known {
            known.users += new.users;
            known.passed += new.passed;
            known.limited += new.limited;
        } else if self.totals.addresses.len() < ADDRESSES_KEPT {
            self.totals.addresses.push(new.clone());
        }
    }

    /// Completes the statistics when the level ends. `passed` is the number of requests that ended without a 429.
    pub(crate) fn close(&mut self, end_s: f64, passed: u64) {
        self.totals.end_s = end_s;
        self.totals.passed_after = passed.saturating_sub(self.totals.passed);
        self.totals.passed = self.totals.passed.max(passed);
    }

    /// Adds the statistics of another worker. A worker without a 429 contributes only its passed requests.
    pub(crate) fn merge(&mut self, mut other: Self) {
        if self.totals.count == 0 {
            std::mem::swap(self, &mut other);
        }
        if other.totals.count > 0 {
            self.totals.first_s = self.totals.first_s.min(other.totals.first_s);
            while other.totals.bin_s < self.totals.bin_s {
                other.coarsen();
            }
            while self.totals.bin_s < other.totals.bin_s {
                self.coarsen();
            }
        }
        self.totals.count += other.totals.count;
        self.totals.passed += other.totals.passed;
        self.totals.passed_after += other.totals.passed_after;
        self.totals.last_s = self.totals.last_s.max(other.totals.last_s);
        self.totals.end_s = self.totals.end_s.max(other.totals.end_s);
        self.totals.bins.append(&mut other.totals.bins);
        self.join_bins();
        for (name, count) in other.totals.names {
            *self.totals.names.entry(name).or_default() += count;
        }
        for stated in &other.totals.stated {
            self.note_stated(stated);
        }
        self.totals.told_to_wait += other.totals.told_to_wait;
        self.totals.longest_wait_s = self.totals.longest_wait_s.max(other.totals.longest_wait_s);
        for at_s in other.totals.free_at_s {
            self.note_free(at_s);
        }
        self.totals.users.merge(&other.totals.users);
        for address in &other.totals.addresses {
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
            let at = (at_s.max(0.0) / self.totals.bin_s) as u32;
            if at < BINS_LIMIT {
                return at;
            }
            self.coarsen();
        }
    }

    fn coarsen(&mut self) {
        self.totals.bin_s *= 2.0;
        for bin in &mut self.totals.bins {
            bin.at /= 2;
        }
        self.join_bins();
    }

    /// Sorts the bins, and merges those with the same index.
    fn join_bins(&mut self) {
        self.totals.bins.sort_by_key(|bin| bin.at);
        self.totals.bins.dedup_by(|next, kept| {
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

#[cfg(test)]
mod tests;
