//! The text of a search: its result, its state, and its trials.

use capacity::search::{
    Answer, Bracket, Ceiling, CeilingMap, Ended, Evidence, GeneratorLimit, Interval, Outcome,
    Production, Purpose, Quantity, Readiness, SavedSearch, SavedTrial, Settings, ShareEvidence,
    SizedSearch, Trial,
};
use capacity::{FittedScalability, Scalability, ScalabilityRefusal};
use record::{
    Advice, Cause, Confidence, Evidence as Observation, Finding, FixedConcurrency, IssueCause,
    SaturatedThread, Unknown,
};
use report::{SearchState, Terminal, ceiling_map, search_result, search_state, search_trial};
use stats::{Parameter, UslFit};

fn tried(load: f64, purpose: Purpose, beyond: f64) -> SavedTrial {
    let outcome = Outcome {
        took_s: 10.0,
        evidence: Evidence::Share(ShareEvidence {
            beyond,
            of: 1000.0,
            allowed: 0.05,
            design_effect: Some(2.0),
            likely_design_effect: Some(1.0),
        }),
        median_ms: Some(4.2),
        succeeded: Some(1.0),
        ..Outcome::default()
    };
    SavedTrial {
        trial: Trial {
            load,
            duration_s: 9.0,
            pause_s: 0.0,
            purpose,
            ramp_s: None,
        },
        failed: outcome.failed(),
        outcome,
    }
}

fn example() -> SavedSearch {
    SavedSearch {
        kind: SavedSearch::KIND.to_owned(),
        version: SavedSearch::VERSION,
        tool: "headcount".to_owned(),
        started_at: String::new(),
        ended_at: String::new(),
        scenario: "api.ts".to_owned(),
        target: "http://127.0.0.1:1".to_owned(),
        seed: 1,
        quantity: Quantity::Rate,
        group_size: 1,
        production: Production::default(),
        thresholds: vec!["requests: p95 < 50ms".to_owned()],
        default_thresholds: false,
        settings: Settings {
            first: 10.0,
            least: 0.1,
            most: 1e6,
            whole: false,
            precision: 0.05,
            budget_s: 240.0,
            extended_s: 0.0,
            limit_s: 0.05,
            lead_s: 1.3,
            ramp_s: 1.0,
        },
        answer: Answer {
            ended: Ended::Confirmed,
            stable: Some(Ceiling {
                load: 210.0,
                interval: Interval {
                    low: 204.2,
                    high: 224.9,
                },
                repetitions: 4,
            }),
            at_least: None,
            probably: None,
            soft: Some(Bracket {
                holds: Some(640.0),
                fails: Some(900.0),
            }),
            hard: Some(Bracket {
                holds: Some(900.0),
                fails: None,
            }),
            generator: None,
            holds: Some(210.0),
            fails: Some(225.0),
            unmeasured: Vec::new(),
            spent_s: 190.0,
            trials: 3,
        },
        findings: Vec::new(),
        scalability: None,
        trials: vec![
            tried(10.0, Purpose::WarmUp, 0.0),
            tried(225.0, Purpose::Above, 220.0),
            tried(210.0, Purpose::Confirm, 31.0),
        ],
    }
}

#[test]
fn a_ceiling_is_told_with_its_evidence() {
    insta::assert_snapshot!(search_result(&example(), Terminal::default()));
}

#[test]
fn a_limited_generator_gives_a_lower_bound_and_what_raises_it() {
    let mut search = example();
    search.answer = Answer {
        ended: Ended::GeneratorLimit,
        stable: None,
        at_least: Some(210.0),
        fails: None,
        generator: Some(GeneratorLimit {
            load: 400.0,
            because: vec![IssueCause::WorkerBusy {
                busy_percent: 99.0,
                cpu_wait_percent: None,
                limit_percent: 95.0,
            }],
        }),
        ..search.answer
    };
    insta::assert_snapshot!(search_result(&search, Terminal::default()));
}

#[test]
fn the_state_names_what_is_known_and_what_is_tried() {
    let state = SearchState {
        quantity: Quantity::Groups,
        trial: example().trials[1].trial,
        number: 7,
        holds: Some(800.0),
        fails: Some(1600.0),
        left_s: 92.0,
    };
    assert_eq!(
        search_state(&state),
        "trial 7 at 225 groups for 9 s (above) · holds 800 groups, fails at 1,600 groups · 1 min 32 s left"
    );
}

