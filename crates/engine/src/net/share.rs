//! Limits how much is read from one connection in one turn of the loop.
//!
//! A peer that sends without pause would otherwise keep the worker in one connection's read loop. The worker would read
//! no other connection, check no time limit, and receive no command from control. Reading once per turn limits the
//! number of bytes. This limit is not enough, because 256 KB can contain 128,000 frames, each of which wakes the
//! script. So the cost of large reads is measured. A connection that costs too much gets smaller reads until it is
//! cheap again.

use model::Nanos;

use crate::clock::Clock;

/// Size of the read buffer, in bytes. A worker has one buffer for all connections, so that an idle connection needs
/// none.
pub(super) const READ_BUFFER: usize = 256 * 1024;
/// Maximum time that one connection may take in a turn. Ordinary reads take far less time: 256 KB of a large body take
/// about 50 µs.
const TURN: Nanos = Nanos::from_micros(250);
/// Estimated time that the script needs for each wake in later turns.
const PER_WAKE: Nanos = Nanos::from_micros(5);
/// Reads up to this size, which are nearly all reads, are not timed. Even with the smallest frames, they take less than
/// `TURN`.
const UNTIMED: usize = 16 * 1024;
/// The smallest read, in bytes.
const LEAST: usize = 256;
/// If at least this many wakes wait for the script, a connection that costs too much is skipped. Otherwise its messages
/// would delay those of all other connections.
const SCRIPT_IS_BUSY: usize = 64;
/// A connection is skipped in at most this number of turns in a row.
const MOST_SKIPPED: u8 = 8;

/// The number of bytes that are read from one connection in one turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    bytes: u32,
    skipped: u8,
}

/// The start of a read that is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedRead {
    since: Nanos,
    /// Number of wakes that waited for the script.
    backlog: usize,
}

/// The cost of a read whose bytes have been handled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadCost {
    /// Time that the read took.
    pub(crate) took: Nanos,
    /// Number of wakes that the read caused. The script handles them later.
    pub(crate) wakes: usize,
}

impl TimedRead {
    pub(super) fn cost(self, backlog: usize, clock: &Clock) -> ReadCost {
        ReadCost {
            took: clock.now() - self.since,
            wakes: backlog.saturating_sub(self.backlog),
        }
    }
}

impl ReadCost {
    /// The time of the read and of its wakes. The time of the wakes is an estimate.
    pub(super) fn estimate(self) -> Nanos {
        self.took + Nanos(PER_WAKE.0 * self.wakes as u64)
    }
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
    pub(super) fn bytes(self) -> usize {
        self.bytes as usize
    }

    /// Starts to time a read of `count` bytes if its cost may matter.
    pub(super) fn time(self, count: usize, backlog: usize, clock: &Clock) -> Option<TimedRead> {
        (count > UNTIMED || self.is_cut()).then(|| TimedRead {
            since: clock.now(),
            backlog,
        })
    }

    /// Whether reads are limited, because they cost too much.
    pub(super) fn is_cut(self) -> bool {
        self.bytes() < READ_BUFFER
    }

    /// Whether the connection is skipped in this turn.
    pub(super) fn skips(&mut self, backlog: usize) -> bool {
        let skips = self.is_cut() && backlog >= SCRIPT_IS_BUSY && self.skipped < MOST_SKIPPED;
        self.skipped = if skips { self.skipped + 1 } else { 0 };
        skips
    }

    /// Adapts the size of reads after a read of `read` bytes took the time `cost`.
    pub(super) fn adapt(&mut self, read: usize, cost: Nanos) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_shrinks_to_what_fits_into_a_turn_and_grows_again() {
        let mut share = Share::default();
        share.adapt(READ_BUFFER, Nanos::from_millis(8));
        assert_eq!(share.bytes(), READ_BUFFER / 32);
        share.adapt(READ_BUFFER / 32, Nanos::from_micros(200));
        assert_eq!(share.bytes(), READ_BUFFER / 32, "it fits");
        share.adapt(100, Nanos::ZERO);
        assert_eq!(share.bytes(), READ_BUFFER / 32, "it was not used up");
        for _ in 0..5 {
            share.adapt(share.bytes(), Nanos::from_micros(10));
        }
        assert!(!share.is_cut());
        share.adapt(READ_BUFFER, Nanos::from_secs(10));
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
