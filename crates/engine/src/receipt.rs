//! Receive times: operations end when the kernel received the data, not when a busy worker reads it.

use std::cell::Cell;
use std::time::SystemTime;

use model::Nanos;
use probe::segments_out_of_order;
use stats::Histogram;
use wire::Stream;

use crate::clock::{Both, Clock};
use crate::world::World;

/// Read delays are recorded for one connection in `ONE_IN`. Each worker also records the first `ALWAYS` connections of
/// a level, so that small loads are measured too.
const ALWAYS: u64 = 4;
const ONE_IN: u64 = 16;

/// A timestamp that differs by more than this from the last check of the sockets is implausible, because somebody must
/// have set the machine's clock.
const IMPLAUSIBLE: Nanos = Nanos::from_secs(60);

/// A wait of at least this length included sleep. A wait that finds ready sockets at once is shorter.
const SLEPT: Nanos = Nanos::from_micros(20);

/// A sleeping thread runs within this time after the event that woke it, unless its CPU was busy or asleep.
const WAKES_WITHIN: Nanos = Nanos::from_millis(1);

/// The kernel makes bytes readable some microseconds after it takes their timestamp. A check of the sockets in between
/// does not find the bytes.
const ON_ITS_WAY: Nanos = Nanos::from_micros(20);

/// Minimum time between two queries for out-of-order segments. A query takes 60 µs, because the kernel writes several
/// hundred numbers for it.
const ORDER_KNOWN_FOR: Nanos = Nanos::from_millis(2);

/// Clock discipline (NTP) does not change the wall clock by this much between two checks of the sockets. A larger step
/// means that somebody set the clock.
const CLOCK_SET: Nanos = Nanos::from_millis(1);
/// After this time, all data that was waiting when the clock was set has been read.
const DISTRUST: Nanos = Nanos::from_secs(1);

/// The receive time of the bytes of one read, and its possible error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received {
    /// When the kernel received the last byte or, without a timestamp, when the bytes were read.
    pub(crate) at: Nanos,
    /// Maximum by which `at` may be too late, if the bytes are one message.
    error: Nanos,
    /// Whether the kernel's timestamp is implausible.
    implausible: bool,
    /// When the bytes were read; only on sampled connections.
    read: Option<Nanos>,
}

impl Received {
    /// Determines when the bytes that were just read from `stream` were received.
    pub(crate) fn from(stream: &Stream, sampled: bool, clock: &Clock, looks: &Looks) -> Self {
        let stamp = stream.arrival();
        let known = stamp.and_then(|stamp| looks.moment_of(clock, stamp));
        let read = (sampled || known.is_none()).then(|| clock.now());
        let (at, error) = match (known, read) {
            // If an earlier segment was lost, these bytes could not be read when they arrived, so their timestamp is
            // too early.
            (Some(moment), _)
                if moment + ON_ITS_WAY < looks.nothing_before
                    && looks.order.is_doubtful(looks.last) =>
            {
                let error = looks.apart.max(looks.nothing_before - moment);
                (looks.nothing_before, error)
            }
            (Some(moment), _) => (moment, looks.apart),
            // Without a timestamp, the bytes may have arrived at any time since the last check of the sockets.
            (None, Some(read)) => (read, read - looks.unseen_since),
            (None, None) => (Nanos::ZERO, Nanos::ZERO),
        };
        Self {
            at,
            error,
            implausible: stamp.is_some() && known.is_none(),
            read: read.filter(|_| sampled),
        }
    }
}

/// Read delays and receive-time errors of one worker in one level, from its sampled connections.
#[derive(Clone, Debug, Default)]
pub(crate) struct Receipts {
    opened: u64,
    /// The times that data waited in the kernel before it was read. `None` until a connection is sampled, because a
    /// missing measurement is not 0.
    pub(crate) delays: Option<Histogram>,
    /// The receive-time errors: by how much receive times may be too late.
    pub(crate) errors: Option<Histogram>,
    /// Number of implausible timestamps.
    pub(crate) implausible: u64,
}

impl Receipts {
    /// Turns on timestamps for a new connection, and decides whether it is sampled.
    pub(crate) fn admit(&mut self, stream: &mut Stream) -> bool {
        let number = self.opened;
        self.opened += 1;
        // Without timestamps the delay is not measured, and the record says so.
        let stamped = stream.stamp_arrivals().is_ok();
        let sampled = stamped && (number < ALWAYS || number.is_multiple_of(ONE_IN));
        if sampled {
            self.delays.get_or_insert_default();
            self.errors.get_or_insert_default();
        }
        sampled
    }
}

/// Whether TCP segments arrived out of order on any connection since the worker started.
#[derive(Debug, Default)]
struct Order {
    at_start: Option<u64>,
    /// The time of the last query that found no segment out of order.
    kept_at: Cell<Nanos>,
    is_lost: Cell<bool>,
}

impl Order {
    fn start() -> Self {
        Self {
            at_start: segments_out_of_order(),
            ..Self::default()
        }
    }

    /// Queries the kernel only when a timestamp is older than expected.
    fn is_doubtful(&self, look: Nanos) -> bool {
        // Once true, the result never changes, because the kernel does not report which connections are affected.
        if self.is_lost.get() || look - self.kept_at.get() < ORDER_KNOWN_FOR {
            return self.is_lost.get();
        }
        let now = segments_out_of_order();
        self.is_lost.set(now.is_none() || now != self.at_start);
        self.kept_at.set(look);
        self.is_lost.get()
    }
}

