//! The fit of the Universal Scalability Law over the load, for runs in which operations follow from the number of users.

use capacity::Scalability;
use record::Run;
use serde::Serialize;

use crate::search::scalability::{meaning, parameter};
use crate::section::levels::Lead;
use crate::words::capitalised;

/// The fitted throughput.
#[derive(Serialize)]
pub(super) struct FittedCurve {
    /// Operations per second at each level's operations in flight. `None` for a level without operations.
    per_s: Vec<Option<f64>>,
    /// The parameters with their intervals.
    parameters: String,
    /// What the fit means for readers.
    meaning: String,
}

impl FittedCurve {
    /// Returns the fit. `None` with an open load, whose rate does not depend on the target, or if the levels do not support a
    /// fit.
    pub(super) fn of(run: &Run, lead: Lead) -> Option<Self> {
        let is_closed = run
            .levels
            .iter()
            .all(|level| level.load.rate_per_s.is_none());
        let has_operations = matches!(lead, Lead::Requests | Lead::RoundTrips);
        let Scalability::Fitted(fitted) = capacity::scalability(run) else {
            return None;
        };
        (is_closed && has_operations).then(|| Self {
            per_s: run.levels.iter().map(|level| fitted.at(level)).collect(),
            parameters: format!(
                "σ {}, κ {}",
                parameter(fitted.usl.sigma),
                parameter(fitted.usl.kappa)
            ),
            meaning: format!("{}.", capitalised(&meaning(&fitted))),
        })
    }
}

#[cfg(test)]
mod tests {
    use model::Nanos;
    use record::{Level, Load, Phases, Timings};

    use super::*;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small number above zero"
    )]
    /// Levels of 10 s whose throughput follows the law with λ = 100/s and this contention.
    fn run(sigma: f64, users: &[u32]) -> Run {
        let level = |(index, users): (usize, &u32)| {
            let in_flight = f64::from(*users);
            let per_s = 100.0 * in_flight / (1.0 + sigma * (in_flight - 1.0));
            let time = Nanos::from_secs_f64(in_flight / per_s);
            let mut timings = Timings::default();
            for _ in 0..(per_s * 10.0) as u32 {
                timings.answered(time, time, false);
            }
            let mut level = Level {
                index,
                load: Load {
                    users: (*users).into(),
                    ..Load::default()
                },
                phases: Phases {
                    duration_s: 10.0,
                    ..Phases::default()
                },
                ..Level::default()
            };
            level.measured.requests.insert("GET /".to_owned(), timings);
            level
        };
        Run {
            levels: users.iter().enumerate().map(level).collect(),
            ..Run::default()
        }
    }

    #[test]
    fn the_curve_of_the_scalability_law_meets_the_levels_that_follow_it() {
        let curve = FittedCurve::of(&run(0.1, &[1, 2, 5, 10, 20, 50]), Lead::Requests).unwrap();
        let last = curve.per_s.last().copied().flatten().unwrap();
        assert!((last / (5000.0 / 5.9) - 1.0).abs() < 0.05, "{last}");
        assert!(
            curve.meaning.starts_with("Throughput approaches"),
            "{}",
            curve.meaning
        );
    }

    #[test]
    fn levels_that_do_not_support_a_fit_have_no_curve() {
        assert!(FittedCurve::of(&run(0.1, &[1, 2, 5]), Lead::Requests).is_none());
        assert!(FittedCurve::of(&run(0.0, &[1, 2, 5, 10, 20]), Lead::Requests).is_none());
        let mut open = run(0.1, &[1, 2, 5, 10, 20, 50]);
        open.levels[0].load.rate_per_s = Some(10.0);
        assert!(FittedCurve::of(&open, Lead::Requests).is_none());
    }
}
