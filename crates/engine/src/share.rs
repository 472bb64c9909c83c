//! Limits how much is read from one connection in one turn of the loop.
//!
//! A peer that sends without pause would otherwise keep the worker in one connection's read loop. The worker would read
//! no other connection, check no time limit, and receive no command from control. Reading once per turn limits the
//! number of bytes. This limit is not enough, because 256 KB can contain 128,000 frames, each of which wakes the
//! script. So the cost of large reads is measured. A connection that costs too much gets smaller reads until it is
//! cheap again.

use model::Nanos;
use record::IssueCause;

use crate::world::{READ_BUFFER, World};

/// Maximum time that one connection may take in a turn. Ordinary reads take far less time: 256 KB of a large body take
/// about 50 µs.
const TURN: Nanos = Nanos::from_micros(250);
/// Estimated cost of each wake in later turns of the script.
const PER_WAKE: Nanos = Nanos::from_micros(5);
/// Reads up to this size, which are nearly all reads, are not timed. Even with the smallest frames, they take less than
/// `TURN`.
const UNTIMED: usize = 16 * 1024;
/// The smallest read, in bytes.
const LEAST: usize = 256;
/// If at least this many wakes wait for the script, a connection that costs too much is skipped. Otherwise its messages
/// would delay those of all other connections.
const SCRIPT_IS_BUSY: usize = 64;
/// Connections that cost too much are reported if they take more than this percentage of the measured time.
const WORTH_TELLING: f64 = 20.0;
/// A connection is skipped in at most this number of turns in a row.
const MOST_SKIPPED: u8 = 8;

/// The number of bytes that are read from one connection in one turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    bytes: u32,
    skipped: u8,
}

/// The start of a read that is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    since: Nanos,
    wakes: usize,
}

impl Default for Share {
    fn default() -> Self {
        Self::of(READ_BUFFER)
    }
}

impl Share {
    fn of(bytes: usize) -> Self {
        Self {
            bytes: u32::try_from(bytes.clamp(LEAST, READ_BUFFER)).unwrap_or(u32::MAX),
            skipped: 0,
        }
    }

    /// The largest read, in bytes.
    pub(crate) fn bytes(self) -> usize {
        self.bytes as usize
    }

    fn is_cut(self) -> bool {
        self.bytes() < READ_BUFFER
    }

    /// Whether the connection is skipped in this turn.
    pub(crate) fn skips(&mut self, wakes: usize) -> bool {
        let skips = self.is_cut() && wakes >= SCRIPT_IS_BUSY && self.skipped < MOST_SKIPPED;
        self.skipped = if skips { self.skipped + 1 } else { 0 };
        skips
    }

    /// Adapts the size of reads after a read of `read` bytes took the time `cost`.
    fn cost(&mut self, read: usize, cost: Nanos) {
        if cost > TURN {
            // Shrink in proportion, so that the next read costs about `TURN`.
            let share = read as u64 * TURN.0 / cost.0;
            *self = Self::of(usize::try_from(share).unwrap_or(LEAST));
        } else if read == self.bytes() && cost.0 * 2 < TURN.0 {
            // Only a full read that cost less than half of `TURN` shows that twice the size is affordable.
            *self = Self::of(self.bytes() * 2);
        }
    }
}

impl World {
    /// Starts to time a read whose cost may matter.
    pub(crate) fn time_read(&self, read: usize, share: Share) -> Option<Timed> {
        (read > UNTIMED || share.is_cut()).then(|| Timed {
            since: self.clock.now(),
            wakes: self.wakes.len(),
        })
    }

    /// Ends a timed read, whose bytes have been handled.
    pub(crate) fn end_read(&mut self, key: u32, read: usize, timed: Timed) {
        let wakes = self.wakes.len().saturating_sub(timed.wakes) as u64;
        let now = self.clock.now();
        let cost = (now - timed.since) + Nanos(PER_WAKE.0 * wakes);
        let Some(conn) = self.conns.get_mut(key) else {
            return;
        };
        conn.share.cost(read, cost);
        if conn.share.is_cut() && self.level.hold.contains(now) {
            let endpoint = conn.endpoint;
            self.level.recorder.loud.spent += cost;
            if self.level.recorder.loud.first.is_none() {
                self.level.recorder.loud.first = Some(self.connector.label(endpoint));
            }
        }
    }
}

/// The time within the measured time that was spent on connections that cost too much.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loud {
    pub(crate) spent: Nanos,
    /// The endpoint of the first connection that cost too much.
    pub(crate) first: Option<String>,
}

impl Loud {
    /// Keeps the larger loss: workers lose time in parallel, so losses do not add up.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.spent > self.spent {
            *self = other;
        }
    }

    /// An issue of the level, if connections that cost too much took enough time to change other figures.
    pub(crate) fn issue(&self, duration_s: f64) -> Option<IssueCause> {
        let spent_percent = self.spent.as_secs_f64() / duration_s * 100.0;
        let first = self
            .first
            .as_ref()
            .filter(|_| spent_percent > WORTH_TELLING)?;
        Some(IssueCause::SmallMessages {
            spent_percent,
            connection: first.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_shrinks_to_what_fits_into_a_turn_and_grows_again() {
        let mut share = Share::default();
        share.cost(READ_BUFFER, Nanos::from_millis(8));
        assert_eq!(share.bytes(), READ_BUFFER / 32);
        share.cost(READ_BUFFER / 32, Nanos::from_micros(200));
        assert_eq!(share.bytes(), READ_BUFFER / 32, "it fits");
        share.cost(100, Nanos::ZERO);
        assert_eq!(share.bytes(), READ_BUFFER / 32, "it was not used up");
        for _ in 0..5 {
            share.cost(share.bytes(), Nanos::from_micros(10));
        }
        assert!(!share.is_cut());
        share.cost(READ_BUFFER, Nanos::from_secs(10));
        assert_eq!(share.bytes(), LEAST);
    }

    #[test]
    fn only_who_costs_too_much_waits_for_the_script_and_not_for_ever() {
        let mut ordinary = Share::default();
        assert!(!ordinary.skips(100_000));
        let mut loud = Share::of(LEAST);
        assert!(!loud.skips(SCRIPT_IS_BUSY - 1));
        let skipped = (0..100).filter(|_| loud.skips(100_000)).count();
        assert_eq!(skipped, 89, "every ninth turn is its own");
    }
}