/// Bounds of the receive time of data that is read now, from the times at which the worker checked its sockets.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    order: Order,
    last: Nanos,
    /// Data that is read now may have waited since this time, but not for longer.
    unseen_since: Nanos,
    /// Data that is read now was probably not readable before this time. If it was received earlier, and in order, it
    /// waited for the worker.
    nothing_before: Nanos,
    /// Whether the last check may have missed sockets that were ready.
    saw_a_part: bool,
    wall_ahead: Option<i64>,
    /// Maximum by which a converted timestamp may be too late.
    apart: Nanos,
    /// Timestamps are not trusted before this time, because somebody has set the machine's clock, which the kernel uses
    /// for timestamps.
    trusted_from: Nanos,
}

impl Looks {
    pub(crate) fn start() -> Self {
        Self {
            order: Order::start(),
            ..Self::default()
        }
    }

    /// Records a wait from `before` to the readings in `after`. `sees_a_part`: more sockets may be ready than were
    /// reported.
    pub(crate) fn waited(&mut self, before: Nanos, after: Both, sees_a_part: bool) {
        // Data that is read after a partial check may have been ready before that check, so the older bounds stay.
        if !self.saw_a_part {
            let slept = after.now - before >= SLEPT;
            self.unseen_since = if slept { after.now } else { self.last };
            self.nothing_before = if slept {
                after.now - WAKES_WITHIN
            } else {
                self.last
            };
        }
        self.saw_a_part = sees_a_part;
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

    /// Converts a timestamp of the kernel into the run's time. `None` if it is implausible.
    fn moment_of(&self, clock: &Clock, stamp: SystemTime) -> Option<Nanos> {
        let moment = clock.moment_of(stamp, self.wall_ahead?)?;
        let near = moment - self.last < IMPLAUSIBLE && self.last - moment < IMPLAUSIBLE;
        (near && self.last >= self.trusted_from).then_some(moment)
    }
}

impl World {
    /// Counts a read that contained `messages` messages, or parts of them.
    ///
    /// All messages of a read have the timestamp of the last message. If there are several, the first message may have
    /// waited since the worker's previous check of the sockets.
    pub(crate) fn note_received(&mut self, received: Received, messages: usize) {
        let Some(read) = received.read.filter(|&read| self.level.hold.contains(read)) else {
            return;
        };
        let receipts = &mut self.level.recorder.receipts;
        receipts.implausible += u64::from(received.implausible);
        let first = if messages > 1 {
            received.at.min(self.looks.unseen_since)
        } else {
            received.at - received.error
        };
        let error = received.error.max(received.at - first);
        receipts.delays.get_or_insert_default().record(read - first);
        receipts.errors.get_or_insert_default().record(error);
    }

    /// Counts the end of a connection. The end may complete a response, but has no timestamp.
    pub(crate) fn note_closed(&mut self, sampled: bool) {
        let now = self.clock.now();
        if sampled && self.level.hold.contains(now) {
            let error = now - self.looks.unseen_since;
            let receipts = &mut self.level.recorder.receipts;
            receipts.errors.get_or_insert_default().record(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn looked(looks: &mut Looks, at_ms: u64, wall_ahead: i64) {
        let reading = Both {
            now: Nanos::from_millis(at_ms),
            wall_ahead: Some(wall_ahead),
            apart: Nanos(100),
        };
        looks.waited(reading.now, reading, false);
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

    #[test]
    fn what_could_not_be_read_at_the_last_look_was_received_after_it() {
        let mut looks = Looks::default();
        let wait = |looks: &mut Looks, from_ms, to_ms, sees_a_part| {
            let after = Both {
                now: Nanos::from_millis(to_ms),
                wall_ahead: Some(0),
                apart: Nanos(100),
            };
            looks.waited(Nanos::from_millis(from_ms), after, sees_a_part);
            looks.nothing_before
        };
        let ms = Nanos::from_millis;
        assert_eq!(
            wait(&mut looks, 5, 400, false),
            ms(399),
            "it was woken by what came"
        );
        assert_eq!(wait(&mut looks, 402, 402, true), ms(400));
        assert_eq!(
            wait(&mut looks, 410, 410, false),
            ms(400),
            "some of it was there at 402"
        );
    }

    #[test]
    fn the_order_is_asked_now_and_then_and_lost_for_good() {
        let order = Order {
            at_start: segments_out_of_order(),
            ..Order::default()
        };
        let ms = Nanos::from_millis;
        assert!(!order.is_doubtful(ms(2)), "nothing is lost on the loopback");
        let order = Order {
            at_start: segments_out_of_order().map(|count| count + 1),
            ..order
        };
        assert!(!order.is_doubtful(ms(3)), "known since a moment ago");
        assert!(order.is_doubtful(ms(4)));
        assert!(order.is_doubtful(ms(3)));
    }

    #[test]
    fn what_a_look_did_not_see_has_waited_since_the_one_before() {
        let mut looks = Looks::default();
        let mut wait = |from_ms, to_ms, sees_a_part| {
            let reading = Both {
                now: Nanos::from_millis(to_ms),
                wall_ahead: Some(0),
                apart: Nanos(100),
            };
            looks.waited(Nanos::from_millis(from_ms), reading, sees_a_part);
            looks.unseen_since
        };
        let ms = Nanos::from_millis;
        assert_eq!(wait(5, 10, false), ms(10), "it slept until something came");
        assert_eq!(wait(12, 12, true), ms(10), "it was busy since");
        assert_eq!(
            wait(14, 14, true),
            ms(10),
            "there was more at the last look"
        );
        assert_eq!(wait(16, 16, false), ms(10), "and at this one");
        assert_eq!(wait(18, 18, false), ms(16));
    }
}
