//! When the kernel received what is read: every time ends there, and not where a busy worker comes to read it.

use std::time::SystemTime;

use model::Nanos;
use stats::Histogram;
use wire::Stream;

use crate::clock::{Clock, Reading};
use crate::world::World;

/// Of a worker's connections in a level, these tell the arrival of their first bytes too: the first few, that small
/// loads are measured too, and then one in so many, because that needs a second system call for each read.
const ALWAYS: u64 = 4;
const ONE_IN: u64 = 16;

/// What is read now came at most so long before or after the last look; else somebody has set the machine's clock.
const IMPLAUSIBLE: Nanos = Nanos::from_secs(60);

/// A wait that takes so long has slept, and one that finds something ready has not.
const SLEPT: Nanos = Nanos::from_micros(20);

/// A clock that is merely disciplined does not move so far between two looks.
const CLOCK_SET: Nanos = Nanos::from_millis(1);
/// What waits to be read when the clock is set has been read after this time.
const DISTRUST: Nanos = Nanos::from_secs(1);

/// The moment at which the bytes of one read were received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receipt {
    /// When the kernel received the last of them; when they were read, where it does not say.
    pub(crate) at: Nanos,
    stamped: bool,
    /// On a sample of the connections.
    first: Option<FirstByte>,
}

/// When the kernel received the first of the bytes, and when they were read.
#[derive(Clone, Copy, Debug)]
struct FirstByte {
    /// `None` where the stamp cannot be true.
    at: Option<Nanos>,
    read: Nanos,
}

impl Receipt {
    /// Of what was just read from `stream`.
    pub(crate) fn of(stream: &Stream, clock: &Clock, looks: &Looks) -> Self {
        let last = stream
            .arrival()
            .and_then(|stamp| looks.moment_of(clock, stamp));
        let first = stream.first_arrival();
        let read = || clock.now();
        Self {
            at: last.unwrap_or_else(read),
            stamped: last.is_some(),
            first: first.map(|stamp| FirstByte {
                at: looks.moment_of(clock, stamp),
                read: read(),
            }),
        }
    }
}

/// What the sampled connections of one worker and level tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadDelay {
    opened: u64,
    /// How long what arrived lay in the kernel before it was read; `None` until a connection is sampled: nothing
    /// measured is not zero.
    pub(crate) delays: Option<Histogram>,
    /// By how much the moment of receipt may be too late.
    pub(crate) errors: Option<Histogram>,
    /// Stamps that cannot be true beside the clock.
    pub(crate) implausible: u64,
}

impl ReadDelay {
    /// Has a new connection stamped, and decides whether it is sampled. Over TLS none is.
    pub(crate) fn admit(&mut self, stream: &mut Stream) {
        if stream.is_secured() {
            // A kernel that gives no stamps leaves the moment of reading.
            let _ = stream.stamp_arrivals();
            return;
        }
        let number = self.opened;
        self.opened += 1;
        let sampled = number < ALWAYS || number.is_multiple_of(ONE_IN);
        let asked = if sampled {
            stream.stamp_first_arrivals()
        } else {
            stream.stamp_arrivals()
        };
        // A kernel that gives no stamps leaves the delay unmeasured, which the record then says.
        if sampled && asked.is_ok() {
            self.delays.get_or_insert_default();
            self.errors.get_or_insert_default();
        }
    }
}

/// When the worker looked at its sockets.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Looks {
    last: Nanos,
    /// What is read now may have lain there since, and not for longer.
    unseen_since: Nanos,
    wall_ahead: Option<i64>,
    /// So much too late may a moment be by it.
    apart: Nanos,
    /// Before this somebody had set the machine's clock, by which the kernel stamps.
    trusted_from: Nanos,
}

impl Looks {
    /// The worker waited from `before` to what the clocks said after it.
    pub(crate) fn waited(&mut self, before: Nanos, after: Reading) {
        let slept = after.now - before >= SLEPT;
        self.unseen_since = if slept { after.now } else { self.last };
        self.last = after.now;
        let Some(ahead) = after.wall_ahead else {
            return;
        };
        self.apart = after.apart;
        let before = self.wall_ahead.replace(ahead).unwrap_or(ahead);
        if Nanos(before.abs_diff(ahead)) > CLOCK_SET {
            self.trusted_from = after.now + DISTRUST;
        }
    }

    /// The run's time of a moment that the kernel stamped. `None` if that cannot be true.
    fn moment_of(&self, clock: &Clock, stamp: SystemTime) -> Option<Nanos> {
        let moment = clock.moment_of(stamp, self.wall_ahead?)?;
        let near = moment - self.last < IMPLAUSIBLE && self.last - moment < IMPLAUSIBLE;
        (near && self.last >= self.trusted_from).then_some(moment)
    }
}

impl World {
    /// Counts a read that found so many messages.
    ///
    /// The kernel joins packets that wait under the stamp of the last of them. Where several messages came at once,
    /// the first may therefore have waited for as long as the worker did not look.
    pub(crate) fn note_receipt(&mut self, receipt: Receipt, messages: usize) {
        let Some(FirstByte { at, read }) = receipt.first else {
            return;
        };
        if !self.hold.contains(read) {
            return;
        }
        let sampled = &mut self.recorder.read_delay;
        let Some(mut first) = at else {
            sampled.implausible += 1;
            return;
        };
        let several = messages > 1;
        if several {
            first = first.min(self.looks.unseen_since);
        }
        let exact = receipt.stamped && !several;
        let error = if exact {
            self.looks.apart
        } else {
            receipt.at - first
        };
        sampled.delays.get_or_insert_default().record(read - first);
        sampled.errors.get_or_insert_default().record(error);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn looked(looks: &mut Looks, at_ms: u64, wall_ahead: i64) {
        let reading = Reading {
            now: Nanos::from_millis(at_ms),
            wall_ahead: Some(wall_ahead),
            apart: Nanos(100),
        };
        looks.waited(reading.now, reading);
    }

    #[test]
    fn a_moment_is_told_by_the_runs_clock_and_not_while_the_machines_was_just_set() {
        let before = SystemTime::now();
        let clock = Clock::start();
        let (after, minute) = (SystemTime::now(), Duration::from_mins(1));
        let mut looks = Looks::default();
        assert_eq!(
            looks.moment_of(&clock, before + minute),
            None,
            "not looked yet"
        );
        looked(&mut looks, 60_000, 0);
        let minute_later = looks.moment_of(&clock, before + minute).unwrap();
        let spent = Nanos::from(after.duration_since(before).unwrap());
        assert!(
            minute_later <= Nanos::from_secs(60) && Nanos::from_secs(60) - minute_later <= spent
        );
        looked(&mut looks, 60_001, 400_000);
        let disciplined = looks.moment_of(&clock, before + minute).unwrap();
        assert_eq!(minute_later - disciplined, Nanos(400_000));
        looked(&mut looks, 60_002, 50_000_000);
        assert_eq!(looks.moment_of(&clock, before + minute), None, "just set");
        looked(&mut looks, 61_003, 50_000_000);
        assert!(looks.moment_of(&clock, before + minute).is_some());
    }

    #[test]
    fn a_moment_far_from_the_last_look_is_not_believed() {
        let clock = Clock::start();
        let mut looks = Looks::default();
        looked(&mut looks, 100_000, 0);
        for (seconds, believed) in [(30, false), (50, true), (150, true), (170, false)] {
            let stamp = SystemTime::now() + Duration::from_secs(seconds);
            assert_eq!(
                looks.moment_of(&clock, stamp).is_some(),
                believed,
                "{seconds}"
            );
        }
    }
}
