use plan::{Options, Overrides, RateProfile, Subject, Threshold, duration, size, with_overrides};
use serde_json::Value;

use crate::{Target, bytes_of, text_of, two_of};

/// Parses the JSON that a script exports as its options. This target damages real options, while
/// `plan/tests/any_json.rs` generates arbitrary JSON.
pub(crate) const OPTIONS: Target = Target {
    name: "options",
    run: options,
    seeds: || {
        bytes_of(&[
            r#"{"target":"http://127.0.0.1:5000","group":5,"load":{"users":[10,30,50,200,1000],"duration":"30s","ramp":"5s"},
"thresholds":{"delivery(code-change)":["p95 < 100ms","lost == 0"],"iterations":["failed < 0.1%"]}}"#,
            r#"{"group":{"buyer":1,"sellers":3},"load":{"groups":[1,2,4],"once":true},"timeouts":{"connect":"1s","total":"5s"}}"#,
            r#"{"load":{"rate":"100/s","users":50,"duration":"30s"},"headers":{"x":"y"},"maxMessage":"1MB","script":{"memory":"64MB",
"time":"1s"}}"#,
            r#"{"load":{"rate":["0/s","1000/s"],"users":5,"duration":1000},"leftovers":{"url":"/x","at":"/n"},"seed":7,
"redirects":3}"#,
            r#"{"load":[{"rate":"500/s","for":"10s"},{"rate":0,"for":"50s"}],"deadline":"2s","settle":"1s","insecure":true}"#,
        ])
    },
    words: &[
        "\"load\":",
        "\"rate\":",
        "\"users\":",
        "\"duration\":",
        "\"100/s\"",
        "\"ramp\":",
        "\"1s\"",
        "null",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"once\":true",
        "\"thresholds\":{",
        "\"mix\":",
        "\"burst\":",
        "\"steps\":",
        "\"warmup\":",
        "\"poisson\"",
        "1e400",
        "true",
    ],
    memory: 8 << 20,
};

fn options(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let judge = |value: &Value| match Options::from_json(value) {
        Ok(options) => {
            assert!(options.deadline <= duration::LONGEST && options.settle <= duration::LONGEST);
            assert_eq!(
                Options::from_json(value).ok(),
                Some(options),
                "read twice, two meanings"
            );
        }
        Err(problems) => assert!(!problems.to_string().trim().is_empty()),
    };
    judge(&value);
    let overrides = Overrides {
        users: Some(text_of(&data[..data.len().min(5)])),
        duration: Some("1s".to_owned()),
        ..Overrides::default()
    };
    judge(&with_overrides(value, &overrides));
}

/// Parses a threshold, with its subject in the first line and its condition in the rest.
pub(crate) const THRESHOLDS: Target = Target {
    name: "thresholds",
    run: thresholds,
    seeds: || {
        bytes_of(&[
            "requests\np95 < 100ms",
            "delivery(code-change)\nlost == 0",
            "iterations\nfailed < 0.1%",
            "request(GET /x)\nrate > 100/s",
            "target\nmemory < 1.5GB",
            "check(ok)\nfailed <= 3",
            "metric(size)\np99.9 >= 12e3",
        ])
    },
    words: &[
        "p50", "p99.99", "mean", "max", "rate", "count", " < ", " >= ", "==", "ms", "µs", "%", "(",
        ")", "MB", "/s", "é",
    ],
    memory: 1 << 20,
};

fn thresholds(data: &[u8]) {
    let (key, text) = two_of(data);
    let (key, text) = (text_of(key), text_of(text));
    let fits = |error: &plan::threshold::ThresholdError| {
        assert!(
            error.text.get(error.span.clone()).is_some(),
            "{:?} of {:?}",
            error.span,
            error.text
        );
        assert!(!error.to_string().is_empty());
    };
    let subject = match Subject::parse(&key) {
        Ok(subject) => subject,
        Err(error) => return fits(&error),
    };
    match Threshold::parse(&subject, &text) {
        Ok(threshold) => {
            assert!(!threshold.limit.value.is_nan());
            assert!(!threshold.holds(f64::NAN) || threshold.limit.value.is_infinite());
            assert_eq!(
                Threshold::parse(&subject, &threshold.source),
                Ok(threshold.clone())
            );
        }
        Err(error) => fits(&error),
    }
}

/// Parses durations and sizes.
pub(crate) const UNITS: Target = Target {
    name: "units",
    run: units,
    seeds: || {
        bytes_of(&[
            "1s", "1.5h", "250ms", "30d", "7us", "10kB", "1.5GB", "12", "0.1 min",
        ])
    },
    words: &[
        "ms", "us", "µs", "s", "m", "h", "d", "kB", "MB", "GiB", "e9", ".", "-", " ", "∞",
    ],
    memory: 1 << 20,
};

fn units(data: &[u8]) {
    let text = text_of(data);
    match duration::parse(&text) {
        Ok(span) => {
            assert!(span <= duration::LONGEST);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    match size::parse(&text) {
        Ok(bytes) => assert!(bytes <= size::LARGEST),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Parses rate profiles.
pub(crate) const COURSES: Target = Target {
    name: "courses",
    run: courses,
    seeds: || {
        bytes_of(&[
            "500/s for 10s, nothing for 50s, 5 times",
            "0/s to 1000/s over 30s, 1000/s for 1m",
            "30/m",
            "1.5/h",
        ])
    },
    words: &[
        "/s", "/m", "/h", " for ", " to ", " over ", "nothing", ", ", " times", "1s", "30d", "0/s",
        "1e9",
    ],
    memory: 4 << 20,
};

fn courses(data: &[u8]) {
    match RateProfile::parse(&text_of(data)) {
        Ok(profile) => {
            let (first, highest) = (profile.first_rate(), profile.highest_rate());
            assert!(first >= 0.0 && highest > 0.0 && first <= highest);
            assert!(highest <= plan::rate_profile::HIGHEST_RATE);
            let RateProfile::Segments(segments) = profile else {
                return;
            };
            let lasts = segments
                .iter()
                .fold(0, |sum: u64, leg| sum.saturating_add(leg.lasts.0));
            assert!(!segments.is_empty() && 0 < lasts && lasts <= duration::LONGEST.0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
