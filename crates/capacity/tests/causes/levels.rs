//! Levels with given figures.

use model::Nanos;
use record::{Level, Phases, TargetUse, ThreadUse, Timings};

/// Measured time in seconds.
pub(crate) const SECONDS: f64 = 10.0;

/// A level in which requests take this time, and succeed at this rate.
pub(crate) fn level(per_s: f64, ms: f64) -> Level {
    let timings = timings((per_s * SECONDS) as u64, ms);
    let mut level = Level {
        phases: Phases {
            duration_s: SECONDS,
            ..Phases::default()
        },
        ..Level::default()
    };
    level.measured.requests.insert("GET /".into(), timings);
    level
}

/// A target on this number of cores, whose threads ran for these shares of the time and waited for these, in percent.
pub(crate) fn target(cores: usize, threads: &[(&str, f64, f64)]) -> TargetUse {
    TargetUse {
        pid: 7,
        name: "server".into(),
        cpu_percent: Some(threads.iter().map(|(_, ran, _)| ran).sum()),
        cores: Some((0..cores).collect()),
        busiest_threads: (7..)
            .zip(threads)
            .map(|(tid, (name, ran, waited))| ThreadUse {
                pid: 7,
                tid,
                name: (*name).into(),
                cpu_percent: *ran,
                waiting_percent: Some(*waited),
                series: Vec::new(),
            })
            .collect(),
        ..TargetUse::default()
    }
}

/// Timings of this many operations, which take this time.
pub(crate) fn timings(count: u64, ms: f64) -> Timings {
    let mut timings = Timings::default();
    let time = Nanos((ms * 1e6) as u64);
    (0..count).for_each(|_| timings.answered(time, time, false));
    timings
}

/// The level with this target.
pub(crate) fn with(level: Level, target: TargetUse) -> Level {
    Level {
        target: Some(target),
        ..level
    }
}

/// A target that is nearly idle.
pub(crate) fn idle() -> TargetUse {
    target(2, &[("server", 8.0, 0.1)])
}
