//! Records of runs with known figures.

use comparison::{Comparison, Effect};
use model::Nanos;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{
    IssueCause, Level, LevelIssue, Load, Measured, Phases, Run, ThresholdResult, Timings,
};

/// A run with 4,000 requests around `time_ms`.
pub(crate) fn made(time_ms: f64) -> Run {
    let mut timings = Timings::default();
    for index in 0..4_000_u32 {
        let factor = 1.0 + f64::from(index % 100) / 100.0;
        let time = Nanos::from_secs_f64(time_ms * factor / 1e3);
        timings.answered(time, time, false);
    }
    let mut measured = Measured::default();
    measured.iterations.started = 4_000;
    measured.iterations.planned = 4_000;
    measured.iterations.succeeded = 4_000;
    measured.requests.insert("GET /".to_owned(), timings);
    let level = Level {
        load: Load {
            users: 10,
            groups: 10,
            group_size: "1".to_owned(),
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        measured,
        ..Level::default()
    };
    Run {
        levels: vec![level],
        ..Run::default()
    }
}

/// The run, started so many minutes after a fixed time.
pub(crate) fn at(minutes: usize, run: Run) -> Run {
    let days = minutes / (24 * 60);
    let (hours, minutes) = (minutes / 60 % 24, minutes % 60);
    Run {
        started_at: format!("2026-11-{:02}T{hours:02}:{minutes:02}:00Z", days + 1),
        ..run
    }
}

/// The effect of a figure.
pub(crate) fn effect_of(comparison: &Comparison, figure: &str) -> Effect {
    let figures = comparison.figures.iter();
    let mut named =
        figures.filter(|one| format!("{} {}", one.figure.subject, one.figure.aggregate) == figure);
    named
        .next()
        .and_then(|one| one.effect)
        .unwrap_or_else(|| panic!("no effect of {figure}"))
}

/// A seeded variation from run to run.
pub(crate) struct Noise {
    random: Pcg64Mcg,
    spread: f64,
}

pub(crate) fn with_noise(seed: u64, spread: f64) -> Noise {
    Noise {
        random: Pcg64Mcg::seed_from_u64(seed),
        spread,
    }
}

impl Noise {
    /// A lognormal factor (Box and Muller).
    pub(crate) fn factor(&mut self) -> f64 {
        let mut uniform =
            || (f64::from(self.random.next_u32()) + 0.5) / (f64::from(u32::MAX) + 1.0);
        let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
        (self.spread * normal).exp()
    }
}

/// An issue that makes a level invalid.
pub(crate) fn invalid() -> LevelIssue {
    LevelIssue::invalid(IssueCause::NotMeasured)
}

pub(crate) fn threshold(metric: &str, condition: &str) -> ThresholdResult {
    ThresholdResult {
        level: 0,
        metric: metric.to_owned(),
        condition: condition.to_owned(),
        limits: None,
        observed: None,
        held: Some(true),
        inconclusive: None,
        counted: None,
    }
}
