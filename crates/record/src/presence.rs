use model::Nanos;
use serde::{Deserialize, Serialize};

/// Users who called `stay()`, and what they missed of the measured time because they had not yet called it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Number of calls.
    pub users: u64,
    /// Measured time before each call, added up, in nanoseconds.
    #[serde(rename = "missed_ns")]
    pub missed: Nanos,
    /// Time from the start of the measured time to the last call, in nanoseconds. 0 if all users called it before.
    #[serde(rename = "last_ns")]
    pub last: Nanos,
}

impl Presence {
    /// Whether no user called `stay()`.
    pub fn is_empty(&self) -> bool {
        self.users == 0
    }

    /// Counts a call at `now`, for a measured time from `start` to `end`.
    pub fn called(&mut self, now: Nanos, start: Nanos, end: Nanos) {
        self.users += 1;
        self.missed += now.clamp(start, end.max(start)) - start;
        self.last = self.last.max(now.max(start) - start);
    }

    /// The missed time as a share of `duration_s` for each user. `None` if no user called `stay()`.
    pub fn missed_share(&self, duration_s: f64) -> Option<f64> {
        let of = self.users as f64 * duration_s;
        (of > 0.0).then(|| self.missed.as_secs_f64() / of)
    }

    /// Adds the calls of another worker.
    pub fn merge(&mut self, other: &Self) {
        self.users += other.users;
        self.missed += other.missed;
        self.last = self.last.max(other.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_who_are_late_miss_a_part_of_the_measured_time() {
        let second = Nanos::from_secs;
        let mut presence = Presence::default();
        assert_eq!(presence.missed_share(10.0), None);
        for now in [5, 12, 25] {
            presence.called(second(now), second(10), second(20));
        }
        // 0, 2 and 10 of 10 s.
        assert_eq!(presence.missed_share(10.0), Some(0.4));
        let mut both = presence;
        both.merge(&presence);
        assert_eq!((both.users, both.missed), (6, second(24)));
        assert_eq!(both.last, second(15));
    }
}
