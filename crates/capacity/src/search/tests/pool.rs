//! What the trials of a search show together.

use super::endings::{broken, counts, held, trial};
use crate::search::evidence::Pool;
use crate::search::{Evidence, Interval, Outcome, Purpose, ShareEvidence, Trial};

#[test]
fn trials_that_other_thresholds_decided_are_not_pooled() {
    let mut pool = Pool::new(9.0);
    for evidence in [counts(36.0, 900.0, 0.05), counts(0.0, 900.0, 0.01)] {
        let outcome = Outcome { evidence, ..held() };
        pool.add(trial(50.0, Purpose::Confirm), outcome);
    }
    assert!(pool.holds_for_long(50.0));
    let outcome = Outcome {
        evidence: counts(20.0, 900.0, 0.01),
        ..held()
    };
    pool.add(trial(50.0, Purpose::Confirm), outcome);
    assert!(
        !pool.holds_for_long(50.0),
        "1.1 % of 1,800 values, where 1 % is allowed"
    );
}

#[test]
fn a_trial_tells_about_the_load_that_arrived() {
    let mut pool = Pool::new(9.0);
    for _ in 0..10 {
        let outcome = Outcome {
            evidence: counts(50.0, 1000.0, 0.05),
            arrived: Some(90.0),
            ..held()
        };
        pool.add(trial(100.0, Purpose::Refine), outcome);
    }
    let [median] = pool.posterior(50.0, 200.0).quantiles([0.5]);
    assert!((median / 90.0 - 1.0).abs() < 0.02, "{median}");
}

#[test]
fn long_trials_that_the_others_cannot_make_up_for_end_a_confirmation() {
    let mut pool = Pool::new(9.0);
    let beyond = |values| Outcome {
        evidence: counts(values, 1000.0, 0.05),
        ..held()
    };
    pool.add(trial(50.0, Purpose::Confirm), beyond(150.0));
    assert!(!pool.holds_for_long(50.0));
    assert!(pool.may_hold_for_long(50.0, 3), "150 of 4,000 is 3.75 %");
    pool.add(trial(50.0, Purpose::Confirm), beyond(60.0));
    assert!(!pool.may_hold_for_long(50.0, 2), "210 of 4,000 is 5.25 %");
    assert!(pool.may_hold_for_long(50.0, 3), "210 of 5,000 is 4.2 %");
}

#[test]
fn a_load_at_which_no_trial_held_is_not_said_to_hold() {
    let mut pool = Pool::new(9.0);
    pool.add(trial(50.0, Purpose::Confirm), held());
    let doubtful = Outcome {
        evidence: Evidence::Share(ShareEvidence {
            beyond: 180.0,
            of: 1000.0,
            allowed: 0.05,
            design_effect: Some(500.0),
            likely_design_effect: None,
        }),
        ..held()
    };
    assert!(!doubtful.failed());
    pool.add(trial(52.0, Purpose::Confirm), doubtful);
    assert_eq!(pool.holds(), Some(50.0));
    assert_eq!(pool.may_hold(), Some(52.0));
}

#[test]
fn a_ceiling_is_not_probable_above_a_load_that_failed() {
    let wide = Interval {
        low: 87.0,
        high: 204.0,
    };
    let narrow = wide.below(Some(108.0));
    assert!((narrow.low, narrow.high) == (87.0, 108.0));
    assert_eq!(wide.below(None), wide);
}

#[test]
fn a_load_that_held_in_long_trials_is_confirmed_rather_than_one_beside_it() {
    let mut pool = Pool::new(9.0);
    pool.add(trial(50.5, Purpose::Above), held());
    pool.add(trial(50.5, Purpose::Above), held());
    pool.add(trial(49.8, Purpose::Confirm), broken());
    let short = Trial {
        duration_s: 6.0,
        ..trial(50.0, Purpose::Refine)
    };
    pool.add(short, held());
    assert_eq!(pool.held_for_long_near(50.0, 0.015), Some((50.5, 2)));
    assert_eq!(pool.held_for_long_near(48.0, 0.015), None);
}
