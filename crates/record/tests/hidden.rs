//! Hidden values appear in no text that could contain them.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use model::{FaultKind, HiddenValues, Side};
use record::{
    Cause, Confidence, DelayedAcknowledgement, Evidence, Example, Finding, FirstFailure,
    FunnelStep, IssueCause, Level, LevelIssue, Limited, Mismatch, Note, RateLimiter, Run, Scrapes,
    SlowSetup, Sources, StepFunnel, Teardown, Unfinished, UniquenessCollisions, Unknown, from_json,
    to_json,
};
use serde_json::Value;

const MARK: &str = "sEcrEt-";

fn named<T: Default>(name: &str) -> BTreeMap<String, T> {
    [(name.to_owned(), T::default())].into()
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// A run that has a text in every place where a run can have one.
fn run_with_every_text() -> Run {
    let mut run = common::run();
    run.options = serde_json::json!({ "headers": { "X-A": "b" }, "source": ["127.0.0.9"], "thresholds": { "requests": "p95 < 1s" } });
    run.script.env = vec![text("TOKEN")];
    run.sources = Some(Sources {
        given: vec![text("127.0.0.9")],
        addresses: 1,
    });
    let setup = run.setup.get_or_insert_default();
    setup.requests = named("POST /users");
    setup.checks = named("made");
    setup.failures = vec![common::failure(0.1, 1)];
    run.teardown = Some(Teardown {
        requests: named("DELETE /users"),
        checks: named("gone"),
        failures: vec![common::failure(9.0, 1)],
        ..Teardown::default()
    });
    run.notes.extend([
        Note::LeftoversUnknown {
            url: text("http://a/left"),
            error: text("refused"),
        },
        Note::EndedEarly {
            error: text("over"),
        },
    ]);
    run.findings = findings();
    fill_level(&mut run.levels[0]);
    run
}

/// A finding of each cause that names an operation.
fn findings() -> Vec<Finding> {
    let name = || text("GET /a");
    let causes = [
        Cause::RateLimiter(RateLimiter::default()),
        Cause::SlowSetup(SlowSetup {
            name: name(),
            ..SlowSetup::default()
        }),
        Cause::DelayedAcknowledgement(DelayedAcknowledgement {
            name: name(),
            ..DelayedAcknowledgement::default()
        }),
        Cause::UniquenessCollisions(UniquenessCollisions {
            name: name(),
            ..UniquenessCollisions::default()
        }),
    ];
    let of = |cause| Finding {
        cause,
        confidence: Confidence::High,
        levels: vec![0],
        limits: Vec::new(),
        evidence: vec![
            Evidence::SlowerAt {
                name: Some(name()),
                ms: 2.0,
                than_ms: 1.0,
            },
            Evidence::GeneratorIssue {
                issue: small_messages(),
            },
        ],
        unknown: vec![Unknown::OtherRoutes {
            refused: vec![name()],
            free: Some(text("GET /b")),
        }],
        advice: Vec::new(),
    };
    causes.map(of).into()
}

fn small_messages() -> IssueCause {
    IssueCause::SmallMessages {
        spent_percent: 9.0,
        connection: text("host:80"),
    }
}

fn fill_level(level: &mut Level) {
    level.load.rate = Some(text("5/s"));
    level.load.arrivals = Some(text("even"));
    level
        .issues
        .push(LevelIssue::questionable(small_messages()));
    level.limited = Some(Limited {
        names: [(text("GET /a"), 3)].into(),
        ..Limited::default()
    });
    let target = level.target.get_or_insert_default();
    target.metrics = named("queue{room=\"a\"}");
    target.scrapes = Some(Scrapes {
        url: text("http://a/metrics"),
        first_failure: Some(text("status 500")),
        ..Scrapes::default()
    });
    let measured = &mut level.measured;
    measured.scenarios = named("buy");
    measured.converged = named("document");
    let mut placed = common::deliveries();
    placed.misplaced.first = Some(Mismatch::Place {
        looks: text("/a"),
        stands: text("/b"),
    });
    measured.deliveries.insert(text("placed"), placed);
    let mut valued = common::deliveries();
    valued.misplaced.first = Some(Mismatch::Value {
        at: text("/a"),
        wanted: text("\"b\""),
        came: Some(text("\"c\"")),
    });
    measured.deliveries.insert(text("valued"), valued);
    let mut heard = common::deliveries();
    heard.misplaced.first = Some(Mismatch::Event {
        wanted: text("a"),
        came: text("b"),
    });
    measured.deliveries.insert(text("heard"), heard);
    let path = vec![text("buy"), text("pay")];
    measured.funnel = StepFunnel {
        steps: vec![FunnelStep {
            path: path.clone(),
            scenario: Some(text("buy")),
            ..FunnelStep::default()
        }],
        first_failures: vec![FirstFailure {
            step: Some(path.clone()),
            side: Side::Target,
            kind: FaultKind::Status,
            status: Some(503),
            what: text("GET /a"),
            failed: 1,
            succeeded: 0,
            first: Example {
                detail: text("503"),
                ..Example::default()
            },
        }],
        unfinished: vec![Unfinished {
            step: Some(path),
            count: 1,
        }],
    };
}

/// Texts that cannot contain a value of a variable: they come from this program, the machine or the scenario's file.
const FROM_ELSEWHERE: [&str; 14] = [
    "/ended_at",
    "/levels/*/load/arrivals",
    "/levels/*/measured/failures/*/first/location",
    "/levels/*/measured/failures/*/first/user",
    "/levels/*/target/busiest_thread/name",
    "/levels/*/target/name",
    "/script/env/*",
    "/script/path",
    "/script/sha256",
    "/script/source",
    "/script_faults/*/first/location",
    "/script_faults/*/first/user",
    "/started_at",
    "/tool",
];

#[test]
fn no_text_that_could_contain_a_value_keeps_it() {
    let marked = marked(&run_with_every_text());
    let mut run = from_json(&marked.to_string()).unwrap();
    let before = places(&json(&run));
    for place in ["/options/+/+", "/target", "/levels/*/measured/requests/+"] {
        assert!(before.contains(&place.to_owned()), "{place} in {before:#?}");
    }
    run.hide(&HiddenValues::new([MARK]));
    let mut left = places(&json(&run));
    // `setup` and `teardown` have the same failures.
    left.retain(|place| {
        !place.starts_with("/setup/failures/") && !place.starts_with("/teardown/failures/")
    });
    assert_eq!(left, FROM_ELSEWHERE);
    assert_eq!(from_json(&to_json(&run).unwrap()).unwrap(), run);
}

#[test]
fn no_text_keeps_the_credentials_of_a_url() {
    let mut run = common::run();
    let url = "at http://ann:sesame@host/a";
    run.thresholds[0].metric = text(url);
    run.options = serde_json::json!({ "headers": { "referer": url } });
    let measured = &mut run.levels[0].measured;
    measured.requests = named(url);
    measured.failures = vec![common::failure(0.1, 1)];
    measured.failures[0].first.detail = text(url);
    run.hide(&HiddenValues::default());
    let shown = "at http://***@host/a";
    assert_eq!(run.thresholds[0].metric, shown);
    assert_eq!(run.options["headers"]["referer"], shown);
    let measured = &run.levels[0].measured;
    assert!(measured.requests.contains_key(shown));
    assert_eq!(measured.failures[0].first.detail, shown);
}

#[test]
fn names_that_become_equal_are_kept_apart() {
    let mut run = common::run();
    let requests = &mut run.levels[0].measured.requests;
    requests.clear();
    for (name, count) in [("GET /one1", 1), ("GET /two2", 2), ("GET /x", 3)] {
        requests.insert(text(name), common::requests(count + 1));
    }
    run.hide(&HiddenValues::new(["one1", "two2"]));
    let requests = &run.levels[0].measured.requests;
    let told: Vec<_> = requests
        .iter()
        .map(|(name, it)| (name.as_str(), it.count))
        .collect();
    assert_eq!(told, [("GET /***", 2), ("GET /*** (2)", 3), ("GET /x", 4)]);
}

#[test]
fn figures_and_identifiers_stay() {
    let mut run = run_with_every_text();
    let whole = run.clone();
    run.hide(&HiddenValues::default());
    assert_eq!(run, whole);
    // Each of these is the name of a key, an identifier or a figure of the record.
    run.hide(&HiddenValues::new([
        "users", "target", "reset", "p95_ms", "1000", "null", "true", "status",
    ]));
    let hidden = from_json(&to_json(&run).unwrap()).unwrap();
    assert_eq!(hidden.levels[0].load, whole.levels[0].load);
    assert_eq!(
        hidden.levels[0].measured.failures[0].kind,
        FaultKind::Status
    );
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&to_json(run).unwrap()).unwrap()
}

