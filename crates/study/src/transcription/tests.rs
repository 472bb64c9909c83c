//! Reports of small, handmade records.

use std::collections::BTreeMap;
use std::time::Duration;

use model::Nanos;
use record::{BusiestThread, Level, Load, Phases, Run, Streams, TargetUse, Timings};

use super::field::TESTS;
use super::{Closed, Parts, TEMPLATES, figures};
use crate::templates::check;

/// Timings of `count` operations that took this long each.
fn timings(count: u64, millis: u64) -> Timings {
    let mut timings = Timings {
        count,
        ..Timings::default()
    };
    timings.response.record_n(Nanos::from_millis(millis), count);
    timings
}

/// A level of ten seconds with chunks and recordings of 60 ms, and with streams of this real-time factor.
fn level(users: u64, factor: f64) -> Level {
    let mut streams = Streams {
        count: users,
        chunks: 500 * users,
        answered: 500 * users,
        lag: timings(users, 15_000),
        last: timings(users, 400),
        ..Streams::default()
    };
    for _ in 0..users {
        streams.real_time_factor.record(factor);
    }
    let mut level = Level {
        load: Load {
            users,
            groups: users,
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        target: Some(TargetUse {
            cpu_percent: Some(80.0),
            busiest_thread: Some(BusiestThread::default()),
            memory_mb_start: Some(20.0),
            memory_mb_max: Some(21.5),
            ..TargetUse::default()
        }),
        ..Level::default()
    };
    let chunks = timings(500 * users, 60);
    level.measured.round_trips = BTreeMap::from([
        ("audio_chunk".to_owned(), chunks.clone()),
        ("voice".to_owned(), chunks),
    ]);
    level.measured.requests = BTreeMap::from([("transcribe".to_owned(), timings(5000, 60))]);
    level.measured.streams = BTreeMap::from([("voice".to_owned(), streams)]);
    level
}

fn run(users: &[u64], factor: f64) -> Run {
    Run {
        levels: users.iter().map(|&users| level(users, factor)).collect(),
        ..Run::default()
    }
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_shows_the_mistakes() {
    let (page, terminal) = check(TEMPLATES, &figures::figures(&Parts::default()));
    assert!(page.contains("| not measured |"), "{page}");
    assert!(page.ends_with("Nothing was measured.\n"), "{page}");
    assert!(
        !page.contains("Here,") && !page.contains("One worker"),
        "{page}"
    );
    for number in 1..=14 {
        let title = format!("V-X{number} ");
        assert!(page.contains(&format!("### {title}")), "{title} in {page}");
        assert!(terminal.contains(&format!("\n  {title}")), "{title}");
    }
}

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let report = run(&[100, 200, 300], 1.0);
    let live = run(&[100, 1000], 0.999);
    let beyond = run(&[2000], 0.8);
    let (serial, twice) = (run(&[20], 0.4), run(&[450, 450], 1.0));
    let hour = run(&[5], 1.0);
    let parts = Parts {
        report: Some(&report),
        live: Some(&live),
        beyond: Some(&beyond),
        serial: Some(&serial),
        alone: Some(&twice),
        slow: Some(&twice),
        hour: Some(&hour),
        start_up: Some(Duration::from_millis(43)),
        closed: Some(Closed {
            too_slow: 50,
            otherwise: 0,
        }),
        ceiling: None,
    };
    let (page, terminal) = check(TEMPLATES, &figures::figures(&parts));
    for sentence in [
        "1,000 live streams: 500,000 chunks, p99 60.0 ms, real-time factor 0.999 (p5), lag 15,000 ms (p95), 0 without a reply; recordings p99 60.0 ms.",
        "real-time factor 0.400 (expected: 0.400): a second of speech takes 2.5 s. After 10 s of speech, the last reply is 15.0 s late.",
        "Chunk p99 of 450 live streams, measured twice: 60.0 and 60.0 ms alone, 60.0 and 60.0 ms beside 50 slow or stuck clients.",
        "The service closed 50 sessions of slow clients with 1008; 0 ended otherwise.",
        "memory grew from 20.0 to 21.5 MB, 300 kB per session.",
        "| memory per session < 1 MB | not measured | 300 kB |",
        "| start-up < 3 s | < 1 s: PASS | 43 ms |",
        "| 1,000 connections or more | 300 tested: Partial | 1,000 streams, real-time factor 0.999 (p5) |",
        "The slowest of five starts took 43 ms",
        "- V-N4, backpressure: 50 sessions of slow clients were closed with 1008, and 0 ended",
        "The report's streams ran at 0.39, 0.37, 0.11.",
        "100 users: 76; 200 users: 146; 300 users: 171.",
        "Here, 100 users of the same kind are 300 streams.",
        "the slowest 3, 4, 32.",
        "\"Latency increase is minimal\" is +28 %",
        "In the report's own test, 0 of 50,000 chunks of 100 users failed",
        "| 100 | 1,495 | 67 | 120 | 5,000 | 60.0 | 60.0 | 0 | 80 % | yes |",
        "| 2,000 | 100,000 | 60.0 | 60.0 | 0.800 | 15,000 | 400 | 60.0 | 0 | 80 % | 21.5 | yes |",
        "| 1,000 | 50,000 | 60.0 | 60.0 | 0.999 | 15,000 | 400 | 60.0 | 0 | 80 % | 21.5 | yes |",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(terminal.starts_with("1,000 live streams: "), "{terminal}");
}

#[test]
fn the_reports_streams_follow_from_littles_law() {
    let streams = TESTS.map(|test| format!("{:.0}", test.streams()));
    assert_eq!(streams, ["76", "146", "171"]);
    let factors = TESTS.map(|test| format!("{:.2}", test.real_time_factor()));
    assert_eq!(factors, ["0.39", "0.37", "0.11"]);
}
