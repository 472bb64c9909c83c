use record::IssueCause;

use super::simulated::{Service, Target, World, recorded, search};
use super::{Answer, Ended, Evidence, Outcome, Purpose, SavedTrial, Search, Settings, Step};

mod endings;
mod pool;
mod ramp;
mod short;

/// Searches with these seeds.
fn searches(target: &Target, count: u64) -> Vec<Answer> {
    (0..count).map(|seed| search(target, seed).0).collect()
}

/// How often a search found the true ceiling.
#[derive(Debug)]
struct Score {
    near: usize,
    over: usize,
    covered: usize,
    longest_s: f64,
}

fn score(answers: &[Answer], truth: f64) -> Score {
    let claimed: Vec<_> = answers.iter().filter_map(|one| one.stable).collect();
    Score {
        near: claimed
            .iter()
            .filter(|one| (one.load / truth - 1.0).abs() <= 0.05)
            .count(),
        over: claimed.iter().filter(|one| one.load / truth > 1.05).count(),
        covered: claimed
            .iter()
            .filter(|one| one.interval.low <= truth && truth <= one.interval.high)
            .count(),
        longest_s: answers.iter().map(|one| one.spent_s).fold(0.0, f64::max),
    }
}

/// Of 20 searches, at least 18 find the ceiling within 5 %, at most one is too high, and none takes over 4 minutes.
fn check(target: &Target, truth: f64) {
    let answers = searches(target, 20);
    let score = score(&answers, truth);
    let claims: Vec<_> = answers
        .iter()
        .map(|one| one.stable.map(|one| one.load))
        .collect();
    assert!(
        score.near >= 18 && score.over <= 1 && score.covered >= 16 && score.longest_s <= 240.0,
        "truth {truth}: {score:?}, {claims:?}"
    );
}

#[test]
fn one_thread_with_fixed_work() {
    check(&Target::queue(1, Service::Fixed(0.004), 0.050), 218.7);
}

#[test]
fn four_threads_with_exponential_work() {
    check(&Target::queue(4, Service::Exponential(0.020), 0.100), 162.7);
}

#[test]
fn a_pool_of_eight_with_fixed_work() {
    check(&Target::queue(8, Service::Fixed(0.005), 0.025), 1522.0);
}

#[test]
fn even_arrivals_at_one_thread() {
    let target = Target {
        poisson: false,
        ..Target::queue(1, Service::Fixed(0.005), 0.050)
    };
    check(&target, 200.0);
}

#[test]
fn even_arrivals_at_a_thread_with_short_pauses() {
    // At 99 % of the ceiling, the queue after a pause lasts for the rest of a trial, so some long trials fail just below the
    // ceiling. Short ones that passed 3 % below still count.
    let target = Target {
        poisson: false,
        pauses: (0.2, 0.010),
        ..Target::queue(1, Service::Fixed(0.00503), 0.100)
    };
    check(&target, 198.4);
}

#[test]
fn a_rate_limiter_that_allows_no_burst() {
    let tokens = Service::Tokens {
        per_s: 100.0,
        burst: 5.0,
    };
    let target = Target {
        allowed: 0.01,
        poisson: false,
        ..Target::queue(1, tokens, 0.050)
    };
    check(&target, 101.0);
}

#[test]
fn a_rate_limiter_that_counts_in_windows() {
    let target = Target {
        allowed: 0.01,
        poisson: false,
        ..Target::queue(1, Service::Window { per_s: 100.0 }, 0.050)
    };
    check(&target, 101.0);
}

#[test]
fn few_requests_per_second() {
    // With a limit of ten service times, trials of seconds see only a few long queues, so about one search in fourteen is
    // off by more than 5 %.
    let target = Target::queue(1, Service::Fixed(0.010), 0.1);
    let score = score(&searches(&target, 100), 84.8);
    assert!(
        score.near >= 88 && score.over <= 3 && score.covered >= 90,
        "{score:?}"
    );
}

#[test]
fn a_token_bucket_whose_burst_hides_small_overloads() {
    let tokens = Service::Tokens {
        per_s: 200.0,
        burst: 400.0,
    };
    let target = Target {
        allowed: 0.01,
        ..Target::queue(1, tokens, 0.050)
    };
    // An overload of 5 % empties the bucket only after 40 s, longer than any trial.
    let score = score(&searches(&target, 20), 202.0);
    assert!(score.near >= 13 && score.over <= 4, "{score:?}");
}

