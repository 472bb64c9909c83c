use record::{OpenWindow, Window};

/// The windows of a level, each a second, merged from all workers.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    seconds: Vec<OpenWindow>,
    /// For each worker, the number of windows that it will not change any more. A late worker skips windows.
    settled: Vec<usize>,
    /// Number of windows that [`Windows::complete`] has returned.
    told: usize,
}

impl Windows {
    /// Adds a window of one worker.
    pub(crate) fn add(&mut self, worker: u32, second: u64, window: &OpenWindow) {
        let Ok(second) = usize::try_from(second) else {
            return;
        };
        if self.seconds.len() <= second {
            self.seconds.resize_with(second + 1, OpenWindow::default);
        }
        self.seconds[second].merge(window);
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

    /// The windows that no worker will change any more, and that were not returned before, in order. `users` is the
    /// planned number of users.
    pub(crate) fn complete(&mut self, workers: usize, users: u64) -> Vec<Window> {
        let of = |worker| self.settled.get(worker).copied().unwrap_or(0);
        let settled = (0..workers).map(of).min().unwrap_or(usize::MAX);
        let until = settled.min(self.seconds.len()).max(self.told);
        let from = std::mem::replace(&mut self.told, until);
        (from..until)
            .map(|second| closed(&mut self.seconds[second], second, users))
            .collect()
    }

    /// The figures of all windows.
    pub(crate) fn close_all(&mut self, users: u64) -> Vec<Window> {
        let seconds = self.seconds.iter_mut().enumerate();
        let all = seconds.map(|(second, window)| closed(window, second, users));
        all.collect()
    }

    /// Number of failed requests and round trips.
    pub(crate) fn failed(&self) -> u64 {
        self.seconds.iter().map(|window| window.failed).sum()
    }

    pub(crate) fn last(&self) -> Option<&OpenWindow> {
        self.seconds.last()
    }
}

fn closed(window: &mut OpenWindow, second: usize, users: u64) -> Window {
    window.users = users;
    window.close(second as f64)
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
            let complete = windows.complete(2, 7).into_iter();
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
}
