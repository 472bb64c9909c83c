//! Hand-made records in which every kind of result occurs.

use model::{FaultKind, MisdeliveryReason, Nanos, Side, Verdict};
use record::{
    Check, DelayStatistic, Deliveries, Failure, IssueCause, Iterations, LateAt, Lateness, Level,
    LevelIssue, Load, Metric, MetricKind, Note, Run, Setup, Timings,
};

use super::parts::{
    deliveries, editor_level, failure, frame, level, named, requests, threshold, times,
};

const P95: (&str, &str) = ("delivery(code-change)", "p95 < 100ms");
const LOST: (&str, &str) = ("delivery(code-change)", "lost == 0");

/// Three levels in which everything is well.
pub(crate) fn healthy() -> Run {
    let levels = [(10, 1.1), (200, 2.3), (1_000, 9.7)];
    let levels = levels.into_iter().enumerate();
    Run {
        levels: levels
            .map(|(index, (users, ms))| editor_level(index, users, ms, 0))
            .collect(),
        thresholds: vec![
            threshold(0, P95, "1.91 ms", Some(true)),
            threshold(0, LOST, "0", Some(true)),
            threshold(1, P95, "4.01 ms", Some(true)),
            threshold(1, LOST, "0", Some(true)),
            threshold(2, P95, "16.9 ms", Some(true)),
            threshold(2, LOST, "0", Some(true)),
        ],
        setup: Some(Setup {
            took_s: 0.75,
            users: 1_000,
            requests: named("POST /api/users", requests(1_000, 1.0)),
            ..Setup::default()
        }),
        ..frame()
    }
}

/// 312 of the edits are lost, and every other thing that can happen to a delivery happens to some.
fn bad_edits() -> Deliveries {
    let mut edits = deliveries(15_000, 84.0, 312);
    edits.late = 40;
    edits.delivered -= 40;
    edits.duplicated = 7;
    edits.reordered = 19;
    edits.misdelivered = [(MisdeliveryReason::AnotherGroup, 2)].into();
    edits
}

/// 30 of them timed out, 3 were answered by an error.
fn bad_requests() -> Timings {
    let mut rooms = requests(1_997, 42.0);
    for _ in 0..3 {
        let time = Nanos::from_millis(2);
        rooms.answered(time, time, true);
    }
    for _ in 0..30 {
        rooms.ran_out(Nanos::from_secs(15));
    }
    rooms
}

fn bad_failures() -> Vec<Failure> {
    let mut thrown = failure(
        Side::Script,
        FaultKind::Thrown,
        "iteration",
        3,
        "TypeError: room is undefined",
    );
    thrown.first.step = Some("join".to_owned());
    thrown.first.location = Some("room.ts:14:22".to_owned());
    let frame = "  13 |   const room = list.json.items[0];\n\
                 > 14 |   await socket.emit(room.id);\n     |                          ^";
    thrown.first.frame = Some(frame.to_owned());
    let rooms = "GET /rooms/:id";
    vec![
        failure(
            Side::Target,
            FaultKind::TimedOut,
            rooms,
            30,
            "no answer within 15 s",
        ),
        failure(
            Side::Target,
            FaultKind::Status,
            rooms,
            3,
            "503 Service Unavailable",
        ),
        thrown,
    ]
}

fn bad_level() -> Level {
    let mut bad = editor_level(1, 1_000, 84.0, 0);
    let measured = &mut bad.measured;
    measured
        .deliveries
        .insert("code-change".to_owned(), bad_edits());
    measured.requests = named("GET /rooms/:id", bad_requests());
    measured.iterations.succeeded -= 4;
    measured.iterations.failed = 3;
    measured.iterations.unfinished = 1;
    measured.iterations.planned += 5;
    measured.iterations.dropped = 5;
    measured.checks = named(
        "has a room",
        Check {
            passed: 1_990,
            failed: 10,
        },
    );
    let mut trend = Metric::new(MetricKind::Trend);
    (0..500).for_each(|step| trend.record(f64::from(step) / 10.0, 1.0));
    measured.metrics = named("document length", trend);
    measured.failures = bad_failures();
    bad.shares_cores_with_target = true;
    bad.leftovers = Some(30.0);
    bad
}

