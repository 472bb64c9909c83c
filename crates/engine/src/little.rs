//! Little's law: groups at work = iterations per second × time of one iteration. Both sides are measured separately.

use model::Nanos;
use record::Little;
use serde::{Deserialize, Serialize};

use crate::level::Span;

/// Minimum number of iterations. With fewer iterations, the mean time is too uncertain.
const LEAST_ITERATIONS: u64 = 100;
/// Maximum time of an iteration, as a share of the measured time. If iterations are longer, those at the edges
/// dominate.
const LONGEST_SHARE: f64 = 0.1;
/// Accepted relative difference between both sides of the law, after a correction for the edges.
const TOLERANCE: f64 = 0.03;

/// The number of groups at work over the measured time, and the time that their iterations took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct AtWork {
    count: u32,
    since: Nanos,
    /// Sum of the time that each group spent at work in the measured time, in group-seconds.
    area_s: f64,
    /// Number of iterations that ended in the measured time, or were in flight at its end.
    counted: u64,
    /// Sum of the times of the `counted` iterations, until their end or the end of the measured time.
    time_s: f64,
    /// The part of `time_s` that lies before the measured time.
    cut_s: f64,
    /// Whether the iterations in flight at the end have been counted.
    closed: bool,
}

impl AtWork {
    pub(crate) fn begins(&mut self, now: Nanos, hold: Span) {
        self.pass(now, hold);
        self.count += 1;
    }

    pub(crate) fn ends(&mut self, since: Nanos, now: Nanos, hold: Span) {
        self.pass(now, hold);
        self.count = self.count.saturating_sub(1);
        if hold.contains(now) {
            self.counts(since, now, hold);
        } else if now >= hold.end && !self.closed {
            self.counts(since, hold.end, hold);
        }
    }

    /// Ends the measured time. `running` has the start times of the iterations in flight. After this call, nothing more
    /// is counted.
    pub(crate) fn close(&mut self, now: Nanos, hold: Span, running: impl Iterator<Item = Nanos>) {
        self.pass(now, hold);
        running.for_each(|since| self.counts(since, hold.end, hold));
        self.closed = true;
    }

    /// Counts an iteration that ran from `since` to `until`. An iteration in flight at the end of the measured time
    /// counts with its age.
    fn counts(&mut self, since: Nanos, until: Nanos, hold: Span) {
        if since >= hold.end {
            return;
        }
        self.counted += 1;
        self.time_s += (until - since).as_secs_f64();
        self.cut_s += (hold.start - since).as_secs_f64();
    }

    /// Adds the group-seconds since the last call. Called before the number of groups at work changes.
    pub(crate) fn pass(&mut self, now: Nanos, hold: Span) {
        let from = self.since.max(hold.start);
        let to = now.min(hold.end);
        self.area_s += (to - from).as_secs_f64() * f64::from(self.count);
        self.since = now;
    }

    /// Adds the counts of another worker.
    pub(crate) fn merge(&mut self, other: Self) {
        self.area_s += other.area_s;
        self.counted += other.counted;
        self.time_s += other.time_s;
        self.cut_s += other.cut_s;
    }

