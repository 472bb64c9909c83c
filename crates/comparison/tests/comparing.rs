//! Compares sets of runs whose true difference is known, because the records are made from it.

mod runs;

use comparison::{
    Comparison, FailIf, FailIfOutcome, Judgement, Margins, Method, Missing, ObstacleKind, Request,
    compare,
};
use record::Run;
use runs::{Noise, at, effect_of, made, with_noise};

fn request<'a>(base: &'a [Run], new: &'a [Run]) -> Request<'a> {
    Request {
        base,
        new,
        is_history: false,
        margins: Margins::default(),
        conditions: &[],
        allowed: &[],
    }
}

fn judgement(comparison: &Comparison, figure: &str) -> Judgement {
    let named = |one: &&comparison::ComparedFigure| {
        format!("{} {}", one.figure.subject, one.figure.aggregate) == figure
    };
    comparison
        .figures
        .iter()
        .find(named)
        .unwrap_or_else(|| panic!("no figure {figure}"))
        .judgement
}

const P50: &str = "request(GET /) p50";

/// Pairs of runs in the order A B B A, whose times vary from run to run by `noise`. The second set takes `effect` longer.
fn alternating(pairs: usize, noise: &mut Noise, effect: f64) -> (Vec<Run>, Vec<Run>) {
    let (mut base, mut new) = (Vec::new(), Vec::new());
    for index in 0..2 * pairs {
        let is_new = matches!(index % 4, 1 | 2);
        let time_ms = 20.0 * noise.factor() * if is_new { 1.0 + effect } else { 1.0 };
        let run = at(index, made(time_ms));
        if is_new {
            new.push(run);
        } else {
            base.push(run);
        }
    }
    (base, new)
}

#[test]
fn one_run_against_one_is_never_different() {
    let base = [at(0, made(20.0))];
    let new = [at(1, made(200.0))];
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(found.method, Method::SingleRun);
    assert_eq!(judgement(&found, P50), Judgement::CannotTell);
    assert!(found.figures.iter().all(|one| one.effect.is_none()));
}

#[test]
fn two_runs_each_are_never_different() {
    let mut quiet = with_noise(1, 0.0);
    let (base, new) = alternating(2, &mut quiet, 1.0);
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(judgement(&found, P50), Judgement::CannotTell);
}

#[test]
fn a_difference_beyond_the_noise_is_found_with_its_interval() {
    let mut noise = with_noise(2, 0.01);
    let (base, new) = alternating(5, &mut noise, 0.05);
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(found.method, Method::Alternating);
    assert_eq!(judgement(&found, P50), Judgement::Different);
    let effect = effect_of(&found, P50);
    assert!(effect.low < 0.05 && 0.05 < effect.high, "{effect:?}");
    assert!((effect.estimate - 0.05).abs() < 0.02, "{effect:?}");
}

/// The same runs of one unchanged target: a statement would be false each time. The bound is three standard deviations
/// above 5 %.
#[test]
fn identical_targets_are_rarely_called_different() {
    let mut noise = with_noise(3, 0.04);
    let trials = 300;
    let different = (0..trials).filter(|_| {
        let (base, new) = alternating(5, &mut noise, 0.0);
        let found = compare(&request(&base, &new)).unwrap();
        judgement(&found, P50) == Judgement::Different
    });
    let share = different.count() as f64 / f64::from(trials);
    assert!(share < 0.09, "{share}");
}

#[test]
fn equal_times_are_the_same_within_the_margin() {
    let mut noise = with_noise(4, 0.005);
    let (base, new) = alternating(6, &mut noise, 0.0);
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(judgement(&found, P50), Judgement::Same);
}

#[test]
fn noise_as_large_as_the_margin_leaves_the_question_open_and_says_how_many_runs_would_close_it() {
    let mut noise = with_noise(11, 0.06);
    let (base, new) = alternating(3, &mut noise, 0.0);
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(judgement(&found, P50), Judgement::CannotTell);
    let needed = effect_of(&found, P50).needed;
    assert!(
        needed.low < needed.likely && needed.likely < needed.high,
        "{needed:?}"
    );
    assert!((6..200).contains(&needed.likely), "{needed:?}");
}

#[test]
fn runs_one_after_the_other_are_compared_with_a_warning() {
    let base: Vec<Run> = (0..4)
        .map(|index| at(index, made(20.0 + index as f64 * 0.01)))
        .collect();
    let new: Vec<Run> = (4..8)
        .map(|index| at(index, made(25.0 + index as f64 * 0.01)))
        .collect();
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(found.method, Method::OneAfterTheOther);
    assert_eq!(judgement(&found, P50), Judgement::Different);
}

