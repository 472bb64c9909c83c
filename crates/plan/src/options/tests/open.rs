//! Open load and mixes.

use model::Nanos;
use serde_json::json;

use super::{problems, read};
use crate::Phases;

#[test]
fn each_rate_of_a_ladder_is_a_level() {
    let options = read(&json!({
        "group": 2,
        "load": { "rate": ["100/s", "2000/s"], "duration": "30s", "ramp": "5s", "warmup": "1s", "arrivals": "poisson" }
    }));
    let levels = &options.load.levels;
    let rates: Vec<f64> = levels
        .iter()
        .map(|level| level.open.as_ref().unwrap().arrivals.mean_rate())
        .collect();
    assert_eq!(rates, [100.0, 2000.0]);
    assert_eq!(
        (levels[0].groups, levels[0].users),
        (1000, 2000),
        "enough for ten seconds of arrivals"
    );
    assert_eq!(
        levels[1].groups, 10_000,
        "but no more than ten thousand groups"
    );
    let phases = Phases::of(&options.load, &levels[0]);
    assert_eq!(phases.hold_starts, Nanos::from_secs(6));
    assert_eq!(phases.hold_ends, Nanos::from_secs(36));
}

#[test]
fn a_course_says_how_long_its_level_is() {
    let options = read(&json!({
        "load": { "rate": "500/s for 10s, nothing for 50s, 5 times", "users": 600 }
    }));
    let level = &options.load.levels[0];
    assert_eq!(level.users, 600);
    let phases = Phases::of(&options.load, level);
    assert_eq!(phases.hold_ends, Nanos::from_secs(300));
    assert!((level.open.as_ref().unwrap().arrivals.mean_rate() - 500.0 / 6.0).abs() < 1e-9);
}

#[test]
fn open_loads_that_make_no_sense_are_refused() {
    let check = |options: serde_json::Value, expected: &str| {
        let found = problems(&options);
        assert!(
            found.iter().any(|problem| problem.contains(expected)),
            "{options}: {found:?}"
        );
    };
    check(
        json!({ "load": { "rate": 100 } }),
        "load.rate: expected a rate as a string, got 100",
    );
    check(
        json!({ "load": { "rate": "fast" } }),
        "expected a rate such as `100/s`",
    );
    check(json!({ "load": { "rate": [] } }), "is an empty list");
    check(
        json!({ "load": { "rate": "1/s for 5s", "duration": "3s" } }),
        "load.duration: cannot be combined with a rate that has its own duration",
    );
    check(
        json!({ "load": { "rate": "1/s", "users": [10, 20] } }),
        "load.users: with `rate`, expected one number",
    );
    check(
        json!({ "load": { "rate": "1/s", "once": true } }),
        "load.rate: cannot be combined with `once: true`",
    );
    check(
        json!({ "load": { "users": 1, "arrivals": "even" } }),
        "load.arrivals: applies only with `rate`",
    );
    check(
        json!({ "load": { "rate": "1/s", "arrivals": "random" } }),
        "expected \"even\" or \"poisson\"",
    );
    check(
        json!({ "groups": 3, "load": { "rate": "1/s" } }),
        "needs `users`, which are divided among 3 groups",
    );
}

#[test]
fn a_mix_is_read_in_the_users_order() {
    let options = read(&json!({ "load": { "users": 1 }, "mix": { "b": 1, "a": 3 } }));
    let mix = options.mix.unwrap();
    assert_eq!(mix.names(), ["b".into(), "a".into()]);
    assert!(mix.check(&["a".to_owned(), "b".to_owned()]).is_ok());
    let missing = mix.check(&["a".to_owned(), "bee".to_owned()]).unwrap_err();
    assert!(
        missing
            .to_string()
            .starts_with("mix.b: no function of that name is exported"),
        "{missing}"
    );
    let picks: Vec<usize> = (0..4).map(|number| mix.pick(number)).collect();
    assert_eq!(picks.iter().filter(|pick| **pick == 1).count(), 3);
    let refused = |mix: serde_json::Value| problems(&json!({ "load": { "users": 1 }, "mix": mix }));
    assert!(refused(json!({}))[0].contains("mix: expected 1 to 100 scenarios"));
    assert!(refused(json!({ "a": 0 }))[0].contains("mix.a: must be 1 to 10,000"));
    assert!(refused(json!({ "a": 0.5 }))[0].contains("mix.a: expected a whole number"));
}

#[test]
fn a_threshold_may_end_at_a_load_and_may_abort() {
    let options = read(&json!({
        "load": { "users": 1 },
        "thresholds": { "requests": "p95 < 20ms up to 200 users or abort", "iterations": ["dropped == 0 or abort", "rate > 5/s"] }
    }));
    let first = &options.thresholds[0];
    assert!(first.abort && options.thresholds[1].abort && !options.thresholds[2].abort);
    let reach = first.reach.unwrap();
    assert!(reach.covers(200, 200, None) && !reach.covers(201, 1, None));
    let rate = |text: &str| {
        let options = read(&json!({ "load": { "users": 1 }, "thresholds": { "requests": text } }));
        options.thresholds[0].reach.unwrap()
    };
    assert!(rate("failed < 1% up to 500/s").covers(9, 9, Some(500.0)));
    assert!(!rate("failed < 1% up to 500/s").covers(9, 9, None));
    assert!(rate("failed < 1% up to 4 groups").covers(16, 4, None));
    let refused = |text: &str| {
        problems(&json!({ "load": { "users": 1 }, "thresholds": { "requests": text } })).join("\n")
    };
    assert!(refused("p95 < 20ms up to heaven").contains("up to 200 users"));
    assert!(refused("p95 < or abort").contains("the limit is missing"));
    assert!(refused("dropped == 0").contains("does not apply to requests"));
}