#[test]
fn a_limit_far_above_the_service_time() {
    // A second of queue takes long to build up at a small overload, so four minutes are short.
    let target = Target::queue(1, Service::Exponential(0.004), 1.0);
    let score = score(&searches(&target, 100), 247.0);
    assert!(score.near >= 50 && score.over <= 10, "{score:?}");
}

#[test]
fn whole_groups() {
    let target = Target {
        per_load: 10.0,
        whole: true,
        ..Target::queue(1, Service::Fixed(0.002), 0.050)
    };
    check(&target, 46.8);
}

#[test]
fn a_target_that_collapses_and_recovers() {
    let service = Service::Collapsing {
        normal: 0.004,
        rest: 5.0,
    };
    check(&Target::queue(1, service, 0.050), 218.7);
}

#[test]
fn a_passing_disturbance_does_not_decide() {
    let target = Target {
        disturbed: 0.04,
        ..Target::queue(1, Service::Fixed(0.004), 0.050)
    };
    let answers = searches(&target, 20);
    let score = score(&answers, 218.7);
    assert!(score.near >= 14 && score.over == 0, "{score:?}");
}

#[test]
fn a_limited_generator_never_gives_a_ceiling() {
    let target = Target {
        generator: 3000.0,
        ..Target::queue(1, Service::Fixed(0.0001), 0.050)
    };
    for answer in searches(&target, 20) {
        assert_eq!(answer.ended, Ended::GeneratorLimit);
        assert_eq!(answer.stable, None);
        let least = answer.at_least.unwrap();
        assert!((2000.0..=3000.0).contains(&least), "{least}");
        assert!(answer.generator.unwrap().load > 3000.0);
    }
}

#[test]
fn a_generator_that_cannot_make_the_first_load_gives_nothing() {
    let target = Target {
        generator: 5.0,
        ..Target::queue(1, Service::Fixed(0.004), 0.050)
    };
    let (answer, _) = search(&target, 1);
    assert_eq!(answer.ended, Ended::GeneratorLimit);
    assert_eq!((answer.stable, answer.at_least), (None, None));
}

#[test]
fn a_late_generator_does_not_hide_that_the_target_recovered() {
    let target = Target::queue(1, Service::Fixed(0.004), 0.050);
    let mut search = Search::new(super::simulated::settings(&target));
    let mut world = World::new(target, 1);
    loop {
        let trial = match search.next_step() {
            Step::Try(trial) => trial,
            Step::Done(answer) => {
                assert_eq!(answer.ended, Ended::Confirmed);
                assert_eq!(answer.generator, None);
                return;
            }
        };
        let mut outcome = world.run(&trial);
        if trial.purpose == Purpose::Recovery {
            outcome.generator = vec![IssueCause::NotMeasured];
        }
        search.record(outcome);
    }
}

#[test]
fn a_target_that_is_slower_at_every_higher_load_counts_as_recovered() {
    let target = Target::queue(1, Service::Fixed(0.004), 0.050);
    let settings = super::simulated::settings(&target);
    let mut search = Search::new(settings);
    let mut world = World::new(target, 1);
    let answer = loop {
        let trial = match search.next_step() {
            Step::Try(trial) => trial,
            Step::Done(answer) => break answer,
        };
        let mut outcome = world.run(&trial);
        // From the second load on, each response waits for a delayed acknowledgement.
        if trial.load > settings.first {
            outcome.median_ms = outcome.median_ms.map(|ms| ms + 40.0);
        }
        search.record(outcome);
    };
    assert_eq!(answer.ended, Ended::Confirmed);
}

#[test]
fn a_leaking_target_has_no_ceiling_that_lasts() {
    let service = Service::Leaking {
        start: 0.002,
        each: 1.0 / 50_000.0,
    };
    let answers = searches(&Target::queue(1, service, 0.050), 20);
    let claims = answers.iter().filter(|one| one.stable.is_some()).count();
    assert!(claims <= 2, "{claims} of 20");
}

#[test]
fn a_target_that_stays_broken_is_reported() {
    let service = Service::Collapsing {
        normal: 0.004,
        rest: 1e9,
    };
    for answer in searches(&Target::queue(1, service, 0.050), 10) {
        assert_eq!(answer.ended, Ended::NotRecovered);
        assert_eq!(answer.stable, None);
    }
}

#[test]
fn a_target_that_breaks_at_every_load_is_reported() {
    let target = Target::queue(1, Service::Fixed(0.2), 0.050);
    let (answer, trials) = search(&target, 1);
    assert_eq!(answer.ended, Ended::FirstLoadFailed);
    assert!(
        trials.last().unwrap().load <= 1.0,
        "it tries lower loads first"
    );
}

