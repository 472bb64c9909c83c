//! Searches whose time is short.

use super::endings::{broken, held, search_with};
use crate::search::simulated::{Service, Target, settings};
use crate::search::{Ended, Evidence, Outcome, Purpose, Settings};

/// A target that ends at the first load above 100.
fn gone() -> Outcome {
    Outcome {
        took_s: 0.1,
        evidence: Evidence::Broken,
        ..Outcome::default()
    }
}

#[test]
fn a_target_that_is_gone_has_not_recovered_however_short_the_search_is() {
    let is_up = std::cell::Cell::new(true);
    let minute = Settings {
        budget_s: 60.0,
        ..short()
    };
    let (answer, trials) = search_with(minute, |trial| match trial.load > 100.0 {
        _ if !is_up.get() => gone(),
        false => held(),
        true => {
            is_up.set(false);
            broken()
        }
    });
    assert_eq!(answer.ended, Ended::NotRecovered, "{trials:#?}");
    assert!(trials.iter().all(|trial| trial.purpose != Purpose::Explain));
}

#[test]
fn a_first_load_that_fails_is_known_to_fail() {
    let first = Settings {
        first: 800.0,
        ..short()
    };
    let (answer, _) = search_with(first, |_| broken());
    assert_eq!(answer.fails, Some(200.0), "{answer:?}");
}

/// A search of half a minute, whose trials take five seconds each.
fn short() -> Settings {
    Settings {
        budget_s: 30.0,
        ..settings(&Target::queue(1, Service::Fixed(0.004), 0.05))
    }
}

#[test]
fn no_time_is_kept_to_explain_a_failure_before_there_is_one() {
    let (answer, trials) = search_with(short(), |_| held());
    assert_eq!(answer.ended, Ended::OutOfTime);
    let left_s = 30.0 - 5.0 * trials.len() as f64;
    assert!(left_s < 5.0, "{left_s} s are left after {trials:?}");
}
