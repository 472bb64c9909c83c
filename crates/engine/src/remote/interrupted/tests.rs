use record::{Iterations, Measured, Severity};
use serde_json::json;

use super::*;
use crate::empty_world::config_of;
use crate::messages::LevelOutcome;
use crate::remote::travel::encode;

/// A time of the server that stores the messages, whose clock has nothing to do with the run's.
fn stored_at(s: u64) -> Nanos {
    Nanos::from_secs(1_000_000 + s)
}

fn noted(s: u64, entry: &Entry) -> Stored {
    Stored {
        at: stored_at(s),
        agent: None,
        message: encode(entry).unwrap(),
    }
}

fn sent(s: u64, agent: &str, event: Event) -> Stored {
    Stored {
        at: stored_at(s),
        agent: Some(agent.to_owned()),
        message: encode(&Report::Event(0, event)).unwrap(),
    }
}

fn measured(iterations: u64) -> Box<Measured> {
    Box::new(Measured {
        iterations: Iterations {
            planned: iterations,
            started: iterations,
            succeeded: iterations,
            ..Iterations::default()
        },
        ..Measured::default()
    })
}

fn done(iterations: u64, duration_s: f64) -> Event {
    Event::LevelDone(Box::new(LevelOutcome {
        measured: measured(iterations),
        duration_s,
        ..LevelOutcome::default()
    }))
}

fn began(index: u32, now_s: u64) -> Entry {
    Entry::LevelBegan(Began {
        index,
        now: Nanos::from_secs(now_s),
        start: Nanos::from_secs(now_s + 1),
        agents: vec![("a".to_owned(), 0..1), ("b".to_owned(), 1..2)],
    })
}

fn closed(iterations: u64, is_last: bool) -> Entry {
    Entry::LevelDone {
        level: Box::new(Level {
            measured: *measured(iterations),
            ..Level::default()
        }),
        notes: Vec::new(),
        is_last,
    }
}

fn beginning() -> [Stored; 2] {
    let record = Box::default();
    let (result, setup) = (SetupResult::default(), None);
    [
        noted(0, &Entry::Begun(record)),
        noted(
            0,
            &Entry::SetUp {
                result,
                record: setup,
            },
        ),
    ]
}

fn three_levels() -> RunConfig {
    config_of(&json!({ "load": { "users": [2, 2, 2], "duration": "20s" } }))
}

fn succeeded(level: &Level) -> u64 {
    level.measured.iterations.succeeded
}

/// One agent has reported what it measured until its lease lapsed. The other one ended too, so its last copy counts.
#[test]
fn a_level_that_had_ended_counts_once_and_the_one_in_progress_is_invalid() {
    let mut stored = Vec::from(beginning());
    stored.extend([
        noted(1, &began(0, 10)),
        sent(25, "a", done(40, 20.0)),
        sent(26, "b", done(60, 20.0)),
        noted(27, &closed(100, false)),
        noted(30, &began(1, 39)),
        sent(36, "b", Event::Copy(measured(4))),
        sent(37, "b", Event::Copy(measured(5))),
        sent(40, "a", done(7, 6.0)),
        sent(41, "lost-before", done(1000, 6.0)),
    ]);
    let config = three_levels();
    let found = Interrupted::read(stored).unwrap();
    assert_eq!(found.missing(&config), 1);
    let mut record = Run::default();
    let resumed = found.move_into(&mut record, &config);
    assert!(!resumed.is_over);
    let counts: Vec<_> = record.levels.iter().map(succeeded).collect();
    assert_eq!(counts, [100, 12]);
    let interrupted = &record.levels[1];
    assert_eq!(interrupted.index, 1);
    assert!((interrupted.phases.duration_s - 6.0).abs() < 1e-9);
    let lost = interrupted
        .issues
        .iter()
        .filter_map(|issue| match &issue.cause {
            IssueCause::LostAgent { agent, .. } => Some((agent.as_str(), issue.severity)),
            _ => None,
        });
    let expected = [("a", Severity::Invalid), ("b", Severity::Invalid)];
    assert_eq!(lost.collect::<Vec<_>>(), expected);
}

#[test]
fn a_run_that_was_to_end_has_no_missing_levels() {
    let mut stored = Vec::from(beginning());
    stored.extend([noted(1, &began(0, 10)), noted(27, &closed(100, true))]);
    let found = Interrupted::read(stored).unwrap();
    assert_eq!(found.missing(&three_levels()), 0);
    assert_eq!(found.record().levels.len(), 1);
}

#[test]
fn a_run_without_setup_cannot_be_resumed() {
    let [begun, _] = beginning();
    assert!(Interrupted::read([begun]).is_none());
    assert!(Interrupted::read([]).is_none());
}

#[test]
fn a_run_of_another_scenario_is_not_the_same() {
    let found = Interrupted::read(beginning()).unwrap();
    let refused = found.check(&three_levels());
    assert!(refused.is_err(), "the record names no script");
}
