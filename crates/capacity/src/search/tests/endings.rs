//! Searches that end in another way than with a ceiling after its time, and what a ceiling needs.

use record::IssueCause;

use crate::search::simulated::{Service, Target, World, recorded, settings};
use crate::search::{Answer, Ended, Evidence, Outcome, Purpose, Search, Settings, ShareEvidence};
use crate::search::{Step, Trial};

pub(super) fn counts(beyond: f64, of: f64, allowed: f64) -> Evidence {
    Evidence::Share(ShareEvidence {
        beyond,
        of,
        allowed,
        design_effect: None,
        likely_design_effect: None,
    })
}

pub(super) fn trial(load: f64, purpose: Purpose) -> Trial {
    Trial {
        load,
        duration_s: 9.0,
        pause_s: 0.0,
        purpose,
        ramp_s: None,
    }
}

/// A trial in which all of 1,000 values were within the limit.
pub(super) fn held() -> Outcome {
    Outcome {
        took_s: 5.0,
        evidence: counts(0.0, 1000.0, 0.01),
        median_ms: Some(10.0),
        ..Outcome::default()
    }
}

pub(super) fn broken() -> Outcome {
    Outcome {
        evidence: counts(900.0, 1000.0, 0.01),
        ..held()
    }
}

fn limited() -> Outcome {
    Outcome {
        generator: vec![IssueCause::NotMeasured],
        ..held()
    }
}

/// A target that holds, and a generator that can make loads up to `most`, and up to `for_long` in long trials.
fn generates(most: f64, for_long: f64) -> impl Fn(&Trial) -> Outcome {
    move |trial| {
        let is_long = trial.purpose == Purpose::Confirm;
        if trial.load > most || trial.load > for_long && is_long {
            limited()
        } else {
            held()
        }
    }
}

/// Searches up to this load, with the outcome of each trial.
fn search(most: f64, of: impl Fn(&Trial) -> Outcome) -> (Answer, Vec<Trial>) {
    let one_thread = Target::queue(1, Service::Fixed(0.004), 0.05);
    search_with(
        Settings {
            most,
            ..settings(&one_thread)
        },
        of,
    )
}

pub(super) fn search_with(
    settings: Settings,
    of: impl Fn(&Trial) -> Outcome,
) -> (Answer, Vec<Trial>) {
    let mut search = Search::new(settings);
    let mut trials = Vec::new();
    loop {
        match search.next_step() {
            Step::Done(answer) => return (*answer, trials),
            Step::Try(trial) => {
                trials.push(trial);
                search.record(of(&trial));
            }
        }
    }
}

#[test]
fn an_interruption_keeps_a_ceiling_that_is_confirmed() {
    let target = Target::queue(1, Service::Fixed(0.005), 0.05);
    let mut search = Search::new(settings(&target));
    let mut world = World::new(target, 3);
    let mut kept = None;
    let answer = loop {
        let answer = search.so_far(Ended::Interrupted);
        if answer.stable.is_some() {
            kept = Some(answer.ended);
        }
        match search.next_step() {
            Step::Try(trial) => {
                search.record(world.run(&trial));
            }
            Step::Done(answer) => break answer,
        }
    };
    assert_eq!(answer.ended, Ended::Confirmed);
    assert_eq!(
        kept,
        Some(Ended::Interrupted),
        "before the end of the search"
    );
}

#[test]
fn a_generator_that_fails_in_long_trials_has_a_lower_load_confirmed() {
    let (answer, trials) = search(1e6, generates(800.0, 600.0));
    assert_eq!(answer.ended, Ended::GeneratorLimit);
    let least = answer.at_least.unwrap();
    assert!(least < 600.0, "{least}");
    let shown = trial(least, Purpose::Confirm);
    let repeated = trials
        .iter()
        .filter(|one| one.purpose == shown.purpose && (one.load - shown.load).abs() < 1e-9);
    assert_eq!(repeated.count(), 2);
}

#[test]
fn a_generator_that_fails_later_keeps_the_confirmed_ceiling() {
    let mut confirmed = 0;
    let mut search = Search::new(settings(&Target::queue(1, Service::Fixed(0.004), 0.05)));
    let answer = loop {
        let Step::Try(trial) = search.next_step() else {
            break search.so_far(Ended::Interrupted);
        };
        confirmed += u32::from(trial.purpose == Purpose::Confirm);
        let over = trial.load > 200.0;
        search.record(match over {
            _ if trial.purpose == Purpose::Above && confirmed >= 4 => limited(),
            true => broken(),
            false => held(),
        });
    };
    assert_eq!(answer.ended, Ended::Confirmed);
    assert!(answer.stable.unwrap().load <= 200.0);
}

