//! The seconds of one level, thinned to a bounded number of points.

use std::mem;

use super::point::Point;
use super::second::LiveSecond;

/// Maximum number of points of a level. A chart is rarely wider in pixels.
const MOST: usize = 1200;

/// The points of a level. All of them span the same number of seconds, except for the last one, which grows.
#[derive(Debug)]
pub(super) struct History {
    points: Vec<Point>,
    /// Number of seconds of a point.
    width: u32,
}

impl Default for History {
    fn default() -> Self {
        Self {
            points: Vec::new(),
            width: 1,
        }
    }
}

impl History {
    /// Adds a second. If there are too many points, merges each two of them. `change` is the number of this change.
    pub(super) fn add(&mut self, second: LiveSecond, change: u64) {
        self.push(Point::of(second, change));
        if self.points.len() > MOST {
            self.halve(change);
        }
    }

    /// Merges each two points.
    pub(super) fn halve(&mut self, change: u64) {
        self.width = self.width.saturating_mul(2);
        for mut point in mem::take(&mut self.points) {
            point.changed = change;
            self.push(point);
        }
    }

    fn push(&mut self, point: Point) {
        let width = f64::from(self.width);
        match self.points.last_mut() {
            Some(last) if point.second.window.start_s < end_of_slot(last, width) => {
                last.merge(&point);
            }
            _ => self.points.push(point),
        }
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the index of the first point that changed after this change. All later points did too.
    pub(super) fn changed_from(&self, after: u64) -> usize {
        self.points.partition_point(|point| point.changed <= after)
    }
}

/// Returns the end of the multiple of the width in which a point starts.
fn end_of_slot(point: &Point, width: f64) -> f64 {
    ((point.second.window.start_s / width).floor() + 1.0) * width
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    fn second(number: u32) -> Window {
        let noise = f64::from(number.wrapping_mul(2_654_435_761) % 1000);
        Window {
            start_s: number.into(),
            users: 50,
            requests: u64::from(number % 7),
            failed: u64::from(number % 3),
            messages: 2,
            deliveries: u64::from(number % 5),
            p50_ms: (!number.is_multiple_of(4)).then_some(noise / 10.0),
            p95_ms: Some(noise),
            max_ms: Some(noise * 2.0),
            ..Window::default()
        }
    }

    fn only(window: Window) -> LiveSecond {
        LiveSecond {
            window,
            ..LiveSecond::default()
        }
    }

    fn after(seconds: u32) -> History {
        let mut history = History::default();
        for number in 0..seconds {
            let second = LiveSecond {
                window: second(number),
                busy_percent: Some(f64::from(number % 90)),
                target_cpu_percent: Some(f64::from(number % 70)),
            };
            history.add(second, u64::from(number) + 1);
        }
        history
    }

    #[test]
    fn ten_hours_are_few_points_whose_counts_are_exact() {
        const TEN_HOURS: u32 = 36_000;
        let history = after(TEN_HOURS);
        let points = history.points();
        assert!(
            points.len() <= MOST && points.len() > MOST / 2,
            "{} points",
            points.len()
        );
        let sum = |of: fn(&Window) -> u64| {
            points
                .iter()
                .map(|point| of(&point.second.window))
                .sum::<u64>()
        };
        let wanted =
            |of: fn(&Window) -> u64| (0..TEN_HOURS).map(|number| of(&second(number))).sum();
        let counts: [fn(&Window) -> u64; 4] = [
            |window| window.requests,
            |window| window.failed,
            |window| window.messages,
            |window| window.deliveries,
        ];
        for of in counts {
            let exact: u64 = wanted(of);
            assert_eq!(sum(of), exact);
        }
        assert_eq!(
            points.iter().map(|point| point.seconds).sum::<u32>(),
            TEN_HOURS
        );
    }

    #[test]
    fn a_merged_percentile_is_the_highest_of_its_seconds() {
        let history = after(4000);
        for point in history.points() {
            let from = point.second.window.start_s;
            let until = from + f64::from(point.seconds);
            let seconds = (0..4000).filter(|&number| (from..until).contains(&f64::from(number)));
            let highest = |of: fn(&Window) -> Option<f64>| {
                let known = seconds.clone().filter_map(|number| of(&second(number)));
                known.fold(f64::NEG_INFINITY, f64::max)
            };
            assert_eq!(
                point.second.window.p50_ms,
                Some(highest(|window| window.p50_ms))
            );
            assert_eq!(
                point.second.window.p95_ms,
                Some(highest(|window| window.p95_ms))
            );
            assert_eq!(
                point.second.window.max_ms,
                Some(highest(|window| window.max_ms))
            );
            assert_eq!(point.second.window.p99_ms, None, "never measured");
        }
    }

    #[test]
    fn a_maximum_among_timeouts_stays_unknown() {
        let mut history = History::default();
        for number in 0..3000 {
            let timed_out = number == 1501;
            let window = Window {
                max_ms: second(number).max_ms.filter(|_| !timed_out),
                requests: 1,
                ..second(number)
            };
            history.add(only(window), 1);
        }
        let unknown = history
            .points()
            .iter()
            .filter(|point| point.second.window.max_ms.is_none());
        let starts: Vec<f64> = unknown.map(|point| point.second.window.start_s).collect();
        assert_eq!(starts, [1500.0]);
    }

    #[test]
    fn only_points_that_changed_are_new_and_after_a_merge_all_are() {
        let mut history = after(1200);
        assert_eq!(history.changed_from(0), 0);
        assert_eq!(history.changed_from(1199), 1199);
        assert_eq!(history.changed_from(1200), 1200);
        history.add(only(second(1200)), 1201);
        assert_eq!(
            (history.points().len(), history.changed_from(1200)),
            (601, 0)
        );
        history.add(only(second(1201)), 1202);
        assert_eq!(history.changed_from(1201), 600, "the last point grew");
    }
}