/// The state of a search after a trial.
fn after(trial: Trial) -> SearchState {
    SearchState {
        quantity: Quantity::Rate,
        trial,
        number: 7,
        holds: Some(210.0),
        fails: Some(225.0),
        left_s: 92.0,
    }
}

#[test]
fn a_trial_is_told_with_its_evidence_and_what_is_known_since() {
    let tried = &example().trials[1];
    assert_eq!(
        search_trial(&after(tried.trial), &tried.outcome),
        "trial 7 at 225/s for 9 s (above): failed, 22.0 % beyond the limit (allowed 5.00 %), median 4.20 ms · \
         holds 210/s, fails at 225/s · 1 min 32 s left"
    );
}

#[test]
fn a_trial_whose_users_were_not_ready_is_told_and_counts_for_nothing() {
    let mut search = example();
    let mut early = tried(225.0, Purpose::Expand, 0.0);
    early.outcome.not_ready = true;
    early.outcome.readiness = Some(Readiness {
        missed: 0.48,
        last_s: 5.1,
    });
    let told = search_trial(&after(early.trial), &early.outcome);
    let words = "users were not ready in time; again with a longer ramp, users missed 48.0 % of the measured time on average";
    assert!(told.contains(words), "{told}");
    search.trials.push(early);
    search.trials[1].trial.ramp_s = Some(6.4);
    let result = search_result(&search, Terminal::default());
    for line in [
        "  ramp: up to 6.4 s instead of 1 s, because users were not ready in time\n",
        "  225/s       1       9 s     0       1",
    ] {
        assert!(result.contains(line), "{result}");
    }
}

#[test]
fn a_search_in_which_nothing_held_names_the_broken_threshold() {
    let mut search = example();
    let mut failed = tried(1.0, Purpose::WarmUp, 900.0);
    failed.outcome.broken = vec!["requests: failed < 1%".to_owned()];
    search.answer = Answer {
        ended: Ended::FirstLoadFailed,
        stable: None,
        holds: None,
        trials: 1,
        ..search.answer
    };
    search.trials = vec![failed];
    let told = search_result(&search, Terminal::default());
    assert!(told.contains("  broken: requests: failed < 1%"), "{told}");
    let why = "next: see with `headcount run`, or `bench` for a URL, why the target fails";
    assert!(told.contains(why), "{told}");
    assert!(told.contains("1 trial in"), "{told}");
    search.answer.ended = Ended::OutOfTime;
    let told = search_result(&search, Terminal::default());
    assert!(told.contains("next: a lower --first"), "{told}");
}

#[test]
fn a_target_that_is_gone_is_told_with_the_reason() {
    let mut search = example();
    let mut gone = tried(20.0, Purpose::Recovery, 0.0);
    gone.outcome.broken = vec!["cannot reach the target http://127.0.0.1:9/".to_owned()];
    search.trials.push(gone);
    search.answer.ended = Ended::NotRecovered;
    search.answer.stable = None;
    let told = search_result(&search, Terminal::default());
    let headline = "no ceiling: the target did not recover from an overload (";
    assert!(told.contains(headline), "{told}");
    let why = "  broken: cannot reach the target http://127.0.0.1:9/";
    assert!(told.contains(why), "{told}");
}

#[test]
fn a_lower_precision_is_advised_only_if_the_wanted_one_is_high() {
    let mut search = example();
    search.answer.ended = Ended::OutOfTime;
    search.answer.stable = None;
    let told = |search: &SavedSearch| search_result(search, Terminal::default());
    assert!(told(&search).contains("or a lower precision (--precision 10)"));
    search.settings.precision = 0.2;
    assert!(!told(&search).contains("precision"), "{}", told(&search));
}

#[test]
fn a_ceiling_with_a_wide_interval_advises_a_longer_search() {
    let mut search = example();
    let told = |search: &SavedSearch| search_result(search, Terminal::default());
    assert!(!told(&search).contains("longer --budget"));
    if let Some(stable) = &mut search.answer.stable {
        stable.interval.high = 340.0;
    }
    assert!(told(&search).contains("next: a longer --budget, because the interval is wide"));
    let headline = "stable ceiling: 204 to 340/s; 210/s is confirmed";
    assert!(told(&search).contains(headline), "{}", told(&search));
}

