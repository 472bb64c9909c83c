//! The start times of the groups of a level, and the phases of the level.
//!
//! ```text
//! groups        1  2  3  4
//! start         |  |  |  |
//!               0 ······· ramp ······ + warmup ·················· + duration ··
//!               └─ ramp ──┴── warm-up ──┴────────── measured ──────────┴ drain
//! ```

use model::{LevelPhase, Nanos};

use crate::options::{LevelLoad, Load};

/// The phases of a level, as times since the start of its first group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// The end of the ramp-up, when all groups have started.
    pub ramp_ends: Nanos,
    /// The start of the measured time.
    pub hold_starts: Nanos,
    /// The end of the measured time. With `once`, this is the time limit, and the level may end earlier.
    pub hold_ends: Nanos,
}

impl Phases {
    /// The phases of a level of this load.
    pub fn of(load: &Load, level: &LevelLoad) -> Self {
        let hold_starts = load.ramp + load.warmup;
        let hold = match (&level.open, load.once) {
            (Some(open), _) => open.arrivals.hold(),
            (None, Some(once)) => once.limit,
            (None, None) => load.duration,
        };
        Self {
            ramp_ends: load.ramp,
            hold_starts,
            hold_ends: hold_starts + hold,
        }
    }

    /// The phase at a time since the start of the level's first group.
    pub fn at(&self, elapsed: Nanos) -> LevelPhase {
        if elapsed < self.ramp_ends {
            LevelPhase::RampUp
        } else if elapsed < self.hold_starts {
            LevelPhase::WarmUp
        } else if elapsed < self.hold_ends {
            LevelPhase::Measurement
        } else {
            LevelPhase::Settling
        }
    }
}

/// The start time of a group: group k of n starts after k/n of the ramp-up. The starts are evenly spaced: the first is
/// at zero, the last one interval before the end of the ramp-up. The result never decreases with `group`.
pub fn start_of(group: u32, groups: u32, ramp: Nanos) -> Nanos {
    if groups == 0 {
        return Nanos::ZERO;
    }
    let scaled = u128::from(ramp.0) * u128::from(group.min(groups)) / u128::from(groups);
    Nanos(u64::try_from(scaled).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::options::Once;

    #[test]
    fn groups_start_evenly_spread_over_the_ramp() {
        let starts = |groups, ramp| -> Vec<u64> {
            (0..groups)
                .map(|group| start_of(group, groups, Nanos(ramp)).0)
                .collect()
        };
        assert_eq!(starts(4, 100), [0, 25, 50, 75], "evenly, the first at once");
        assert_eq!(starts(1, 100), [0], "a single group does not wait");
        assert_eq!(starts(3, 0), [0, 0, 0], "without a ramp all at once");
        assert_eq!(starts(3, 100), [0, 33, 66], "whole nanoseconds");
    }

    #[test]
    fn phases_follow_one_another() {
        let level = LevelLoad {
            users: 1,
            groups: 1,
            open: None,
        };
        let mut load = Load {
            levels: Vec::new(),
            duration: Nanos(30),
            ramp: Nanos(5),
            warmup: Nanos(2),
            once: None,
        };
        let phases = Phases {
            ramp_ends: Nanos(5),
            hold_starts: Nanos(7),
            hold_ends: Nanos(37),
        };
        assert_eq!(Phases::of(&load, &level), phases);
        let at = [0, 4, 5, 6, 7, 36, 37, 1000].map(|at| phases.at(Nanos(at)));
        let (ramp, warm, hold) = (
            LevelPhase::RampUp,
            LevelPhase::WarmUp,
            LevelPhase::Measurement,
        );
        let over = LevelPhase::Settling;
        assert_eq!(at, [ramp, ramp, warm, warm, hold, hold, over, over]);
        load = Load {
            duration: Nanos::ZERO,
            ramp: Nanos::ZERO,
            warmup: Nanos::ZERO,
            once: Some(Once { limit: Nanos(60) }),
            ..load
        };
        let phases = Phases {
            ramp_ends: Nanos(0),
            hold_starts: Nanos(0),
            hold_ends: Nanos(60),
        };
        assert_eq!(Phases::of(&load, &level), phases);
    }

    proptest! {
        #[test]
        fn gaps_between_starts_differ_by_at_most_a_nanosecond(
            groups in 1..2000_u32, ramp in 0..u64::MAX
        ) {
            let at = |group| start_of(group, groups, Nanos(ramp)).0;
            let shortest = ramp / u64::from(groups);
            prop_assert_eq!(at(0), 0);
            for group in 1..=groups {
                let gap = at(group) - at(group - 1);
                prop_assert!(gap == shortest || gap == shortest + 1);
            }
            prop_assert_eq!(at(groups), ramp);
        }
    }
}