#[test]
fn a_lower_bound_holds_only_if_its_trials_keep_the_threshold_together() {
    // Alone, none of these trials breaks the threshold beyond chance.
    let open = Outcome {
        evidence: counts(40.0, 1000.0, 0.01),
        ..held()
    };
    assert!(!open.failed());
    let (answer, _) = search(100.0, |trial| {
        if trial.load > 90.0 {
            open.clone()
        } else {
            held()
        }
    });
    assert_ne!(answer.ended, Ended::LargestLoadHeld);
    assert!(answer.at_least.is_none());
}

#[test]
fn long_trials_that_decide_nothing_confirm_nothing() {
    let (answer, _) = search(1e6, |trial| match trial.purpose {
        _ if trial.load > 200.0 => broken(),
        Purpose::Confirm => Outcome {
            undecided: true,
            ..held()
        },
        _ => held(),
    });
    assert_eq!((answer.ended, answer.stable), (Ended::Undecided, None));
}

#[test]
fn a_long_trial_that_decides_nothing_is_repeated() {
    let mut long = 0;
    let mut search = Search::new(Settings {
        most: 100.0,
        ..settings(&Target::queue(1, Service::Fixed(0.004), 0.05))
    });
    let answer = loop {
        let trial = match search.next_step() {
            Step::Done(answer) => break *answer,
            Step::Try(trial) => trial,
        };
        long += u32::from(trial.purpose == Purpose::Confirm);
        let is_first_long = trial.purpose == Purpose::Confirm && long == 1;
        search.record(Outcome {
            evidence: if is_first_long {
                Evidence::Undecided
            } else {
                Evidence::Held
            },
            undecided: is_first_long,
            ..held()
        });
    };
    assert_eq!(answer.ended, Ended::LargestLoadHeld);
    assert_eq!((answer.at_least, long), (Some(100.0), 3));
}

#[test]
fn a_rare_failure_that_is_allowed_leaves_the_ceiling_where_it_is() {
    // One in ten thousand is allowed, and everything fails above 200.
    let (answer, _) = search(1e6, |trial| Outcome {
        evidence: counts(
            if trial.load > 200.0 { 1000.0 } else { 0.0 },
            1000.0,
            0.0001,
        ),
        ..held()
    });
    let ceiling = answer.stable.unwrap();
    assert!(ceiling.load > 190.0 && ceiling.load <= 200.0, "{ceiling:?}");
    assert!(ceiling.interval.high < 220.0, "{ceiling:?}");
}

#[test]
fn a_generator_that_makes_only_the_first_load_for_long_shows_that_one() {
    let (answer, _) = search(1e6, generates(50.0, 10.0));
    assert_eq!(answer.ended, Ended::GeneratorLimit);
    assert_eq!(answer.at_least, Some(10.0));
}

#[test]
fn a_recovery_trial_that_cannot_begin_shows_no_recovery() {
    let (answer, trials) = search(1e6, |trial| match trial.purpose {
        Purpose::Recovery => Outcome {
            took_s: 0.1,
            generator: vec![IssueCause::NotMeasured],
            ..Outcome::default()
        },
        _ if trial.load > 200.0 => broken(),
        _ => held(),
    });
    let recoveries = trials.iter().filter(|one| one.purpose == Purpose::Recovery);
    assert!(recoveries.count() > 3, "it waits");
    assert_eq!((answer.ended, answer.stable), (Ended::GeneratorLimit, None));
}

#[test]
fn a_confirmed_load_without_a_failure_above_it_looks_for_one() {
    let mut search = Search::new(settings(&Target::queue(1, Service::Fixed(0.004), 0.05)));
    search.pool.add(trial(100.0, Purpose::Confirm), held());
    search.confirmed = Some(100.0);
    assert_eq!(search.found(), None);
    let Step::Try(next) = search.next_step() else {
        panic!("over too early");
    };
    assert_eq!((next.purpose, next.load), (Purpose::Above, 105.0));
}

