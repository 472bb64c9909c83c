//! Hand-made records, their figures chosen so that every kind of result occurs.

use std::collections::BTreeMap;

use model::{FaultKind, Nanos, Side, Verdict};
use record::{
    BusiestThread, Check, Deliveries, Example, Failure, GeneratorUse, Iterations, Level, Load,
    Machine, Metric, MetricKind, Note, Outside, Phases, Run, ScriptInfo, Setup, TargetUse,
    ThresholdResult, Timings,
};
use stats::Histogram;

pub(crate) fn named<T>(name: &str, value: T) -> BTreeMap<String, T> {
    BTreeMap::from([(name.to_owned(), value)])
}

/// `count` times whose p50 is about `typical_ms`, with a tail up to ten times that.
pub(crate) fn times(count: u64, typical_ms: f64) -> Histogram {
    let mut histogram = Histogram::new();
    for index in 0..count {
        let place = (index as f64 + 0.5) / count as f64;
        let factor = 0.5 + place + 8.5 * place.powi(40);
        histogram.record(Nanos::from_secs_f64(typical_ms * factor / 1e3));
    }
    histogram
}

pub(crate) fn requests(count: u64, typical_ms: f64) -> Timings {
    Timings {
        count,
        response: times(count, typical_ms),
        service: times(count, typical_ms * 0.98),
        bytes_in: count * 310,
        bytes_out: count * 120,
        ..Timings::default()
    }
}

/// Every message goes to four others; `lost` of the deliveries never arrive.
pub(crate) fn deliveries(messages: u64, typical_ms: f64, lost: u64) -> Deliveries {
    let expected = messages * 4;
    let reasons = named("receiver disconnected", lost);
    Deliveries {
        messages,
        expected,
        delivered: expected - lost,
        lost: if lost == 0 { BTreeMap::new() } else { reasons },
        latency: times(expected - lost, typical_ms),
        first: times(messages, typical_ms * 0.6),
        median: times(messages, typical_ms),
        last: times(messages, typical_ms * 1.4),
        whole_audience: messages - lost.min(messages),
        ..Deliveries::default()
    }
}

pub(crate) fn failure(
    side: Side,
    kind: FaultKind,
    what: &str,
    count: u64,
    detail: &str,
) -> Failure {
    let first = Example {
        at_s: 3.25,
        user: Some("user-3".to_owned()),
        detail: detail.to_owned(),
        ..Example::default()
    };
    Failure {
        side,
        kind,
        what: what.to_owned(),
        count,
        first,
    }
}

/// A sound level of `users` in rooms of five, 30 s long, with nothing but its frame.
pub(crate) fn level(index: usize, users: u64) -> Level {
    let share = users as f64 / 1_000.0;
    Level {
        index,
        load: Load {
            users,
            groups: users / 5,
            group_size: "5".to_owned(),
            ..Load::default()
        },
        phases: Phases {
            ramp_s: 5.0,
            warmup_s: 2.0,
            hold_s: 30.0,
            settle_s: 1.2,
            drain_s: 0.05,
        },
        sound: true,
        target: Some(target(share)),
        generator: GeneratorUse {
            cpu_percent: Some(4.0 + 20.0 * share),
            busiest_worker_percent: Some(2.0 + 11.0 * share),
            start_lag: times(users * 15, 0.02),
            read_delay: Some(times(users * 10, 0.011)),
            cpu_wait_percent: Some(0.4),
            gc_pause_ms_max: Some(0.8),
            dropped_queue: 0,
        },
        ..Level::default()
    }
}

fn target(share: f64) -> TargetUse {
    let thread = BusiestThread {
        name: "worker-0".to_owned(),
        cpu_percent: 3.0 + 88.0 * share,
    };
    TargetUse {
        pid: 4711,
        name: "editor".to_owned(),
        cpu_percent: Some(5.0 + 92.0 * share),
        busiest_thread: Some(thread),
        memory_mb_start: Some(18.2),
        memory_mb_end: Some(20.0 + 30.0 * share),
        memory_mb_max: Some(21.0 + 31.0 * share),
        threads: Some(3),
        descriptors: Some(1_020),
        descriptor_limit: Some(65_536),
        connections: Some(1_000),
        ..TargetUse::default()
    }
}

/// A level of the editor: edits and carets are followed, joining is an HTTP request.
pub(crate) fn editor_level(index: usize, users: u64, typical_ms: f64, lost: u64) -> Level {
    let mut level = level(index, users);
    let measured = &mut level.measured;
    let edits = deliveries(users * 15, typical_ms, lost);
    measured.deliveries.insert("code-change".to_owned(), edits);
    let carets = deliveries(users * 60, typical_ms * 0.9, 0);
    measured
        .deliveries
        .insert("cursor-change".to_owned(), carets);
    measured.requests = named("GET /rooms/:id", requests(users * 2, typical_ms / 2.0));
    measured.connections = named("Socket.IO /", requests(users, typical_ms / 3.0));
    measured.iterations = Iterations {
        planned: users / 5,
        started: users / 5,
        succeeded: users / 5,
        time: times(users / 5, 30_000.0),
        ..Iterations::default()
    };
    measured.before = Outside {
        requests: users,
        messages: users * 4,
        ..Outside::default()
    };
    level
}