/// Adds the mark to every text and every name that can have it: the run must still be readable and keep the mark.
fn marked(run: &Run) -> Value {
    let mut whole = json(run);
    let mut pointers = Vec::new();
    collect(&whole, &mut String::new(), &mut pointers);
    // The longest first: a marked name changes the pointers to the values inside.
    pointers.sort_by_key(|pointers| Reverse(pointers[0].len()));
    for together in pointers {
        for pointer in together {
            let before = whole.clone();
            mark(&mut whole, &pointer);
            let kept = from_json(&whole.to_string());
            if !kept.is_ok_and(|run| marks(&json(&run)) > marks(&before)) {
                whole = before;
                break; // the keys are those of a type, not names
            }
        }
    }
    whole
}

/// Collects the pointers of all texts, and of the keys of each object (with a trailing `=`).
fn collect(value: &Value, at: &mut String, pointers: &mut Vec<Vec<String>>) {
    let length = at.len();
    match value {
        Value::String(_) => pointers.push(vec![at.clone()]),
        Value::Array(list) => {
            for (index, item) in list.iter().enumerate() {
                let _ = write!(at, "/{index}"); // writing to a string cannot fail
                collect(item, at, pointers);
                at.truncate(length);
            }
        }
        Value::Object(object) if !object.is_empty() => {
            let mut keys = Vec::new();
            for (key, item) in object {
                let _ = write!(at, "/{}", key.replace('~', "~0").replace('/', "~1"));
                keys.push(format!("{at}="));
                collect(item, at, pointers);
                at.truncate(length);
            }
            keys.sort_by_key(|key| Reverse(key.len()));
            pointers.push(keys);
        }
        _ => {}
    }
}

fn mark(whole: &mut Value, pointer: &str) {
    let Some(key) = pointer.strip_suffix('=') else {
        if let Some(Value::String(text)) = whole.pointer_mut(pointer) {
            text.push_str(MARK);
        }
        return;
    };
    let (parent, key) = key.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    if let Some(Value::Object(object)) = whole.pointer_mut(parent)
        && let Some(item) = object.shift_remove(&key)
    {
        object.insert(key + MARK, item);
    }
}

/// Returns the number of marks.
fn marks(value: &Value) -> usize {
    value.to_string().matches(MARK).count()
}

/// Returns the places of marks, with `*` for indices and `+` for marked names.
fn places(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    find(value, "", &mut found);
    found.sort();
    found.dedup();
    found
}

fn find(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(MARK) => found.push(at.to_owned()),
        Value::Array(list) => list
            .iter()
            .for_each(|item| find(item, &format!("{at}/*"), found)),
        Value::Object(object) => {
            for (key, item) in object {
                if key.contains(MARK) {
                    found.push(format!("{at}/+"));
                    find(item, &format!("{at}/+"), found);
                } else {
                    find(item, &format!("{at}/{key}"), found);
                }
            }
        }
        _ => {}
    }
}
