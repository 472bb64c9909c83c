//! Receive times: operations end when the kernel received the data, not when a busy worker reads it.

use std::cell::Cell;
use std::time::SystemTime;

use model::Nanos;
use probe::segments_out_of_order;
use wire::Stream;

use crate::clock::{Both, Clock};

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
    pub(crate) fn from(
        stream: &Stream,
        sampled: bool,
        clock: &Clock,
        poll_times: &PollTimes,
    ) -> Self {
        let stamp = stream.arrival();
        let known = stamp.and_then(|stamp| poll_times.moment_of(clock, stamp));
        let read = (sampled || known.is_none()).then(|| clock.now());
        let (at, error) = match (known, read) {
            // If an earlier segment was lost, these bytes could not be read when they arrived, so their timestamp is
            // too early.
            (Some(moment), _)
                if moment + ON_ITS_WAY < poll_times.nothing_before
                    && poll_times.order.is_doubtful(poll_times.last) =>
            {
                let error = poll_times.apart.max(poll_times.nothing_before - moment);
                (poll_times.nothing_before, error)
            }
            (Some(moment), _) => (moment, poll_times.apart),
            // Without a timestamp, the bytes may have arrived at any time since the last check of the sockets.
            (None, Some(read)) => (read, read - poll_times.unseen_since),
            (None, None) => (Nanos::ZERO, Nanos::ZERO),
        };
        Self {
            at,
            error,
            implausible: stamp.is_some() && known.is_none(),
            read: read.filter(|_| sampled),
        }
    }

    /// The read delay of these bytes, which contained `messages` messages, or parts of them. `None` if the connection's
    /// read delays are not recorded.
    ///
    /// All messages of a read have the timestamp of the last message. If there are several, the first message may have
    /// waited since the worker's previous check of the sockets.
    pub(super) fn sample(self, messages: usize, poll_times: &PollTimes) -> Option<ReadSample> {
        let read = self.read?;
        let first = if messages > 1 {
            self.at.min(poll_times.unseen_since)
        } else {
            self.at - self.error
        };
        Some(ReadSample {
            read,
            delay: Some(read - first),
            error: self.error.max(self.at - first),
            implausible: self.implausible,
        })
    }
}

/// The read delay and the receive-time error of one read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSample {
    /// The time of the read.
    pub(crate) read: Nanos,
    /// The time that the data waited in the kernel. `None` for the end of a connection, which has no timestamp.
    pub(crate) delay: Option<Nanos>,
    /// Maximum by which the receive time may be too late.
    pub(crate) error: Nanos,
    /// Whether the kernel's timestamp is implausible.
    pub(crate) implausible: bool,
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
pub(crate) struct PollTimes {
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

impl PollTimes {
    pub(crate) fn start() -> Self {
        Self {
            order: Order::start(),
            ..Self::default()
        }
    }

    /// The time at which the last wait ended.
    pub(crate) fn last(&self) -> Nanos {
        self.last
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

    /// The receive-time error of the end of a connection that is read at `now`. The end may complete a response, but has
    /// no timestamp.
    pub(super) fn sample_of_end(&self, now: Nanos) -> ReadSample {
        ReadSample {
            read: now,
            delay: None,
            error: now - self.unseen_since,
            implausible: false,
        }
    }

    /// Converts a timestamp of the kernel into the run's time. `None` if it is implausible.
    fn moment_of(&self, clock: &Clock, stamp: SystemTime) -> Option<Nanos> {
        let moment = clock.moment_of(stamp, self.wall_ahead?)?;
        let near = moment - self.last < IMPLAUSIBLE && self.last - moment < IMPLAUSIBLE;
        (near && self.last >= self.trusted_from).then_some(moment)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn looked(poll_times: &mut PollTimes, at_ms: u64, wall_ahead: i64) {
        let reading = Both {
            now: Nanos::from_millis(at_ms),
            wall_ahead: Some(wall_ahead),
            apart: Nanos(100),
        };
        poll_times.waited(reading.now, reading, false);
    }

    #[test]
    fn a_moment_is_told_by_the_runs_clock_and_not_while_the_machines_was_just_set() {
        let before = SystemTime::now();
        let clock = Clock::start();
        let (after, minute) = (SystemTime::now(), Duration::from_mins(1));
        let mut poll_times = PollTimes::default();
        assert_eq!(
            poll_times.moment_of(&clock, before + minute),
            None,
            "not looked yet"
        );
        looked(&mut poll_times, 60_000, 0);
        let minute_later = poll_times.moment_of(&clock, before + minute).unwrap();
        let spent = Nanos::from(after.duration_since(before).unwrap());
        assert!(
            minute_later <= Nanos::from_secs(60) && Nanos::from_secs(60) - minute_later <= spent
        );
        looked(&mut poll_times, 60_001, 400_000);
        let disciplined = poll_times.moment_of(&clock, before + minute).unwrap();
        assert_eq!(minute_later - disciplined, Nanos(400_000));
        looked(&mut poll_times, 60_002, 50_000_000);
        assert_eq!(
            poll_times.moment_of(&clock, before + minute),
            None,
            "just set"
        );
        looked(&mut poll_times, 61_003, 50_000_000);
        assert!(poll_times.moment_of(&clock, before + minute).is_some());
    }

    #[test]
    fn a_moment_far_from_the_last_look_is_not_believed() {
        let clock = Clock::start();
        let mut poll_times = PollTimes::default();
        looked(&mut poll_times, 100_000, 0);
        for (seconds, believed) in [(30, false), (50, true), (150, true), (170, false)] {
            let stamp = SystemTime::now() + Duration::from_secs(seconds);
            assert_eq!(
                poll_times.moment_of(&clock, stamp).is_some(),
                believed,
                "{seconds}"
            );
        }
    }

    #[test]
    fn what_could_not_be_read_at_the_last_look_was_received_after_it() {
        let mut poll_times = PollTimes::default();
        let wait = |poll_times: &mut PollTimes, from_ms, to_ms, sees_a_part| {
            let after = Both {
                now: Nanos::from_millis(to_ms),
                wall_ahead: Some(0),
                apart: Nanos(100),
            };
            poll_times.waited(Nanos::from_millis(from_ms), after, sees_a_part);
            poll_times.nothing_before
        };
        let ms = Nanos::from_millis;
        assert_eq!(
            wait(&mut poll_times, 5, 400, false),
            ms(399),
            "it was woken by what came"
        );
        assert_eq!(wait(&mut poll_times, 402, 402, true), ms(400));
        assert_eq!(
            wait(&mut poll_times, 410, 410, false),
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
        let mut poll_times = PollTimes::default();
        let mut wait = |from_ms, to_ms, sees_a_part| {
            let reading = Both {
                now: Nanos::from_millis(to_ms),
                wall_ahead: Some(0),
                apart: Nanos(100),
            };
            poll_times.waited(Nanos::from_millis(from_ms), reading, sees_a_part);
            poll_times.unseen_since
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
