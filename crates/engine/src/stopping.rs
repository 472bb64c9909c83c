//! Ctrl-C while a level runs: the commands that the workers receive, and the time that they get to obey.

use model::Nanos;

use crate::messages::Command;
use crate::outcome::RunError;

/// Time for the workers to report their measurements after the second Ctrl-C. The whole run must end within a second.
const GIVE_UP: Nanos = Nanos::from_millis(500);

/// The stop requests of a level, as far as the workers know.
#[derive(Debug)]
pub(crate) struct Stopping {
    /// Number of stop requests that were forwarded to the workers.
    forwarded: u8,
    /// The time by which the workers must finish after the second Ctrl-C.
    give_up: Nanos,
}

impl Stopping {
    /// A level that nobody has asked to stop.
    pub(crate) fn new() -> Self {
        Self {
            forwarded: 0,
            give_up: Nanos::MAX,
        }
    }

    /// Takes the number of stop requests so far. Returns the command for the workers if there is a new request: the
    /// first one ends the measured time, the second one ends everything.
    pub(crate) fn forward(&mut self, asked: u8, now: Nanos) -> Option<Command> {
        if asked <= self.forwarded {
            return None;
        }
        self.forwarded = asked;
        if asked == 1 {
            return Some(Command::EndHold);
        }
        self.give_up = self.give_up.min(now + GIVE_UP);
        Some(Command::Abort)
    }

    /// The error if the workers have not finished in time after the second Ctrl-C.
    pub(crate) fn overdue(&self, now: Nanos) -> Option<RunError> {
        let busy = "interrupted: a worker was too busy to report its last measurements";
        (now > self.give_up).then(|| RunError::Usage(busy.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Nanos = Nanos::from_secs(10);

    fn forwards(stopping: &mut Stopping, asked: u8, now: Nanos) -> &'static str {
        match stopping.forward(asked, now) {
            None => "nothing",
            Some(Command::EndHold) => "end of the measured time",
            Some(Command::Abort) => "abort",
            Some(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_request_ends_the_measured_time_and_the_second_one_everything() {
        let mut stopping = Stopping::new();
        let forwarded = [0, 0, 1, 1, 2, 2, 3].map(|asked| forwards(&mut stopping, asked, NOW));
        let (none, end, abort) = ("nothing", "end of the measured time", "abort");
        assert_eq!(forwarded, [none, none, end, none, abort, none, abort]);
    }

    #[test]
    fn the_workers_get_half_a_second_after_the_second_request() {
        let limit = NOW + Nanos::from_millis(500);
        let mut stopping = Stopping::new();
        stopping.forward(1, NOW);
        assert!(stopping.overdue(Nanos::from_secs(3600)).is_none());
        stopping.forward(2, NOW);
        assert!(stopping.overdue(limit).is_none());
        assert!(stopping.overdue(limit + Nanos(1)).is_some());
        // Further requests give no more time.
        stopping.forward(3, limit);
        assert!(stopping.overdue(limit + Nanos(1)).is_some());
    }

    #[test]
    fn several_requests_at_once_end_everything() {
        let mut stopping = Stopping::new();
        assert_eq!(forwards(&mut stopping, 3, NOW), "abort");
        assert!(stopping.overdue(NOW + Nanos::from_secs(1)).is_some());
    }
}
