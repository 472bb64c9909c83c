use model::Nanos;
use plan::Subject;
use record::MetricKind;

use super::*;

fn seen(subject: &str, condition: &str, level: &Level) -> Seen {
    let subject = Subject::parse(subject).unwrap();
    observe(&Threshold::parse(&subject, condition).unwrap(), level)
}

/// The observed number, if its exact value is known.
fn number(subject: &str, condition: &str, level: &Level) -> Option<f64> {
    match seen(subject, condition, level).ok()? {
        Observed::Number { low, high, .. } => {
            assert!(
                (low - high).abs() < 1e-9 || low.is_infinite(),
                "{subject}: {condition}"
            );
            Some(low)
        }
        Observed::Percentile(percentile) => percentile.stated,
    }
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
    assert_eq!(number("requests", "mean < 1s", &level), Some(5e6));
    timings.ran_out(Nanos::from_secs(3));
    level.measured.requests.insert(name, timings);
    for condition in ["mean < 1s", "max < 1s"] {
        let longer_than_all = number("requests", condition, &level);
        assert_eq!(longer_than_all, Some(f64::INFINITY), "{condition}");
    }
    assert_eq!(number("requests", "min < 1s", &level), Some(5e6));
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
    assert_eq!(number("metric(score)", "p99 < 8", &level), None);
    metric.record(7.0, 1.0);
    set(&mut level, &metric);
    assert_eq!(number("metric(score)", "p99 < 8", &level), Some(7.0));
}

#[test]
fn values_of_an_own_metric_that_are_no_numbers_are_on_neither_side() {
    let mut metric = Metric::new(MetricKind::Trend);
    for value in [7.0, -3.0, 9.5] {
        metric.record(value, 1.0);
    }
    (0..40).for_each(|_| metric.record(f64::NAN, 1.0));
    let mut level = Level::default();
    level.measured.metrics.insert("score".to_owned(), metric);
    let Ok(Observed::Percentile(percentile)) = seen("metric(score)", "p50 < 8", &level) else {
        panic!("a percentile")
    };
    let sides = Sides {
        within: 2,
        beyond: 1,
        unknown: 40,
    };
    assert_eq!(percentile.sides, sides);
}

#[test]
fn a_step_that_nobody_reached_breaks_its_threshold_and_never_holds_one() {
    let mut level = Level::default();
    let reached = |level: &Level, condition| number("step(pay)", condition, level);
    assert_eq!(reached(&level, "reached == 100%"), None);
    level.measured.iterations.started = 16;
    for broken in ["reached == 100%", "reached >= 50%", "reached >= 1"] {
        assert_eq!(reached(&level, broken), Some(0.0), "{broken}");
    }
    // The name may be misspelt.
    assert_eq!(reached(&level, "reached <= 3"), None);
    assert_eq!(reached(&level, "failed == 0"), None);
    // The iterations may still reach the step.
    level.measured.iterations.unfinished = 16;
    assert_eq!(reached(&level, "reached == 100%"), None);
    level.measured.iterations.unfinished = 0;
    // The step may belong to a scenario of the mix that has not started.
    let mix = &mut level.measured.scenarios;
    mix.insert("browse".to_owned(), Iterations::default());
    assert_eq!(reached(&level, "reached == 100%"), None);
}

#[test]
fn what_is_in_flight_lies_beyond_an_upper_limit_and_within_a_lower_one_by_its_age() {
    let mut timings = Timings::default();
    for (count, ms) in [(20, 5), (10, 500)] {
        let time = Nanos::from_millis(ms);
        (0..count).for_each(|_| timings.answered(time, time, false));
    }
    (0..4).for_each(|_| timings.left_open(Nanos::from_millis(40)));
    (0..3).for_each(|_| timings.left_open(Nanos::from_millis(10)));
    let mut level = Level::default();
    level.measured.requests.insert("GET /".to_owned(), timings);
    for (condition, within, beyond) in [("p50 < 30ms", 20, 10 + 4), ("p50 > 30ms", 10 + 4, 20)] {
        let Ok(Observed::Percentile(percentile)) = seen("requests", condition, &level) else {
            panic!("a percentile")
        };
        let sides = Sides {
            within,
            beyond,
            unknown: 3,
        };
        assert_eq!(percentile.sides, sides, "{condition}");
        assert_eq!(sides.all(), 37);
    }
}

#[test]
fn a_level_that_was_not_measured_has_no_rate() {
    let mut metric = Metric::new(MetricKind::Counter);
    metric.record(7.0, 1.0);
    let mut level = Level::default();
    level.measured.metrics.insert("sold".to_owned(), metric);
    assert_eq!(number("metric(sold)", "rate < 5", &level), None);
}

#[test]
fn a_threshold_selects_requests_by_name_and_by_tags() {
    let mut level = Level::default();
    let mut add = |name: &str, count: u64| {
        let mut timings = Timings::default();
        let time = Nanos::from_millis(count);
        (0..count).for_each(|_| timings.answered(time, time, false));
        level.measured.requests.insert(name.to_owned(), timings);
    };
    add("GET /", 1);
    add("GET /{region=eu}", 2);
    add("GET /{region=us,size=big}", 4);
    add("PUT /{region=eu,size=big}", 8);
    let count = |subject: &str| number(subject, "count > 0", &level);
    assert_eq!(count("requests"), Some(15.0));
    assert_eq!(count("request(GET /)"), Some(7.0));
    assert_eq!(count("request(GET /{region=eu})"), Some(2.0));
    assert_eq!(count("request({region=eu})"), Some(10.0));
    assert_eq!(count("request({size=big,region=us})"), Some(4.0));
    assert_eq!(count("request(PUT /{region=us})"), None);
    assert_eq!(number("request(GET /)", "max < 1s", &level), Some(4e6));
}

#[test]
fn tags_that_were_not_counted_separately_leave_a_threshold_by_tags_without_data() {
    let mut level = Level::default();
    for name in ["GET /{user=1}", "GET /{further tags}", "PUT /{user=1}"] {
        let mut timings = Timings::default();
        timings.answered(Nanos(1), Nanos(1), false);
        level.measured.requests.insert(name.to_owned(), timings);
    }
    let count = |subject: &str| number(subject, "count > 0", &level);
    assert_eq!(count("request(GET /)"), Some(2.0));
    assert_eq!(count("request(PUT /{user=1})"), Some(1.0));
    assert_eq!(count("request(GET /{user=1})"), None);
    assert_eq!(count("request({user=1})"), None);
}