#[test]
fn a_confirmed_load_that_is_the_largest_of_all_ends_the_search() {
    let mut search = Search::new(Settings {
        most: 100.0,
        ..settings(&Target::queue(1, Service::Fixed(0.004), 0.05))
    });
    search.pool.add(trial(100.0, Purpose::Confirm), held());
    search.confirmed = Some(100.0);
    assert_eq!(search.found(), None);
    let Step::Done(answer) = search.next_step() else {
        panic!("nothing is above");
    };
    assert_eq!(answer.ended, Ended::LargestLoadHeld);
    assert_eq!(answer.at_least, Some(100.0));
}

/// Searches groups. Returns the answer and the loads of the confirmations, one after the other.
fn search_groups(of: impl Fn(&Trial) -> Outcome) -> (Answer, Vec<f64>) {
    let target = Target {
        whole: true,
        ..Target::queue(1, Service::Fixed(0.004), 0.05)
    };
    let (answer, trials) = search_with(settings(&target), of);
    let alike = trials.chunk_by(|one, next| (one.purpose, one.load) == (next.purpose, next.load));
    let confirmations = alike.filter(|trials| trials[0].purpose == Purpose::Confirm);
    let loads = confirmations.map(|trials| trials[0].load).collect();
    (answer, loads)
}

#[test]
fn a_refuted_group_count_is_not_confirmed_again() {
    // Alone, none of the trials at 20 breaks the threshold beyond chance.
    let (answer, confirmed) = search_groups(|trial| match trial.load {
        load if load > 20.0 => broken(),
        load if load > 19.0 => Outcome {
            evidence: counts(15.0, 1000.0, 0.01),
            ..held()
        },
        _ => held(),
    });
    let refuted = confirmed.iter().filter(|load| **load > 19.0);
    assert_eq!(refuted.count(), 1, "{confirmed:?}");
    assert_eq!(answer.stable.map(|one| one.load), Some(19.0));
}

#[test]
fn a_group_count_that_failed_for_long_is_not_confirmed_again() {
    // All other trials at 30 hold.
    let (answer, confirmed) = search_groups(|trial| match trial.purpose {
        _ if trial.load > 30.0 => broken(),
        Purpose::Confirm if trial.load > 29.0 => broken(),
        _ => held(),
    });
    let failed = confirmed.iter().filter(|load| **load > 29.0);
    assert_eq!(failed.count(), 1, "{confirmed:?}");
    assert_eq!(answer.stable.map(|one| one.load), Some(29.0));
}

#[test]
fn a_median_of_few_values_that_differs_by_chance_is_no_drift() {
    let (answer, trials) = search(1e6, |trial| {
        let few = |outcome: Outcome| Outcome {
            evidence: counts(0.0, 30.0, 0.01),
            median_ms: Some(13.0),
            ..outcome
        };
        match trial.purpose {
            _ if trial.load > 200.0 => broken(),
            Purpose::Drift => few(held()),
            _ => held(),
        }
    });
    assert!(trials.iter().any(|one| one.purpose == Purpose::Drift));
    assert_eq!(answer.ended, Ended::Confirmed);
}

#[test]
fn a_change_of_a_tenth_of_a_millisecond_is_no_drift() {
    let ends = |drifted_ms| {
        let (answer, trials) = search(1e6, |trial| match trial.purpose {
            _ if trial.load > 200.0 => broken(),
            Purpose::Drift => Outcome {
                median_ms: Some(drifted_ms),
                ..held()
            },
            _ => Outcome {
                median_ms: Some(0.1),
                ..held()
            },
        });
        assert!(trials.iter().any(|one| one.purpose == Purpose::Drift));
        answer.ended
    };
    assert_eq!(ends(0.2), Ended::Confirmed);
    assert_eq!(ends(0.05), Ended::Confirmed);
    assert_eq!(ends(1.7), Ended::Slowing);
}

#[test]
fn the_target_recovers_between_overloads() {
    let service = Service::Collapsing {
        normal: 0.004,
        rest: 5.0,
    };
    let target = Target::queue(1, service, 0.05);
    let (answer, trials) = recorded(settings(&target), &target, 1);
    assert_eq!(answer.ended, Ended::Confirmed);
    let purposes: Vec<Purpose> = trials.iter().map(|done| done.trial.purpose).collect();
    let follows = |pair: &[Purpose]| pair == [Purpose::Overload, Purpose::Recovery];
    assert!(purposes.windows(2).any(follows), "{purposes:?}");
}
