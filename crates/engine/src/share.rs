//! How much is read of one connection in one turn of the loop.
//!
//! A peer that sends without pause would otherwise keep the worker in one connection's read loop: no other connection
//! is read, no time limit is looked at, no command of control is heard. One read per turn bounds the bytes; the bytes
//! alone bound nothing, since 256 KB can be 128,000 frames that each wake the script. So what a large read costs is
//! timed, and a connection that costs too much gets smaller reads until it is cheap again.

use model::Nanos;
use record::IssueCause;

use crate::world::{READ_BUFFER, World};

/// What one connection may take of a turn. Ordinary reads stay far below it: 256 KB of a large body cost some 50 µs.
const TURN: Nanos = Nanos::from_micros(250);
/// What each wake will take of later turns, in the script.
const PER_WAKE: Nanos = Nanos::from_micros(5);
/// Reads up to this size are not timed, as nearly all are: they take less than a turn even of the smallest frames.
const UNTIMED: usize = 16 * 1024;
const LEAST: usize = 256;
/// While the script has so much to do, a connection that costs too much waits, so that its messages do not stand in
/// line before those of all others.
const SCRIPT_IS_BUSY: usize = 64;
/// Percent of the measured time that such connections may take without being told of.
const WORTH_TELLING: f64 = 20.0;
/// But it waits for no more turns than these.
const MOST_SKIPPED: u8 = 8;

/// The bytes of one connection that are read in one turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    bytes: u32,
    skipped: u8,
}

/// The beginning of a read that is timed.
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

    /// In bytes.
    pub(crate) fn bytes(self) -> usize {
        self.bytes as usize
    }

    fn is_cut(self) -> bool {
        self.bytes() < READ_BUFFER
    }

    /// Whether its turn is left out.
    pub(crate) fn skips(&mut self, wakes: usize) -> bool {
        let skips = self.is_cut() && wakes >= SCRIPT_IS_BUSY && self.skipped < MOST_SKIPPED;
        self.skipped = if skips { self.skipped + 1 } else { 0 };
        skips
    }

    /// `read` bytes cost so much.
    fn cost(&mut self, read: usize, cost: Nanos) {
        if cost > TURN {
            let share = read as u64 * TURN.0 / cost.0;
            *self = Self::of(usize::try_from(share).unwrap_or(LEAST));
        } else if read == self.bytes() && cost.0 * 2 < TURN.0 {
            *self = Self::of(self.bytes() * 2);
        }
    }
}

impl World {
    /// Whether what this read costs is to be known.
    pub(crate) fn time_read(&self, read: usize, share: Share) -> Option<Timed> {
        (read > UNTIMED || share.is_cut()).then(|| Timed {
            since: self.clock.now(),
            wakes: self.wakes.len(),
        })
    }

    /// The read is worked off.
    pub(crate) fn end_read(&mut self, key: u32, read: usize, timed: Timed) {
        let wakes = self.wakes.len().saturating_sub(timed.wakes) as u64;
        let now = self.clock.now();
        let cost = (now - timed.since) + Nanos(PER_WAKE.0 * wakes);
        let Some(conn) = self.conns.get_mut(key) else {
            return;
        };
        conn.share.cost(read, cost);
        if conn.share.is_cut() && self.hold.contains(now) {
            let endpoint = conn.endpoint;
            self.recorder.loud.spent += cost;
            if self.recorder.loud.first.is_none() {
                self.recorder.loud.first = Some(self.dials.label(endpoint));
            }
        }
    }
}

/// What connections that cost too much took of the measured time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loud {
    pub(crate) spent: Nanos,
    /// Where the first of them leads.
    pub(crate) first: Option<String>,
}

impl Loud {
    /// Of several workers, the one that lost most.
    pub(crate) fn merge(&mut self, other: Self) {
        if other.spent > self.spent {
            *self = other;
        }
    }

    /// An issue of the level, if they took enough of the measurement to change other figures.
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
