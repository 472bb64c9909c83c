//! Users who are not ready when the measurement begins.

use super::endings::{broken, held, search_with};
use crate::search::{Ended, Outcome, Readiness, Settings, Trial};

/// Usual ramp and warm-up, in seconds.
const RAMP_S: f64 = 1.0;
const WARM_UP_S: f64 = 0.5;

fn settings() -> Settings {
    Settings {
        first: 10.0,
        least: 10.0,
        most: 1e5,
        whole: true,
        precision: 0.05,
        budget_s: 240.0,
        extended_s: 0.0,
        limit_s: 0.1,
        lead_s: RAMP_S + WARM_UP_S,
        ramp_s: RAMP_S,
    }
}

/// A target that sets up so many users per second, and holds so many.
fn sets_up(per_s: f64, holds: f64) -> impl Fn(&Trial) -> Outcome {
    move |trial| {
        let ramp_s = trial.ramp_s.unwrap_or(RAMP_S);
        let begin_s = ramp_s + WARM_UP_S;
        let missed_by = |ready_s: f64| (ready_s - begin_s).clamp(0.0, trial.duration_s);
        let parts = 1000;
        let missed_s: f64 = (0..parts)
            .map(|part| missed_by(f64::from(part) / f64::from(parts) * trial.load / per_s))
            .sum();
        let missed = missed_s / f64::from(parts) / trial.duration_s;
        let last_s = ramp_s.max(trial.load / per_s);
        let outcome = if trial.load * (1.0 - missed) > holds {
            broken()
        } else {
            held()
        };
        Outcome {
            took_s: last_s.max(begin_s) + trial.duration_s,
            readiness: Some(Readiness { missed, last_s }),
            ..outcome
        }
    }
}

#[test]
fn a_trial_whose_users_were_not_ready_is_repeated_with_a_longer_ramp() {
    // Within the usual ramp and warm-up, 150 users are ready, however many are started.
    let (answer, trials) = search_with(settings(), sets_up(100.0, 400.0));
    let stable = answer.stable.unwrap();
    assert!((stable.load / 400.0 - 1.0).abs() < 0.05, "{stable:?}");
    assert!(answer.fails > Some(400.0), "{answer:?}");
    let ramp_s = |load: f64| trials.iter().rfind(|one| one.load >= load)?.ramp_s;
    assert!(ramp_s(380.0) >= Some(3.8), "{trials:#?}");
    assert!(answer.spent_s < 240.0, "{answer:?}");
}

#[test]
fn users_who_are_not_ready_within_the_longest_ramp_are_not_held() {
    let (answer, trials) = search_with(settings(), sets_up(50.0, 1e9));
    // After a ramp of 20 s, 1,025 users are ready.
    let holds = answer.stable.map(|one| one.load).or(answer.holds);
    assert!(holds < Some(1200.0) && holds > Some(600.0), "{answer:?}");
    assert!(answer.fails < Some(2000.0), "{answer:?}");
    assert!(trials.iter().all(|one| one.ramp_s <= Some(20.0)));
}

#[test]
fn scripts_that_work_before_they_stay_are_not_held_back() {
    let (answer, trials) = search_with(settings(), |trial| Outcome {
        readiness: Some(Readiness {
            missed: 0.5,
            last_s: 5.0,
        }),
        ..if trial.load > 300.0 { broken() } else { held() }
    });
    assert_eq!(answer.ended, Ended::Confirmed);
    assert!(trials.iter().all(|one| one.ramp_s.is_none()));
}
