use record::{OpenWindow, Window};

/// The windows of a level, each a second, merged from all workers.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    seconds: Vec<OpenWindow>,
    /// Number of workers that have reported each window.
    reports: Vec<usize>,
    /// Number of windows that [`Windows::complete`] has returned.
    told: usize,
}

impl Windows {
    /// Adds a window of one worker.
    pub(crate) fn add(&mut self, second: u64, window: &OpenWindow) {
        let Ok(second) = usize::try_from(second) else {
            return;
        };
        if self.seconds.len() <= second {
            self.seconds.resize_with(second + 1, OpenWindow::default);
            self.reports.resize(second + 1, 0);
        }
        self.seconds[second].merge(window);
        self.reports[second] += 1;
    }

    /// The windows that this number of workers have reported since the last call, in order. `users` is the planned number
    /// of users.
    pub(crate) fn complete(&mut self, workers: usize, users: u64) -> Vec<Window> {
        let reports = self.reports.iter().skip(self.told);
        let complete = reports.take_while(|reports| **reports >= workers).count();
        let from = self.told;
        self.told += complete;
        (from..self.told)
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
    fn seconds_are_complete_when_all_workers_have_reported_them_and_come_in_order_once() {
        let mut windows = Windows::default();
        let window = OpenWindow {
            requests: 5,
            ..OpenWindow::default()
        };
        let mut report = |second| {
            windows.add(second, &window);
            let complete = windows.complete(2, 7).into_iter();
            complete
                .map(|one| (one.start_s, one.requests, one.users))
                .collect::<Vec<_>>()
        };
        assert_eq!(report(0), []);
        assert_eq!(report(1), []);
        assert_eq!(report(1), [], "the first worker is late");
        assert_eq!(report(0), [(0.0, 10, 7), (1.0, 10, 7)]);
        assert_eq!(report(2), []);
        let rest = windows.complete(0, 7);
        assert_eq!(rest.len(), 1, "a worker has ended");
        assert_eq!((rest[0].start_s, rest[0].requests), (2.0, 5));
        assert_eq!(windows.complete(0, 7), []);
    }
}
