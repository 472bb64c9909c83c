use std::collections::VecDeque;

use record::{OpenWindow, Window};
use stats::HeatMap;

/// The live line waits for the seconds of a worker unless it is further behind than this.
const LATE: usize = 3;

/// The windows of a level, each a second, merged from all workers.
///
/// A window that no worker will change any more keeps only its figures. Its histograms would need gigabytes in a run of
/// hours.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    closed: Vec<Window>,
    /// The times of the closed windows.
    heat_map: HeatMap,
    /// Whether any message was sent.
    pub(crate) has_messages: bool,
    /// The seconds after those that are closed.
    open: VecDeque<OpenWindow>,
    /// For each worker, the number of windows that it will not change any more. A late worker skips windows.
    settled: Vec<usize>,
}

impl Windows {
    /// Adds a window of one worker. A worker reports its windows in order.
    pub(crate) fn add(&mut self, worker: u32, second: u64, window: &OpenWindow) {
        let Ok(second) = usize::try_from(second) else {
            return;
        };
        let Some(place) = second.checked_sub(self.closed.len()) else {
            debug_assert!(
                false,
                "worker {worker} changes second {second}, which it has settled"
            );
            return;
        };
        if self.open.len() <= place {
            self.open.resize_with(place + 1, OpenWindow::default);
        }
        self.open[place].merge(window);
        self.has_messages |= window.messages > 0;
        self.settle(worker, second + 1);
    }

    /// Records that the worker will report no more windows.
    pub(crate) fn end(&mut self, worker: u32) {
        self.settle(worker, usize::MAX);
    }

    fn settle(&mut self, worker: u32, windows: usize) {
        let worker = worker as usize;
        if self.settled.len() <= worker {
            self.settled.resize(worker + 1, 0);
        }
        self.settled[worker] = windows;
    }

    /// Closes the windows that no worker will change any more, and returns those that were not returned before, in
    /// order. `users` is the planned number of users.
    pub(crate) fn complete(&mut self, workers: usize, users: u64) -> &[Window] {
        let of = |worker| self.settled.get(worker).copied().unwrap_or(0);
        let settled = (0..workers).map(of).min().unwrap_or(usize::MAX);
        let told = self.closed.len();
        self.close(settled.saturating_sub(told), users);
        &self.closed[told..]
    }

    /// The figures of all windows, and their times.
    pub(crate) fn close_all(mut self, users: u64) -> (Vec<Window>, HeatMap) {
        self.close(usize::MAX, users);
        (self.closed, self.heat_map)
    }

    /// Closes at most `most` of the open windows.
    fn close(&mut self, most: usize, users: u64) {
        for mut window in self.open.drain(..most.min(self.open.len())) {
            window.users = users;
            let second = self.closed.len();
            let (times, endless) = window.times();
            self.heat_map.add(second, times, endless);
            self.closed.push(window.close(second as f64));
        }
    }

    /// Number of failed requests and round trips.
    pub(crate) fn failed(&self) -> u64 {
        let closed: u64 = self.closed.iter().map(|window| window.failed).sum();
        let open: u64 = self.open.iter().map(|window| window.failed).sum();
        closed + open
    }

    /// The latest second that all workers have reported. If one of them is late, the latest of the others.
    pub(crate) fn latest(&self) -> Option<Window> {
        if self.is_one_late() {
            self.open.back().map(|window| window.close(0.0))
        } else {
            self.closed.last().copied()
        }
    }

    /// Whether a worker has not reported seconds that others have, perhaps because a call of its script does not return.
    pub(crate) fn is_one_late(&self) -> bool {
        self.open.len() > LATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_complete_when_no_worker_changes_them_and_come_in_order_once() {
        let mut windows = Windows::default();
        let window = OpenWindow {
            requests: 5,
            ..OpenWindow::default()
        };
        let complete = |windows: &mut Windows| {
            let complete = windows.complete(2, 7).iter();
            complete
                .map(|one| (one.start_s, one.requests, one.users))
                .collect::<Vec<_>>()
        };
        let mut report = |worker, second| {
            windows.add(worker, second, &window);
            complete(&mut windows)
        };
        assert_eq!(report(1, 0), []);
        assert_eq!(report(1, 1), []);
        assert_eq!(report(0, 0), [(0.0, 10, 7)]);
        assert_eq!(report(1, 2), []);
        let skipped = [(1.0, 5, 7), (2.0, 5, 7)];
        assert_eq!(report(0, 3), skipped, "a late worker skips seconds");
        windows.end(1);
        assert_eq!(complete(&mut windows), [(3.0, 5, 7)]);
        windows.add(0, 4, &window);
        assert_eq!(complete(&mut windows), [(4.0, 5, 7)], "one has ended");
        assert_eq!(complete(&mut windows), []);
    }

    #[test]
    fn windows_keep_no_histograms_once_they_are_complete() {
        let mut windows = Windows::default();
        let mut window = OpenWindow::default();
        window.response.record(model::Nanos::from_millis(5));
        for second in 0..100 {
            windows.add(0, second, &window);
            assert_eq!(windows.open.len(), 1);
            assert_eq!(windows.complete(1, 7).len(), 1);
        }
        windows.add(0, 100, &window);
        let (all, heat_map) = windows.close_all(7);
        assert_eq!((all.len(), heat_map.columns().count()), (101, 101));
        for column in heat_map.columns() {
            assert_eq!(column.rows().len(), 1, "one time in each second");
        }
        for (second, window) in (0..).zip(&all) {
            assert_eq!((window.start_s, window.users), (f64::from(second), 7));
            assert!((window.max_ms.unwrap() - 5.0).abs() < 0.01);
        }
    }
}
