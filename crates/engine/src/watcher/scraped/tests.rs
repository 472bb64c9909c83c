use model::{Fault, FaultKind};
use serde_json::json;

use super::*;

fn watch(only: &[&str]) -> Watch {
    Watch {
        only: only.iter().map(|name| (*name).to_owned()).collect(),
        ..Watch::default()
    }
}

/// Creates the values from responses, each with its time in seconds.
fn scraped(only: &[&str], answers: &[(u64, &str)]) -> Scraped {
    let mut scraped = Scraped::default();
    for (at, text) in answers {
        let answer = Answer {
            at: Nanos::from_secs(*at),
            result: Ok(Exposition::parse(text)),
        };
        scraped.add(answer, &watch(only));
    }
    scraped
}

#[test]
fn cpu_is_the_counters_rate_and_a_restart_is_no_negative_one() {
    let cpu = |seconds: f64, start: u64| {
        format!("process_cpu_seconds_total {seconds}\nprocess_start_time_seconds {start}\n")
    };
    let texts = [cpu(100.0, 50), cpu(100.5, 50), cpu(0.25, 90), cpu(0.75, 90)];
    let answers: Vec<(u64, &str)> = (10..).zip(texts.iter().map(String::as_str)).collect();
    let target = scraped(&[], &answers).target(Nanos::from_secs(10));
    assert_eq!(
        target.cpu_percent,
        Some(50.0),
        "the step across the restart is left out"
    );
    let steps: Vec<_> = target
        .samples
        .iter()
        .map(|sample| sample.cpu_percent)
        .collect();
    assert_eq!(steps, [None, Some(50.0), None, Some(50.0)]);
    assert_eq!(target.ends.len(), 1);
    assert_eq!(target.ends[0].at_s.to_bits(), 2.0_f64.to_bits());
    assert_eq!(target.memory_mb_max, None, "never 0");
}

#[test]
fn counters_become_rates_and_gauges_stay_values() {
    let text = |n: u32, level: f64| format!("jobs_total{{a=\"b\"}} {n}\nlevel {level}\nother 1\n");
    let texts = [text(1_000, 2.0), text(1_010, 4.0), text(30, 3.0)];
    let answers: Vec<(u64, &str)> = (0..)
        .step_by(2)
        .zip(texts.iter().map(String::as_str))
        .collect();
    let metrics = scraped(&["jobs_total", "lev*"], &answers).metrics(Nanos::ZERO);
    assert_eq!(metrics.len(), 2);
    let jobs = serde_json::to_value(&metrics["jobs_total{a=\"b\"}"]).unwrap();
    assert_eq!(
        jobs,
        json!({
            "rate": true, "increase": 40.0, "mean": 10.0, "min": 5.0, "max": 15.0, "last": 15.0,
            "series": [[2.0, 5.0], [4.0, 15.0]],
        }),
        "one that falls began again at zero"
    );
    let level = serde_json::to_value(&metrics["level"]).unwrap();
    assert_eq!(
        (&level["mean"], &level["increase"]),
        (&json!(3.0), &json!(null))
    );
}

#[test]
fn what_failed_is_counted_with_its_first_reason() {
    let mut scraped = scraped(&[], &[(0, "a 1")]);
    for why in ["first", "second"] {
        let answer = Answer {
            at: Nanos::ZERO,
            result: Err(Fault::target(FaultKind::Reset, why)),
        };
        scraped.add(answer, &watch(&[]));
    }
    let url = Url::parse("http://127.0.0.1/metrics").unwrap();
    let scrapes = scraped.scrapes(&url);
    assert_eq!((scrapes.asked, scrapes.failed), (3, 2));
    assert!(scrapes.first_failure.unwrap().contains("first"));
    assert!(!scraped.tells_of_a_process());
}

#[test]
fn more_series_than_are_kept_are_counted() {
    let lines: Vec<String> = (0..250).map(|n| format!("x{{n=\"{n}\"}} 1")).collect();
    let text = lines.join("\n");
    let scraped = scraped(&["x"], &[(0, &text), (1, &text)]);
    assert_eq!(scraped.metrics(Nanos::ZERO).len(), MOST_SERIES);
    let url = Url::parse("http://127.0.0.1/").unwrap();
    assert_eq!(scraped.scrapes(&url).series_left_out, 50);
}