#[test]
fn a_history_of_five_days_is_too_short_and_one_of_six_suffices() {
    let day = 24 * 60;
    let runs = |days: usize| -> Vec<Run> {
        (0..days)
            .map(|index| at(index * day, made(20.0 + (index % 3) as f64 * 0.05)))
            .collect()
    };
    let new = [at(7 * day, made(30.0))];
    for (days, expected) in [(5, Judgement::CannotTell), (6, Judgement::Different)] {
        let base = runs(days);
        let history = Request {
            is_history: true,
            ..request(&base, &new)
        };
        let found = compare(&history).unwrap();
        assert_eq!(judgement(&found, P50), expected, "{days} days");
    }
}

#[test]
fn several_runs_of_one_day_count_as_one_day_of_a_history() {
    let base: Vec<Run> = (0..12).map(|index| at(index * 10, made(20.0))).collect();
    let new = [at(3_000, made(30.0))];
    let history = Request {
        is_history: true,
        ..request(&base, &new)
    };
    let found = compare(&history).unwrap();
    assert_eq!(judgement(&found, P50), Judgement::CannotTell);
}

#[test]
fn a_percentile_among_timeouts_is_not_compared_but_the_failures_are() {
    let mut noise = with_noise(6, 0.01);
    let (base, mut new) = alternating(4, &mut noise, 0.0);
    for run in &mut new {
        let timings = run.levels[0].measured.requests.get_mut("GET /").unwrap();
        for _ in 0..2_000 {
            timings.ran_out(model::Nanos::from_millis(30_000));
        }
    }
    let found = compare(&request(&base, &new)).unwrap();
    let among = Judgement::NotCompared {
        missing: Missing::AmongTimeouts,
    };
    assert_eq!(judgement(&found, "request(GET /) p99"), among);
    assert_eq!(
        judgement(&found, "request(GET /) failed"),
        Judgement::Different
    );
}

#[test]
fn no_failures_on_both_sides_are_no_difference() {
    let mut noise = with_noise(7, 0.01);
    let (base, new) = alternating(4, &mut noise, 0.0);
    let found = compare(&request(&base, &new)).unwrap();
    assert_eq!(judgement(&found, "request(GET /) failed"), Judgement::Same);
    let effect = effect_of(&found, "request(GET /) failed");
    assert!(
        effect.estimate.abs() < 1e-12 && effect.high < 0.01,
        "{effect:?}"
    );
}

#[test]
fn the_rate_of_a_closed_load_is_compared_and_that_of_an_open_one_is_not() {
    let mut noise = with_noise(8, 0.01);
    let (mut base, mut new) = alternating(3, &mut noise, 0.0);
    let rate = |found: &Comparison| {
        found
            .figures
            .iter()
            .any(|one| one.figure.aggregate == plan::Aggregate::Rate)
    };
    assert!(rate(&compare(&request(&base, &new)).unwrap()));
    for run in base.iter_mut().chain(&mut new) {
        run.levels[0].load.rate_per_s = Some(100.0);
    }
    assert!(!rate(&compare(&request(&base, &new)).unwrap()));
}

/// Makes a run incomparable.
type Change = fn(&mut Run);

#[test]
fn runs_that_are_not_comparable_are_refused_with_what_differs() {
    let base = [at(0, made(20.0))];
    let changes: [(ObstacleKind, Change); 7] = [
        (ObstacleKind::Script, |run| {
            run.script.sha256 = "f00d".to_owned();
        }),
        (ObstacleKind::Options, |run| {
            run.options = serde_json::json!({ "settle": "1s" });
        }),
        (ObstacleKind::Load, |run| run.levels[0].load.users = 11),
        (ObstacleKind::Workers, |run| run.workers = 2),
        (ObstacleKind::Machine, |run| run.machine.cores = Some(64)),
        (ObstacleKind::Version, |run| {
            run.tool = "headcount 9.9.9".to_owned();
        }),
        (ObstacleKind::Validity, |run| {
            run.levels[0].issues.push(runs::invalid());
        }),
    ];
    for (kind, change) in changes {
        let mut other = at(1, made(20.0));
        change(&mut other);
        let new = [other];
        let refused = compare(&request(&base, &new)).unwrap_err();
        assert_eq!(
            refused.iter().map(|one| one.kind).collect::<Vec<_>>(),
            [kind]
        );
        assert_ne!(refused[0].base, refused[0].other);
        let allowed = Request {
            allowed: &[kind],
            ..request(&base, &new)
        };
        assert_eq!(compare(&allowed).unwrap().allowed, refused, "{kind:?}");
    }
}

