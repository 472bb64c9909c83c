//! A small run in which every type of the record occurs.

use std::collections::BTreeMap;

use model::{FaultKind, LossReason, MisdeliveryReason, Nanos, Side, Unit, Verdict};
use record::{
    BusiestThread, Check, DelayStatistic, Deliveries, DropCause, Example, Failure, GeneratorUse,
    IssueCause, Iterations, LateAt, Lateness, Level, LevelIssue, Limits, Load, Machine, Measured,
    Metric, MetricKind, Note, Observed, Outside, Phases, Run, ScriptInfo, Setup, TargetSample,
    TargetUse, ThresholdResult, Timings, Window,
};
use stats::Histogram;

/// `count` times, spread evenly from 1 ms to `slowest`.
pub(crate) fn times(count: u64, slowest: Nanos) -> Histogram {
    let mut histogram = Histogram::new();
    let span = slowest.0 - 1_000_000;
    for index in 0..count {
        histogram.record(Nanos(1_000_000 + span * index / (count - 1).max(1)));
    }
    histogram
}

/// `count` requests: 2 with an error response, 1 that timed out, the others successful.
pub(crate) fn requests(count: u64) -> Timings {
    let mut timings = Timings {
        count: count - 1,
        failed: 2,
        response: times(count - 1, Nanos::from_millis(40)),
        service: times(count - 1, Nanos::from_millis(39)),
        bytes_in: 1_000,
        bytes_out: 500,
        ..Timings::default()
    };
    timings.ran_out(Nanos::from_secs(15));
    timings
}

/// 1,000 deliveries of 200 messages, 3 of them lost.
pub(crate) fn deliveries() -> Deliveries {
    Deliveries {
        messages: 200,
        unsent: 1,
        expected: 1_000,
        delivered: 995,
        late: 2,
        lost: [
            (LossReason::ReceiverDisconnected, 2),
            (LossReason::Unknown, 1),
        ]
        .into(),
        duplicated: 4,
        reordered: 5,
        misdelivered: [(MisdeliveryReason::AnotherGroup, 6)].into(),
        latency: times(997, Nanos::from_millis(25)),
        first: times(200, Nanos::from_millis(5)),
        median: times(200, Nanos::from_millis(10)),
        last: times(200, Nanos::from_millis(25)),
        whole_audience: 198,
        ..Deliveries::default()
    }
}