/// The second level loses deliveries, answers errors and times out, and a script line throws.
pub(crate) fn with_losses() -> Run {
    Run {
        verdict: Verdict::Failed,
        levels: vec![editor_level(0, 50, 1.4, 0), bad_level()],
        thresholds: vec![
            threshold(0, P95, "2.44 ms", Some(true)),
            threshold(0, LOST, "0", Some(true)),
            threshold(1, P95, "147 ms", Some(false)),
            threshold(1, LOST, "312", Some(false)),
            threshold(
                1,
                ("iterations", "failed < 0.1%"),
                "n/a (200 of 1,000 samples)",
                None,
            ),
        ],
        ..frame()
    }
}

/// The generator was the limit at the second level.
pub(crate) fn invalid() -> Run {
    let mut doubtful = editor_level(1, 5_000, 240.0, 0);
    doubtful.issues = vec![
        LevelIssue::invalid(IssueCause::WorkerBusy {
            busy_percent: 99.2,
            cpu_wait_percent: None,
            limit_percent: 95.0,
        }),
        LevelIssue::invalid(IssueCause::Late(Lateness {
            what: LateAt::Start,
            late: Nanos::from_millis(48),
            statistic: DelayStatistic::P99,
            share_percent: Some(20.0),
            limit: Nanos::from_millis(10),
            limit_percent: None,
            cpu_wait_percent: Some(3.0),
        })),
    ];
    doubtful.generator.busiest_worker_percent = Some(99.2);
    doubtful.generator.start_lag = times(75_000, 20.0);
    doubtful.target = None;
    Run {
        verdict: Verdict::Inconclusive,
        levels: vec![editor_level(0, 1_000, 9.7, 0), doubtful],
        notes: vec![Note::EndedEarly {
            error: "setup did not end within 30 s".to_owned(),
        }],
        ..frame()
    }
}

/// Stopped before the first level began.
pub(crate) fn interrupted() -> Run {
    Run {
        verdict: Verdict::Inconclusive,
        interrupted: true,
        ..frame()
    }
}

/// One level with one kind of request, too few of them for p95, none failed, no thresholds, no target process.
pub(crate) fn requests_only() -> Run {
    let mut level = level(0, 20);
    level.load = Load {
        users: 20,
        groups: 20,
        group_size: "1".to_owned(),
        ..Load::default()
    };
    level.measured.requests = named("POST /bridge/chat", requests(120, 0.62));
    level.measured.iterations = Iterations {
        planned: 120,
        started: 120,
        succeeded: 120,
        time: times(120, 0.7),
        ..Iterations::default()
    };
    level.target = None;
    level.generator.read_delay = None;
    Run {
        levels: vec![level],
        ..frame()
    }
}

/// Ten levels, many names and many failures: more than a screen holds.
pub(crate) fn crowded() -> Run {
    let levels = (0..10).map(|index| {
        let mut level = editor_level(index, 5 << index, 2.0, index as u64);
        for number in 0..40 {
            let name = format!("POST /api/things/:id/part-{number}");
            let mut broken = requests(300, 3.0);
            broken.failed = number + 1;
            level.measured.requests.insert(name.clone(), broken);
            level.measured.failures.push(failure(
                Side::Target,
                FaultKind::Reset,
                &name,
                number + 1,
                "connection reset",
            ));
        }
        level
    });
    let conditions = [
        "p50 < 5ms",
        "p95 < 20ms",
        "p99 < 50ms",
        "lost == 0",
        "duplicated == 0",
    ];
    let results = conditions.into_iter().flat_map(|condition| {
        (0..10).map(move |index| {
            threshold(
                index,
                ("delivery(code-change)", condition),
                "7",
                Some(index < 4),
            )
        })
    });
    Run {
        verdict: Verdict::Failed,
        levels: levels.collect(),
        thresholds: results.collect(),
        ..frame()
    }
}
