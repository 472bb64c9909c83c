use capacity::{Scalability, ScalabilityRefusal, scalability};
use record::{Level, Run};

use super::levels::{idle, level, with};

fn run(levels: Vec<Level>) -> Run {
    Run {
        levels,
        ..Run::default()
    }
}

/// Levels with these operations in flight, whose throughput follows the law up to this relative error, in turn.
fn law((lambda, sigma, kappa): (f64, f64, f64), in_flight: &[f64], error: f64) -> Run {
    let signs = [1.0, -1.0, -1.0, 1.0].into_iter().cycle();
    let levels = in_flight.iter().zip(signs).map(|(n, sign)| {
        let below = 1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0);
        let per_s = lambda * n / below * (1.0 + sign * error);
        with(level(per_s, n / per_s * 1e3), idle())
    });
    run(levels.collect())
}

fn refused(run: &Run) -> ScalabilityRefusal {
    match scalability(run) {
        Scalability::Refused(refusal) => refusal,
        Scalability::Fitted(fitted) => panic!("{fitted:#?}"),
    }
}

const LOADS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

#[test]
fn contention_and_coherence_are_estimated_with_their_peak() {
    let Scalability::Fitted(fitted) = scalability(&law((200.0, 0.05, 0.001), &LOADS, 0.01)) else {
        panic!("refused")
    };
    let near = |value: f64, truth: f64| (value / truth - 1.0).abs() < 0.1;
    assert!(near(fitted.usl.lambda.value, 200.0), "{fitted:#?}");
    assert!(near(fitted.usl.sigma.value, 0.05), "{fitted:#?}");
    assert!(near(fitted.usl.kappa.value, 0.001), "{fitted:#?}");
    let peak = fitted.peak_in_flight().unwrap(); // √(0.95 ÷ 0.001)
    assert!(near(peak, 30.8), "{peak}");
    assert_eq!(fitted.limit_per_s(), None);
}

#[test]
fn contention_alone_has_a_limit_and_no_peak() {
    let Scalability::Fitted(fitted) = scalability(&law((100.0, 0.2, 0.0), &LOADS, 0.01)) else {
        panic!("refused")
    };
    assert_eq!(fitted.peak_in_flight(), None, "{fitted:#?}");
    let limit = fitted.limit_per_s().unwrap(); // 100 ÷ 0.2
    assert!((limit / 500.0 - 1.0).abs() < 0.1, "{limit}");
}

#[test]
fn a_fit_is_refused_if_the_loads_do_not_support_it() {
    let parameters = (100.0, 0.2, 0.0);
    let is = |refusal: ScalabilityRefusal, expected: &str| {
        let json = serde_json::to_value(refusal).unwrap();
        assert_eq!(json["because"], expected, "{json}");
    };
    is(refused(&run(Vec::new())), "too_few_loads");
    is(
        refused(&law(parameters, &LOADS[..4], 0.01)),
        "too_few_loads",
    );
    is(refused(&law(parameters, &[8.0; 9], 0.01)), "too_few_loads");
    let narrow = [8.0, 10.0, 12.0, 15.0, 18.0, 22.0];
    is(refused(&law(parameters, &narrow, 0.01)), "narrow_range");
    is(refused(&law((100.0, 0.0005, 0.0), &LOADS, 0.01)), "linear");
    is(refused(&law(parameters, &LOADS, 0.3)), "poor_fit");
    is(
        refused(&law((100.0, -0.01, 0.0), &LOADS, 0.001)),
        "superlinear",
    );
}

/// Four places of 20 ms: throughput has a kink and then stays. The law's curve has a peak between the loads and falls beyond.
#[test]
fn a_peak_that_no_load_has_shown_is_refused() {
    let per_s = |in_flight: f64| (in_flight / 0.02).min(200.0);
    let loads = [1.0, 2.0, 3.0, 4.0, 8.0, 16.0];
    let levels = loads.map(|n| with(level(per_s(n), n / per_s(n) * 1e3), idle()));
    let refused = serde_json::to_value(refused(&run(levels.to_vec()))).unwrap();
    assert_eq!(refused["because"], "plateau", "{refused}");
    assert_eq!(refused["per_s"], 200.0);
}

const FOUR_LOADS: ScalabilityRefusal = ScalabilityRefusal::TooFewLoads {
    loads: 4,
    needed: 5,
};

#[test]
fn levels_that_fail_or_are_invalid_do_not_count() {
    let mut run = law((100.0, 0.2, 0.0), &LOADS, 0.01);
    for level in &mut run.levels[..3] {
        for timings in level.measured.requests.values_mut() {
            timings.failed = timings.count / 2;
        }
    }
    assert_eq!(refused(&run), FOUR_LOADS);
}

#[test]
fn rate_profiles_do_not_count() {
    let mut run = law((100.0, 0.2, 0.0), &LOADS, 0.01);
    for level in &mut run.levels[..3] {
        level.load.rate = Some("0/s to 100/s over 10s".into());
    }
    assert_eq!(refused(&run), FOUR_LOADS);
}
