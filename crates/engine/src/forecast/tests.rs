use plan::Options;
use serde_json::json;

use super::*;

fn forecast_of(load: &serde_json::Value, thresholds: &serde_json::Value) -> Vec<Forecast> {
    let options = json!({ "target": "http://127.0.0.1:1", "load": load, "thresholds": thresholds });
    forecasts(&Options::from_json(&options).unwrap())
}

#[test]
fn fifty_samples_cannot_show_a_p99_and_it_is_said_before() {
    let load = json!({ "rate": "10/s", "duration": "5s", "users": 5 });
    let found = forecast_of(
        &load,
        &json!({ "iterations": ["p99 < 1s", "p90 < 1s", "failed == 0"] }),
    );
    let expected = Forecast {
        threshold: "iterations: p99 < 1s".to_owned(),
        level: 1,
        samples: 50,
        one_each: false,
        need: 299,
        duration_s: Some(29.9),
    };
    assert_eq!(found, [expected]);
}

#[test]
fn a_level_that_is_run_once_has_as_many_samples_as_groups() {
    let load = json!({ "groups": [100, 20], "once": true });
    let found = forecast_of(
        &load,
        &json!({ "step(pay)": "p95 < 1s", "iterations": "p50 < 1s" }),
    );
    assert_eq!(found.len(), 1);
    let one = &found[0];
    assert_eq!(
        (
            one.level,
            one.samples,
            one.need,
            one.one_each,
            one.duration_s
        ),
        (2, 20, 59, true, None)
    );
}

#[test]
fn nothing_is_said_of_what_cannot_be_calculated_or_is_enough() {
    let none = |load, thresholds| assert_eq!(forecast_of(&load, &thresholds), []);
    none(
        json!({ "users": 2, "duration": "1s" }),
        json!({ "requests": "p99.9 < 1s" }),
    );
    none(
        json!({ "rate": "100/s", "duration": "5s", "users": 5 }),
        json!({ "requests": "p99 < 1s" }),
    );
    none(
        json!({ "rate": "1/s", "duration": "5s", "users": 5 }),
        json!({ "deliveries": "p99 < 1s" }),
    );
    none(
        json!({ "rate": "1/s", "duration": "5s", "users": 5 }),
        json!({ "requests": "p99 < 1s up to 0.5/s" }),
    );
    none(
        json!({ "groups": 59, "once": true }),
        json!({ "iterations": "p95 < 1s" }),
    );
    // The number of starts of one scenario is not computed.
    none(
        json!({ "groups": 5, "once": true }),
        json!({ "iteration(buy)": "p95 < 1s" }),
    );
}

#[test]
fn of_a_mix_only_iterations_are_forecast() {
    let options = json!({
        "target": "http://127.0.0.1:1",
        "mix": { "buy": 1, "browse": 3 },
        "load": { "groups": 5, "once": true },
        "thresholds": { "requests": "p95 < 1s", "iterations": "p95 < 1s" },
    });
    let found = forecasts(&Options::from_json(&options).unwrap());
    let of: Vec<_> = found.iter().map(|one| one.threshold.as_str()).collect();
    assert_eq!(of, ["iterations: p95 < 1s"]);
}
