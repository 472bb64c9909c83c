//! What hand-made records are put together from.

use std::collections::BTreeMap;

use model::{FaultKind, LossReason, Nanos, Side, Verdict};
use record::{
    BusiestThread, Deliveries, Example, Failure, GeneratorUse, Iterations, Level, Load, Machine,
    Observed, Outside, Phases, Run, ScriptInfo, TargetUse, ThresholdResult, Timings,
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
    let reasons = BTreeMap::from([(LossReason::ReceiverDisconnected, lost)]);
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

/// A valid level of `users` in rooms of five, 30 s long, with nothing but its frame.
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
            duration_s: 30.0,
            settle_s: 1.2,
            drain_s: 0.05,
        },
        target: Some(target(share)),
        generator: GeneratorUse {
            cpu_percent: Some(4.0 + 20.0 * share),
            busiest_worker_percent: Some(2.0 + 11.0 * share),
            start_lag: times(users * 15, 0.02),
            read_delay: Some(times(users * 10, 0.055)),
            receive_error: Some(times(users * 10, 0.011)),
            cpu_wait_percent: Some(0.4),
            gc_pause_ms_max: Some(0.8),
            ..GeneratorUse::default()
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
        observed: Some(Observed::Text {
            text: observed_text.to_owned(),
            value: None,
        }),
        held,
        ..ThresholdResult::default()
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
            env: vec!["API_TOKEN".to_owned(), "REGION".to_owned()],
        },
        options: serde_json::json!({ "group": 5, "load": { "users": [10, 1000], "duration": "30s" } }),
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
