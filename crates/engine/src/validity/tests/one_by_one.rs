//! Several workers, and the agents of a fleet, are judged one by one.

use super::*;
use crate::validity;

#[test]
fn of_many_agents_the_one_that_is_late_is_named() {
    let of = |name: &str, lag| AgentFigures {
        name: name.to_owned(),
        workers: GeneratorUse {
            start_lag: times(1000, lag),
            ..GeneratorUse::default()
        },
        began_late: Nanos::ZERO,
    };
    let quick = Nanos::from_micros(10);
    let mut agents: Vec<_> = (0..199)
        .map(|number| of(&format!("a{number}"), quick))
        .collect();
    agents.push(of("slow", Nanos::from_millis(300)));
    let mut start_lag = times(199_000, quick);
    start_lag.merge(&times(1000, Nanos::from_millis(300)));
    let merged = level(GeneratorUse {
        start_lag,
        ..GeneratorUse::default()
    });
    assert_eq!(issues(&merged), [], "0.5 % of all starts are late");
    let found = validity::issues(&merged, &agents);
    let [issue] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(issue.severity, Severity::Invalid);
    assert!(
        matches!(&issue.cause, IssueCause::OfAgent { agent, of } if agent == "slow" && late(of).what == LateAt::Start),
        "{issue:?}"
    );
}

/// An agent whose machine takes CPU time from it, beside one that gets all of its time.
#[test]
fn an_agent_with_a_cpu_quota_or_stolen_time_is_named() {
    let of = |name: &str, throttled_ms, stolen_percent| AgentFigures {
        name: name.to_owned(),
        workers: GeneratorUse {
            throttled_ms: Some(throttled_ms),
            stolen_percent: Some(stolen_percent),
            ..GeneratorUse::default()
        },
        began_late: Nanos::ZERO,
    };
    let agents = [of("free", 0.0, 0.1), of("small", 300.0, 7.0)];
    let found = validity::issues(&level(GeneratorUse::default()), &agents);
    let small = |severity, of| LevelIssue {
        severity,
        cause: IssueCause::OfAgent {
            agent: "small".to_owned(),
            of: Box::new(of),
        },
    };
    let quota = IssueCause::CpuQuota {
        stopped_ms: 300.0,
        stopped_percent: 3.0,
        limit_percent: 1.0,
    };
    let stolen = IssueCause::StolenTime {
        stolen_percent: 7.0,
        limit_percent: 2.0,
    };
    let expected = [
        small(Severity::Invalid, quota),
        small(Severity::Questionable, stolen),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_wait_of_one_worker_is_not_added_to_the_work_of_another() {
    let worker = |busy, waited| record::WorkerUse {
        busy_percent: busy,
        cpu_wait_percent: Some(waited),
        ..record::WorkerUse::default()
    };
    let two = level(GeneratorUse {
        busiest_worker_percent: Some(91.0),
        cpu_wait_percent: Some(4.5),
        workers: vec![worker(91.0, 2.0), worker(30.0, 4.5)],
        ..GeneratorUse::default()
    });
    assert_eq!(
        issues(&two),
        [LevelIssue::questionable(IssueCause::WorkerBusy {
            busy_percent: 91.0,
            cpu_wait_percent: Some(2.0),
            limit_percent: 80.0,
        })]
    );
}