/// A fixed concurrency, as an observation of the trials.
fn one_at_a_time() -> Finding {
    Finding {
        cause: Cause::FixedConcurrency(FixedConcurrency {
            places: 1.0,
            work_ms: 4.71,
            per_s: 212.3,
        }),
        confidence: Confidence::High,
        levels: vec![1, 2],
        limits: Vec::new(),
        evidence: vec![
            Observation::FlatThroughput {
                in_flight: 31.2,
                per_s: 212.3,
                than_in_flight: 1.9,
                than_per_s: 210.0,
            },
            Observation::TimeWithoutWaiting {
                in_flight: 0.05,
                ms: 4.71,
            },
            Observation::TargetCpu {
                percent: 4.0,
                cores: 2,
            },
        ],
        unknown: vec![Unknown::WhatHasPlaces],
        advice: vec![Advice::ComparePools { places: 1.0 }],
    }
}

#[test]
fn the_causes_of_the_limit_are_told_below_the_answer() {
    let mut search = example();
    search.findings = vec![one_at_a_time()];
    insta::assert_snapshot!(search_result(&search, Terminal::default()));
}

/// Four group sizes. The search with the largest one is still open.
fn map() -> CeilingMap {
    let sized = |group_size: u64, groups: f64| {
        let mut search = example();
        search.quantity = Quantity::Groups;
        search.answer.stable = Some(Ceiling {
            load: groups,
            interval: Interval {
                low: groups * 0.96,
                high: groups * 1.04,
            },
            repetitions: 4,
        });
        search.findings = vec![Finding {
            cause: Cause::SaturatedThread(SaturatedThread::default()),
            ..one_at_a_time()
        }];
        SizedSearch { group_size, search }
    };
    let mut open = sized(200, 1.0);
    open.search.answer.stable = None;
    open.search.answer.ended = Ended::OutOfTime;
    open.search.findings.clear();
    CeilingMap {
        kind: CeilingMap::KIND.to_owned(),
        version: CeilingMap::VERSION,
        searches: vec![sized(2, 410.0), sized(5, 150.0), sized(50, 1.6), open],
    }
}

#[test]
fn a_map_shows_the_ceiling_of_each_size_and_what_dominates() {
    insta::assert_snapshot!(ceiling_map(&map(), Terminal::default()));
}

#[test]
fn people_and_the_production_limit_are_told_with_their_arithmetic() {
    let mut search = example();
    search.group_size = 5;
    search.production = Production {
        growth_percent: Some(50.0),
        nodes: Some(4),
        person_every_s: Some(30.0),
    };
    let text = search_result(&search, Terminal::default());
    let production = "production limit: 105/s (210/s ÷ 1.5 for growth of 50 % × 3/4 for the loss of one of 4 nodes)";
    assert!(text.contains(production), "{text}");
    let people = "people: 31,500 at the ceiling (210 iterations/s × 30 s × 5 per group), 15,750 at the production limit";
    assert!(text.contains(people), "{text}");
}

/// A search with the parameters of the Universal Scalability Law.
fn fitted() -> SavedSearch {
    let around = |value: f64, half: f64| Parameter {
        value,
        low: value - half,
        high: value + half,
    };
    let mut search = example();
    let fitted = FittedScalability {
        usl: UslFit {
            lambda: around(212.0, 4.0),
            sigma: around(0.052, 0.01),
            kappa: around(0.0011, 0.0002),
            error: 0.02,
        },
        levels: 9,
        least_in_flight: 0.2,
        most_in_flight: 61.0,
    };
    search.scalability = Some(Scalability::Fitted(fitted));
    search
}

#[test]
fn the_fit_of_the_scalability_is_told_with_intervals() {
    insta::assert_snapshot!(search_result(&fitted(), Terminal::default()));
}

#[test]
fn every_line_of_a_search_fits_the_terminal() {
    let mut search = fitted();
    search.findings = vec![one_at_a_time()];
    for width in [80, 100, 160] {
        let options = Terminal {
            width: Some(width),
            ..Terminal::default()
        };
        let text = search_result(&search, options) + &ceiling_map(&map(), options);
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn a_refused_fit_is_told_with_its_reason() {
    let mut search = example();
    search.scalability = Some(Scalability::Refused(ScalabilityRefusal::TooFewLoads {
        loads: 3,
        needed: 5,
    }));
    let text = search_result(&search, Terminal::default());
    let expected = "scalability: not fitted, because a fit needs 5 loads that differ in operations in flight, and 3 were measured";
    assert!(text.contains(expected), "{text}");
}