#[test]
fn target_seed_and_thresholds_may_differ() {
    let base = [at(0, made(20.0))];
    let mut other = at(1, made(20.0));
    other.target = "http://127.0.0.1:9999".to_owned();
    other.seed = 99;
    other.options = serde_json::json!({ "target": "x", "thresholds": {}, "seed": 4 });
    let new = [other];
    assert!(compare(&request(&base, &new)).is_ok());
}

/// The runs with these versions of the target, one for each run in order.
fn of_versions(mut runs: Vec<Run>, versions: &[&str]) -> Vec<Run> {
    for (run, version) in runs.iter_mut().zip(versions) {
        run.target_version = Some((*version).to_owned());
    }
    runs
}

#[test]
fn versions_of_the_target_are_compared_but_not_mixed() {
    let mut noise = with_noise(12, 0.01);
    let (base, new) = alternating(3, &mut noise, 0.0);
    let base = of_versions(base, &["1.4", "1.4"]);
    let new = of_versions(new, &["1.5", "1.5", "1.5"]);
    let found = compare(&request(&base, &new)).unwrap();
    let versions = (vec!["1.4".to_owned()], vec!["1.5".to_owned()]);
    assert_eq!(found.target_versions, versions, "one run has no version");
    let mixed = of_versions(new.clone(), &["1.5", "1.6"]);
    for (base, new) in [(&base, &mixed), (&mixed, &new)] {
        let refused = compare(&request(base, new)).unwrap_err();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].kind, ObstacleKind::TargetVersion);
        assert_eq!(
            (refused[0].base.as_str(), refused[0].other.as_str()),
            ("1.5", "1.6")
        );
        let allowed = Request {
            allowed: &[ObstacleKind::TargetVersion],
            ..request(base, new)
        };
        assert_eq!(compare(&allowed).unwrap().allowed, refused);
    }
    let history = Request {
        is_history: true,
        ..request(&mixed, &new)
    };
    assert!(compare(&history).is_ok(), "days have versions of their own");
}

#[test]
fn conditions_fail_pass_or_stay_open_by_the_interval() {
    let mut noise = with_noise(9, 0.01);
    let (base, new) = alternating(8, &mut noise, 0.08);
    for (condition, expected) in [
        ("p50 +3%", FailIfOutcome::Failed),
        ("request(GET /) p50 +3%", FailIfOutcome::Failed),
        ("p50 +30%", FailIfOutcome::Passed),
        ("p50 -3%", FailIfOutcome::Passed),
        ("p50 +8.1%", FailIfOutcome::Inconclusive),
        ("failed +1%", FailIfOutcome::Passed),
        (
            "request(GET /elsewhere) p50 +3%",
            FailIfOutcome::Inconclusive,
        ),
    ] {
        let conditions = [FailIf::parse(condition).unwrap()];
        let with = Request {
            conditions: &conditions,
            ..request(&base, &new)
        };
        let found = compare(&with).unwrap();
        let outcome = conditions[0].judge(&found);
        let near = condition == "p50 +8.1%";
        assert!(
            outcome == expected || near && outcome != FailIfOutcome::Passed,
            "{condition}: {outcome:?}"
        );
    }
}

#[test]
fn conditions_that_mean_nothing_are_refused() {
    for wrong in [
        "p95",
        "p95 5%",
        "p95 +0%",
        "p95 +5ms",
        "p95 +x%",
        "",
        "+5%",
        "speed +5%",
        "reqest(GET /) p95 +5%",
    ] {
        assert!(FailIf::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn figures_of_thresholds_come_first() {
    let mut noise = with_noise(10, 0.01);
    let (mut base, new) = alternating(3, &mut noise, 0.0);
    base[0]
        .thresholds
        .push(runs::threshold("requests", "p99 < 1s"));
    let found = compare(&request(&base, &new)).unwrap();
    let first = &found.figures[0];
    assert!(first.is_primary);
    assert_eq!(first.figure.aggregate, plan::Aggregate::Percentile(99.0));
    assert_eq!(found.figures.iter().filter(|one| one.is_primary).count(), 1);
}
