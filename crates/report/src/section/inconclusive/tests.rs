use record::{IssueCause, LevelIssue, Load, Phases};

use super::*;

fn run(load: Load) -> Run {
    let level = Level {
        load,
        phases: Phases {
            duration_s: 5.0,
            ..Phases::default()
        },
        issues: vec![LevelIssue::invalid(IssueCause::NotMeasured)],
        ..Level::default()
    };
    Run {
        levels: vec![level],
        ..Run::default()
    }
}

fn said(load: Load, why: Inconclusive) -> String {
    let result = ThresholdResult {
        inconclusive: Some(why),
        ..ThresholdResult::default()
    };
    observed(&run(load), &result)
}

#[test]
fn too_few_samples_say_what_would_supply_them() {
    let few = Inconclusive::TooFewSamples {
        have: 50,
        need: 299,
    };
    let open = Load {
        rate_per_s: Some(10.0),
        users: 100,
        ..Load::default()
    };
    assert_eq!(
        said(open, few),
        "needs about 249 more samples (50 of 299): 25 s more"
    );
    let closed = Load {
        users: 10,
        groups: 10,
        ..Load::default()
    };
    assert_eq!(
        said(closed, few),
        "needs about 249 more samples (50 of 299): 25 s or 50 users more"
    );
    let once = Load {
        users: 50,
        groups: 50,
        once: true,
        ..Load::default()
    };
    assert_eq!(
        said(once, few),
        "needs about 249 more samples (50 of 299): 249 users more"
    );
    // Each user does it once and stays: more time yields nothing.
    let staying = Load {
        users: 50,
        groups: 10,
        ..Load::default()
    };
    assert_eq!(
        said(staying, few),
        "needs about 249 more samples (50 of 299): 249 users more"
    );
}

#[test]
fn a_generator_at_its_limit_is_not_too_few_samples() {
    let load = || Load {
        users: 10,
        ..Load::default()
    };
    assert_eq!(
        said(load(), Inconclusive::InvalidLevel),
        "the level is invalid"
    );
    let shortfall = Shortfall::StartsDropped {
        dropped: 30,
        planned: 100,
    };
    assert_eq!(
        said(load(), Inconclusive::LessLoad { shortfall }),
        "the threshold held, but the load was lower than planned: 30 of 100 (30.0 %) planned starts were dropped"
    );
    assert_eq!(
        said(load(), Inconclusive::InFlight { open: 403 }),
        "403 operations in flight at the end could still decide the threshold"
    );
}

#[test]
fn what_was_counted_stands_where_there_is_no_percentile() {
    let result = |of, what| ThresholdResult {
        counted: Some(Counted {
            beyond: 0,
            of,
            what,
        }),
        held: Some(true),
        ..ThresholdResult::default()
    };
    let run = run(Load::default());
    assert_eq!(
        observed(&run, &result(59, CountedKind::Values)),
        "0 of 59 beyond the limit"
    );
    assert_eq!(
        observed(&run, &result(59, CountedKind::Messages)),
        "0 of 59 messages beyond the limit"
    );
}

#[test]
fn a_warning_before_the_run_says_what_to_do() {
    let few = Forecast {
        threshold: "requests: p99 < 1s".to_owned(),
        level: 1,
        samples: 50,
        one_each: true,
        need: 299,
        duration_s: Some(29.9),
    };
    assert_eq!(
        forecast_line(&few),
        "`requests: p99 < 1s` will be inconclusive: level 1 will have 50 samples (at one per iteration), but the \
         threshold needs 299; \
         measure for 30 s"
    );
}
