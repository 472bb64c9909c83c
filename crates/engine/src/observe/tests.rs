use model::Nanos;
use plan::Subject;
use record::MetricKind;

use super::*;

fn observed(subject: &str, condition: &str, level: &Level) -> Observed {
    let subject = Subject::parse(subject).unwrap();
    observe(&Threshold::parse(&subject, condition).unwrap(), level)
}

#[test]
fn no_mean_and_no_longest_where_something_timed_out() {
    let mut timings = Timings::default();
    let time = Nanos::from_millis(5);
    (0..1000).for_each(|_| timings.answered(time, time, false));
    let mut level = Level::default();
    let name = "GET /".to_owned();
    level
        .measured
        .requests
        .insert(name.clone(), timings.clone());
    assert_eq!(observed("requests", "mean < 1s", &level), Ok(5e6));
    timings.ran_out(Nanos::from_secs(3));
    level.measured.requests.insert(name, timings);
    for condition in ["mean < 1s", "max < 1s"] {
        let observed = observed("requests", condition, &level);
        assert_eq!(observed, Err(Missing::TimedOut), "{condition}");
    }
    assert_eq!(observed("requests", "min < 1s", &level), Ok(5e6));
}

#[test]
fn a_percentile_of_an_own_metric_needs_ten_samples_beyond_it() {
    let mut metric = Metric::new(MetricKind::Trend);
    let mut level = Level::default();
    (0..999).for_each(|_| metric.record(7.0, 1.0));
    let set = |level: &mut Level, metric: &Metric| {
        let metrics = &mut level.measured.metrics;
        metrics.insert("score".to_owned(), metric.clone());
    };
    set(&mut level, &metric);
    let too_few = Err(Missing::TooFew {
        have: 999,
        need: 1000,
    });
    assert_eq!(observed("metric(score)", "p99 < 8", &level), too_few);
    metric.record(7.0, 1.0);
    set(&mut level, &metric);
    assert_eq!(observed("metric(score)", "p99 < 8", &level), Ok(7.0));
}

#[test]
fn a_step_that_nobody_reached_breaks_its_promise_and_never_keeps_one() {
    let mut level = Level::default();
    let reached = |level: &Level, condition| observed("step(pay)", condition, level);
    assert_eq!(reached(&level, "reached == 100%"), Err(Missing::Unmeasured));
    level.measured.iterations.started = 16;
    for broken in ["reached == 100%", "reached >= 50%", "reached >= 1"] {
        assert_eq!(reached(&level, broken), Ok(0.0), "{broken}");
    }
    // The name may be misspelt.
    assert_eq!(reached(&level, "reached <= 3"), Err(Missing::Unmeasured));
    assert_eq!(reached(&level, "failed == 0"), Err(Missing::Unmeasured));
    // It may be a step of a scenario of the mix that was not begun.
    let mix = &mut level.measured.scenarios;
    mix.insert("browse".to_owned(), Iterations::default());
    assert_eq!(reached(&level, "reached == 100%"), Err(Missing::Unmeasured));
}