fn named<T, const N: usize>(entries: [(&str, T); N]) -> BTreeMap<String, T> {
    entries
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A failure of the target at `POST /bridge/chat`.
pub(crate) fn failure(at_s: f64, count: u64) -> Failure {
    Failure {
        side: Side::Target,
        kind: FaultKind::Status,
        what: "POST /bridge/chat".to_owned(),
        count,
        first: Example {
            at_s,
            user: Some("user-3".to_owned()),
            step: Some("talk".to_owned()),
            detail: "503 Service Unavailable".to_owned(),
            location: Some("room.ts:12:5".to_owned()),
            frame: None,
        },
    }
}

fn measured() -> Measured {
    let mut trend = Metric::new(MetricKind::Trend);
    trend.record(0.1, 1.5);
    trend.record(-2.5, 2.0);
    Measured {
        iterations: Iterations {
            planned: 105,
            started: 100,
            succeeded: 90,
            failed: 8,
            unfinished: 2,
            dropped: 5,
            time: times(98, Nanos::from_secs(2)),
            ..Iterations::default()
        },
        connections: named([("WebSocket /", requests(20))]),
        requests: named([
            ("GET /rooms", requests(50)),
            ("POST /bridge/chat", requests(2_000)),
        ]),
        round_trips: named([("ask", requests(300))]),
        steps: named([("talk", requests(98))]),
        deliveries: named([("code-change", deliveries())]),
        eventually: named([("offer seen", requests(30))]),
        checks: named([(
            "has a reply",
            Check {
                passed: 97,
                failed: 1,
            },
        )]),
        metrics: named([("balance", trend)]),
        failures: vec![failure(3.25, 3)],
        before: Outside {
            requests: 10,
            failed_requests: 1,
            quickest: None,
            messages: 20,
            iterations_failed: 0,
        },
        ..Measured::default()
    }
}

fn level() -> Level {
    Level {
        index: 0,
        load: Load {
            users: 50,
            groups: 10,
            group_size: "5".to_owned(),
            rate_per_s: Some(2.5),
            ..Load::default()
        },
        phases: Phases {
            ramp_s: 5.0,
            warmup_s: 2.0,
            duration_s: 10.0,
            settle_s: 1.5,
            drain_s: 0.1,
        },
        measured: measured(),
        series: vec![Window {
            start_s: 0.0,
            users: 50,
            requests: 205,
            ..Window::default()
        }],
        target: Some(target()),
        generator: GeneratorUse {
            cpu_percent: Some(12.5),
            busiest_worker_percent: Some(9.1),
            start_lag: times(1_500, Nanos::from_millis(2)),
            read_delay: Some(Histogram::new()),
            cpu_wait_percent: None,
            gc_pause_ms_max: Some(0.3),
            ..GeneratorUse::default()
        },
        leftovers: Some(0.0),
        shares_cores_with_target: true,
        ..Level::default()
    }
}

fn target() -> TargetUse {
    TargetUse {
        pid: 4711,
        name: "bridge".to_owned(),
        cpu_percent: Some(88.8),
        busiest_thread: Some(BusiestThread {
            name: "worker-1".to_owned(),
            cpu_percent: 61.2,
        }),
        memory_mb_max: Some(25.1),
        threads: Some(4),
        samples: vec![TargetSample {
            at_s: 1.0,
            cpu_percent: Some(90.0),
            ..Default::default()
        }],
        ..TargetUse::default()
    }
}

/// A run with one level, a setup and a threshold, in the format of version 3.
pub(crate) fn run() -> Run {
    let mut run = first_run_of_version_3();
    run.levels[0].started_s = Some(1.25);
    let measured = &mut run.levels[0].measured;
    let round_trips = measured.round_trips.values_mut();
    for timings in measured.requests.values_mut().chain(round_trips) {
        timings.failed_response = times(2, Nanos::from_millis(40));
    }
    run
}

/// The same run as the first headcount with version 3 wrote it.
pub(crate) fn first_run_of_version_3() -> Run {
    let mut run = run_of_version_2();
    run.options = serde_json::json!({ "group": 5, "load": { "users": [50], "duration": "10s" } });
    run.notes = vec![Note::Aborted {
        level: 0,
        threshold: "delivery(code-change): lost == 0".to_owned(),
    }];
    run.thresholds[0].limits = None;
    run.thresholds[0].observed = Some(Observed::Exactly {
        value: 3.0,
        unit: Unit::Count,
    });
    run.levels[0].issues = vec![
        LevelIssue::invalid(IssueCause::Late(Lateness {
            what: LateAt::Start,
            late: Nanos::from_millis(12),
            statistic: DelayStatistic::P99,
            share_percent: Some(40.0),
            limit: Nanos::from_millis(10),
            limit_percent: None,
            cpu_wait_percent: None,
        })),
        LevelIssue::questionable(IssueCause::GarbageCollection { pause_ms: 25.0 }),
    ];
    let iterations = &mut run.levels[0].measured.iterations;
    iterations.dropped_by_cause = [(DropCause::UsersWaiting, iterations.dropped)].into();
    run
}

/// The same run in the format of version 2.
pub(crate) fn run_of_version_2() -> Run {
    let mut run = run_of_version_1();
    let measured = &mut run.levels[0].measured;
    measured.iterations.open.record_n(Nanos::from_secs(3), 2);
    for timings in measured.requests.values_mut() {
        timings.left_open(Nanos::from_millis(700));
    }
    run
}

/// The same run in the format of version 1.
pub(crate) fn run_of_version_1() -> Run {
    Run {
        tool: "headcount 0.1.0".to_owned(),
        started_at: "2026-01-02T03:04:05Z".to_owned(),
        ended_at: "2026-01-02T03:04:25Z".to_owned(),
        seed: u64::MAX,
        script: ScriptInfo {
            path: "room.ts".to_owned(),
            sha256: "ab".repeat(32),
            source: "export default async () => {};\n".to_owned(),
            env: Vec::new(),
        },
        options: serde_json::json!({ "group": 5, "load": { "users": [50], "hold": "10s" } }),
        target: "http://127.0.0.1:5000".to_owned(),
        machine: Machine {
            cores: Some(2),
            memory_mb: Some(25_000),
            ..Machine::default()
        },
        workers: 2,
        verdict: Verdict::Failed,
        setup: Some(Setup {
            took_s: 0.75,
            users: 50,
            failed: 1,
            ..Setup::default()
        }),
        levels: vec![level()],
        thresholds: vec![ThresholdResult {
            level: 0,
            metric: "delivery(code-change)".to_owned(),
            condition: "lost == 0".to_owned(),
            observed: Some(Observed::Text {
                text: "3".to_owned(),
                value: Some(3.0),
            }),
            held: Some(false),
            limits: Some(Limits::Losses),
            ..ThresholdResult::default()
        }],
        notes: vec![Note::Text {
            text: "users do not add up".to_owned(),
        }],
        script_faults: vec![failure(0.5, 1)],
        ..Run::default()
    }
}