pub(crate) fn threshold(
    level: usize,
    (metric, condition): (&str, &str),
    observed_text: &str,
    held: Option<bool>,
) -> ThresholdResult {
    ThresholdResult {
        level,
        metric: metric.to_owned(),
        condition: condition.to_owned(),
        observed: None,
        observed_text: observed_text.to_owned(),
        held,
    }
}

pub(crate) fn frame() -> Run {
    Run {
        tool: "headcount 0.1.0".to_owned(),
        started_at: "2026-03-01T10:00:00Z".to_owned(),
        ended_at: "2026-03-01T10:03:00Z".to_owned(),
        seed: 18_446_744_073_709,
        script: ScriptInfo {
            path: "room.ts".to_owned(),
            sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
            source: String::new(),
        },
        options: serde_json::json!({ "group": 5, "load": { "users": [10, 1000], "hold": "30s" } }),
        target: "http://127.0.0.1:5000".to_owned(),
        machine: Machine {
            cpu: Some("Example CPU @ 2.80GHz".to_owned()),
            cores: Some(2),
            memory_mb: Some(25_216),
            kernel: Some("Linux 6.8.0".to_owned()),
            fd_limit: Some(1_048_576),
            local_ports: Some(28_232),
        },
        workers: 2,
        verdict: Verdict::Passed,
        ..Run::default()
    }
}

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

/// The second level loses deliveries, answers errors and times out, and a script line throws.
pub(crate) fn with_losses() -> Run {
    let mut bad = editor_level(1, 1_000, 84.0, 312);
    let edits = bad.measured.deliveries.get_mut("code-change").unwrap();
    edits.late = 40;
    edits.delivered -= 40;
    edits.duplicated = 7;
    edits.reordered = 19;
    edits.strayed = named("other group", 2);
    let rooms = bad.measured.requests.get_mut("GET /rooms/:id").unwrap();
    rooms.failed = 33;
    rooms.count += 30;
    rooms.timed_out = 30;
    rooms.timeout = Some(Nanos::from_secs(15));
    bad.measured.iterations.succeeded -= 4;
    bad.measured.iterations.failed = 3;
    bad.measured.iterations.unfinished = 1;
    bad.measured.iterations.planned += 5;
    bad.measured.iterations.dropped = 5;
    bad.measured.checks = named(
        "has a room",
        Check {
            passed: 1_990,
            failed: 10,
        },
    );
    let mut trend = Metric::new(MetricKind::Trend);
    (0..500).for_each(|step| trend.record(f64::from(step) / 10.0, 1.0));
    bad.measured.metrics = named("document length", trend);
    let mut thrown = failure(
        Side::Script,
        FaultKind::Thrown,
        "iteration",
        3,
        "TypeError: room is undefined",
    );
    thrown.first.step = Some("join".to_owned());
    thrown.first.location = Some("room.ts:14:22".to_owned());
    thrown.first.frame = Some(
        "  13 |   const room = list.json.items[0];\n> 14 |   await socket.emit(room.id);\n     |                          ^"
            .to_owned(),
    );
    bad.measured.failures = vec![
        failure(
            Side::Target,
            FaultKind::TimedOut,
            "GET /rooms/:id",
            30,
            "no answer within 15 s",
        ),
        failure(
            Side::Target,
            FaultKind::Status,
            "GET /rooms/:id",
            3,
            "503 Service Unavailable",
        ),
        thrown,
    ];
    bad.shares_cores_with_target = true;
    bad.leftovers = Some(30.0);
    Run {
        verdict: Verdict::Failed,
        levels: vec![editor_level(0, 50, 1.4, 0), bad],
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
pub(crate) fn not_sound() -> Run {
    let mut doubtful = editor_level(1, 5_000, 240.0, 0);
    doubtful.sound = false;
    doubtful.unsound_reasons = vec![
        "the busiest worker was busy 99.2 % of the time".to_owned(),
        "start lag p99 was 48.0 ms, more than a tenth of the response time".to_owned(),
    ];
    doubtful.generator.busiest_worker_percent = Some(99.2);
    doubtful.generator.start_lag = times(75_000, 20.0);
    doubtful.target = None;
    Run {
        verdict: Verdict::NotSound,
        levels: vec![editor_level(0, 1_000, 9.7, 0), doubtful],
        notes: vec![Note {
            kind: "little".to_owned(),
            text: "Little's law is off by 12 % at 5,000 users".to_owned(),
        }],
        ..frame()
    }
}

/// Stopped before the first level began.
pub(crate) fn interrupted() -> Run {
    Run {
        verdict: Verdict::NotSound,
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
        let mut level = editor_level(index, 10 << index, 2.0, index as u64);
        for number in 0..40 {
            let name = format!("POST /api/things/:id/part-{number}");
            level
                .measured
                .requests
                .insert(name.clone(), requests(300, 3.0));
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