#[test]
fn a_ceiling_has_failures_above_it_and_repetitions_at_it() {
    let (answer, trials) = search(&Target::queue(1, Service::Fixed(0.005), 0.050), 3);
    let stable = answer.stable.unwrap();
    assert!(stable.repetitions >= 4);
    assert!(answer.fails.unwrap() > stable.load);
    assert!(trials.iter().any(|trial| trial.load > stable.load));
    assert_eq!(answer.trials, trials.len());
}

#[test]
fn a_search_without_a_long_failure_ends_with_a_trial_that_explains_the_failures() {
    for (budget_s, expected) in [(60.0, 0..=0), (240.0, 15..=20)] {
        let mut long_failures = 0;
        let target = Target::queue(1, Service::Fixed(0.005), 0.050);
        let settings = Settings {
            budget_s,
            ..super::simulated::settings(&target)
        };
        for seed in 0..20 {
            let (answer, trials) = recorded(settings, &target, seed);
            let explains = |done: &&SavedTrial| done.trial.purpose == Purpose::Explain;
            let shows = |done: &&SavedTrial| done.failed && done.trial.duration_s >= 5.0;
            let shown = trials.iter().any(|done| !explains(&done) && shows(&done));
            long_failures += u32::from(shown);
            let count = trials.iter().filter(explains).count();
            assert_eq!(count, usize::from(!shown), "{budget_s} s, seed {seed}");
            assert!(answer.spent_s <= budget_s);
            let last = trials.last().unwrap().trial;
            assert_eq!(last.purpose == Purpose::Explain, !shown);
            assert!(shown || answer.fails.unwrap() <= last.load && last.duration_s > 5.0);
        }
        assert!(expected.contains(&long_failures), "{long_failures}");
    }
}

#[test]
fn an_interrupted_search_says_what_is_known() {
    let target = Target::queue(1, Service::Fixed(0.004), 0.050);
    let mut search = Search::new(super::simulated::settings(&target));
    assert_eq!(search.so_far(Ended::Interrupted).holds, None);
    let mut failed = false;
    while !failed {
        let Step::Try(trial) = search.next_step() else {
            panic!("over too early");
        };
        assert_eq!(
            search.next_step(),
            Step::Try(trial),
            "asked again, the same"
        );
        failed = trial.load > 200.0;
        search.record(Outcome {
            took_s: 3.0,
            evidence: if failed {
                Evidence::Broken
            } else {
                Evidence::Held
            },
            ..Outcome::default()
        });
    }
    let answer = search.so_far(Ended::Interrupted);
    assert_eq!(answer.ended, Ended::Interrupted);
    assert!(answer.holds.unwrap() <= 200.0 && answer.fails.unwrap() > 200.0);
    assert_eq!(answer.stable, None);
}

#[test]
fn a_threshold_that_nothing_is_measured_for_ends_the_search() {
    let target = Target::queue(1, Service::Fixed(0.004), 0.050);
    let mut search = Search::new(super::simulated::settings(&target));
    let name = "request(GET /nowhere): p95 < 1s".to_owned();
    while let Step::Try(_) = search.next_step() {
        search.record(Outcome {
            took_s: 2.0,
            unmeasured: vec![name.clone()],
            ..Outcome::default()
        });
    }
    let answer = search.so_far(Ended::Interrupted);
    assert_eq!(answer.ended, Ended::Unmeasured);
    assert_eq!(answer.unmeasured, [name]);
}

#[test]
fn a_resumed_search_continues_where_it_was_and_gives_the_same_answer() {
    let target = Target::queue(1, Service::Fixed(0.004), 0.050);
    let settings = super::simulated::settings(&target);
    let (answer, all) = recorded(settings, &target, 4);
    for cut in [0, 1, all.len() / 2, all.len()] {
        let (mut search, used) = Search::resume(settings, &all[..cut]);
        assert_eq!(used, cut);
        for done in &all[cut..] {
            assert_eq!(search.next_step(), Step::Try(done.trial));
            search.record(done.outcome.clone());
        }
        assert_eq!(search.next_step(), Step::Done(Box::new(answer.clone())));
    }
    let other = Settings {
        precision: 0.02,
        ..settings
    };
    let (_, used) = Search::resume(other, &all);
    assert!(used < all.len(), "trials of other lengths are not reused");
}