    /// Both sides of the law; `None` if the level was too short for a comparison.
    pub(crate) fn law(&self, duration_s: f64) -> Option<Little> {
        if self.counted < LEAST_ITERATIONS || duration_s <= 0.0 {
            return None;
        }
        let time_s = self.time_s / self.counted as f64;
        if time_s > duration_s * LONGEST_SHARE {
            return None;
        }
        let at_work = self.area_s / duration_s;
        let per_s = self.counted as f64 / duration_s;
        let difference = (at_work - per_s * time_s).abs();
        Some(Little {
            at_work,
            per_s,
            time_s,
            // The time before the measured time is in only one side of the law, so it explains part of the difference.
            holds: difference <= at_work.max(per_s * time_s) * TOLERANCE + self.cut_s / duration_s,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLD: Span = Span {
        start: Nanos::from_secs(1),
        end: Nanos::from_secs(11),
    };

    /// One group that works for `work` out of every `period` milliseconds.
    fn one_group(work: u64, period: u64) -> AtWork {
        let mut at_work = AtWork::default();
        for start in (0..12_000).step_by(usize::try_from(period).unwrap()) {
            let (start, end) = (Nanos::from_millis(start), Nanos::from_millis(start + work));
            at_work.begins(start, HOLD);
            at_work.ends(start, end, HOLD);
        }
        at_work
    }

    #[test]
    fn a_group_that_works_half_of_the_time_is_half_a_group() {
        let law = one_group(20, 40).law(10.0).unwrap();
        assert!((law.at_work - 0.5).abs() < 0.01, "{law:?}");
        assert!((law.per_s * law.time_s - 0.5).abs() < 0.01, "{law:?}");
        assert!(law.holds);
    }

    #[test]
    fn a_few_that_take_much_longer_break_no_law() {
        let mut at_work = one_group(1, 50);
        let begun = Nanos::from_secs(8);
        (0..20).for_each(|_| at_work.begins(begun, HOLD));
        at_work.close(HOLD.end, HOLD, [begun; 20].into_iter());
        assert!(at_work.law(10.0).unwrap().holds);
    }

    #[test]
    fn what_ends_between_the_hold_and_its_closing_is_counted_once() {
        let mut at_work = one_group(1, 50);
        let begun = Nanos::from_secs(8);
        (0..20).for_each(|_| at_work.begins(begun, HOLD));
        let late = HOLD.end + Nanos::from_millis(50);
        (0..12).for_each(|_| at_work.ends(begun, late, HOLD));
        at_work.close(
            HOLD.end + Nanos::from_millis(100),
            HOLD,
            [begun; 8].into_iter(),
        );
        let later = HOLD.end + Nanos::from_secs(1);
        (0..8).for_each(|_| at_work.ends(begun, later, HOLD));
        // 200 iterations took 1 ms each, and 20 had run for 3 s.
        assert_eq!(at_work.counted, 220, "{at_work:?}");
        assert!((at_work.time_s - 60.2).abs() < 1e-9, "{at_work:?}");
        assert!(at_work.law(10.0).unwrap().holds);
    }

    #[test]
    fn iterations_in_flight_take_part_in_the_law() {
        let mut at_work = one_group(20, 40);
        let begun = HOLD.end - Nanos::from_millis(500);
        (0..250).for_each(|_| at_work.begins(begun, HOLD));
        at_work.close(HOLD.end, HOLD, [begun; 250].into_iter());
        let law = at_work.law(10.0).unwrap();
        // On average 13 groups were at work: half a group, plus 250 groups for 5 % of the time.
        assert!((law.at_work - 13.0).abs() < 0.05, "{law:?}");
        assert!((law.per_s * law.time_s - 13.0).abs() < 0.05, "{law:?}");
        assert!(law.holds);
    }

    #[test]
    fn iterations_that_were_not_counted_break_the_law() {
        let mut at_work = one_group(20, 40);
        at_work.counted -= 50;
        at_work.time_s -= 1.0;
        assert!(!at_work.law(10.0).unwrap().holds);
    }

    #[test]
    fn what_the_beginning_of_the_hold_cuts_off_is_allowed_for_and_no_more() {
        let mut at_work = one_group(1, 50);
        let begun = Nanos::ZERO;
        (0..20).for_each(|_| at_work.begins(begun, HOLD));
        let end = Nanos::from_millis(1_500);
        (0..20).for_each(|_| at_work.ends(begun, end, HOLD));
        // 20 of the 30 s of these iterations were before the measured time. The whole difference of 2 groups comes from
        // this cut.
        assert!(at_work.law(10.0).unwrap().holds, "{at_work:?}");
        at_work.time_s += 10.0;
        assert!(!at_work.law(10.0).unwrap().holds, "{at_work:?}");
    }

    #[test]
    fn workers_together_obey_the_law_that_each_obeys() {
        let mut both = one_group(20, 40);
        both.merge(one_group(20, 80));
        let law = both.law(10.0).unwrap();
        // Groups at work: 0.5 + 0.25. Iterations per second: 25 + 12.5.
        assert!((law.at_work - 0.75).abs() < 0.01, "{law:?}");
        assert!((law.per_s - 37.5).abs() < 0.5, "{law:?}");
        assert!((law.time_s - 0.02).abs() < 1e-9 && law.holds, "{law:?}");
        let cut = |cut_s| AtWork {
            cut_s,
            ..AtWork::default()
        };
        let mut both = cut(2.0);
        both.merge(cut(3.0));
        assert!((both.cut_s - 5.0).abs() < 1e-9, "{both:?}");
    }

    #[test]
    fn what_is_too_short_is_not_judged() {
        assert!(one_group(400, 500).law(10.0).is_none(), "too few");
        assert!(one_group(1, 100).law(10.0).is_some(), "a hundred");
        assert!(AtWork::default().law(0.0).is_none());
        let each = |time_s: f64| AtWork {
            counted: 200,
            area_s: 200.0 * time_s,
            time_s: 200.0 * time_s,
            ..AtWork::default()
        };
        assert!(each(1.0).law(10.0).is_some(), "a tenth of the hold");
        assert!(each(1.1).law(10.0).is_none(), "longer than that");
    }
}
