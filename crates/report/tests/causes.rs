//! The sentences of findings about the work of the target, its surroundings, and the generator.

use record::{
    Advice, Cause, Confidence, ConnectionCost, DelayedAcknowledgement, DiskBytes, DiskWaits,
    Drifting, Evidence, FanOut, Finding, GeneratorLimited, GrowingLatency, GrowingSessions,
    IssueCause, LockConvoy, PeriodicStalls, ResidualSessions, Run, SingleWriter, SlowConsumers,
    SlowSetup, SynchronisedRetries, UniquenessCollisions, Unknown, UpstreamPool,
};
use report::{finding_evidence, finding_sentence, markdown};

/// A finding with this evidence.
fn found(cause: Cause, evidence: Vec<Evidence>, open: Unknown, advice: Advice) -> Finding {
    Finding {
        cause,
        confidence: Confidence::High,
        levels: vec![1],
        limits: Vec::new(),
        evidence,
        unknown: vec![open],
        advice: vec![advice],
    }
}

/// Findings about what the work is, and what it waits for.
fn of_work() -> Vec<Finding> {
    let slower = |name: Option<&str>| Evidence::SlowerAt {
        name: name.map(str::to_owned),
        ms: 320.0,
        than_ms: 20.0,
    };
    let others = Evidence::OthersAt {
        ms: 2.1,
        than_ms: 2.0,
    };
    let often = Evidence::DoneOften {
        count: 480,
        others: 2400,
        iterations: 480,
    };
    vec![
        found(
            Cause::SlowSetup(SlowSetup {
                name: "POST /login".into(),
                ms: 320.0,
                share_percent: 97.0,
            }),
            vec![slower(Some("POST /login")), others.clone(), often],
            Unknown::PartOfTheTest,
            Advice::PrepareUsers,
        ),
        found(
            Cause::ConnectionCost(ConnectionCost {
                ms: 320.0,
                share_percent: 88.0,
            }),
            vec![slower(None), others],
            Unknown::PartOfTheTest,
            Advice::ReuseConnections,
        ),
    ]
}

fn single_writer() -> Finding {
    found(
        Cause::SingleWriter(SingleWriter {
            disk_percent: 14.2,
            cpu_percent: 82.7,
        }),
        vec![Evidence::DiskWaits(DiskWaits {
            samples: 120,
            busy_percent: 95.0,
            waiting_percent: 14.2,
            alone_percent: 9.2,
            at_once: 1.0,
            transferred: Some(DiskBytes {
                read_mb: 0.0,
                written_mb: 12.3,
            }),
        })],
        Unknown::WhyOneWriter,
        Advice::GroupWrites,
    )
}

/// Findings about fan-out, locks and pools.
fn of_structure() -> Vec<Finding> {
    let fan_out = FanOut {
        receivers: 19.0,
        message_us: 12_600.0,
        power: 1.9,
    };
    let message = Evidence::MessageCpu {
        receivers: 19.0,
        us: 12_600.0,
        than_receivers: 4.0,
        than_us: 600.0,
    };
    vec![
        found(
            Cause::QuadraticFanOut(fan_out),
            vec![message.clone()],
            Unknown::GrowthEnds,
            Advice::EncodeOnce,
        ),
        found(
            Cause::LinearFanOut(fan_out),
            vec![message],
            Unknown::GrowthEnds,
            Advice::FewerDeliveries,
        ),
        found(
            Cause::LockConvoy(LockConvoy {
                threads: 4,
                cpu_percent: 99.0,
            }),
            vec![Evidence::ThreadsTakeTurns {
                threads: 4,
                percent: 99.0,
                busiest_percent: 26.0,
                than_percent: 98.0,
            }],
            Unknown::WhatIsShared,
            Advice::LookForLock { pid: 7 },
        ),
        single_writer(),
        found(
            Cause::UpstreamPool(UpstreamPool {
                connections: 4,
                address: "10.0.0.7:5432".into(),
                per_s: 400.0,
            }),
            vec![Evidence::UpstreamConnections {
                count: 4,
                address: "10.0.0.7:5432".into(),
            }],
            Unknown::UpstreamCapacity,
            Advice::LargerUpstreamPool,
        ),
    ]
}

/// Findings about the generator, failures and times.
fn of_surroundings() -> Vec<Finding> {
    vec![
        found(
            Cause::Generator(GeneratorLimited {
                per_s: 900.0,
                deliveries: true,
            }),
            vec![Evidence::GeneratorIssue {
                issue: IssueCause::WorkerBusy {
                    busy_percent: 99.0,
                    cpu_wait_percent: None,
                    limit_percent: 90.0,
                },
            }],
            Unknown::WhoRetries,
            Advice::RaiseGenerator,
        ),
        found(
            Cause::SlowConsumers(SlowConsumers {
                slow: 2,
                of: 40,
                ms: 830.0,
            }),
            vec![Evidence::SlowReceivers {
                ms: 830.0,
                than_ms: 1.4,
            }],
            Unknown::WaitsForSlowReceivers,
            Advice::QueuePerReceiver,
        ),
        found(
            Cause::ResidualSessions(ResidualSessions {
                left: 100.0,
                per_iteration: Some(0.5),
            }),
            vec![Evidence::LeftoversGrew {
                before: 3.0,
                after: 103.0,
                iterations: 200,
            }],
            Unknown::SessionsExpire,
            Advice::EndSessions,
        ),
        found(
            Cause::SynchronisedRetries(SynchronisedRetries {
                every_s: 3.02,
                share_percent: 95.0,
            }),
            vec![
                Evidence::WavesEvery {
                    waves: 7,
                    seconds: 3.02,
                    deviation_s: 0.2,
                },
                Evidence::WavesFailed {
                    percent: 90.0,
                    per_s: 40.0,
                    between_per_s: 0.4,
                },
            ],
            Unknown::WhoRetries,
            Advice::SpreadRetries,
        ),
    ]
}

/// Findings about single operations.
fn of_operations() -> Vec<Finding> {
    vec![
        found(
            Cause::DelayedAcknowledgement(DelayedAcknowledgement {
                name: "GET /".into(),
                share_percent: 30.0,
                delay_ms: 41.0,
            }),
            vec![Evidence::LateByAcknowledgement {
                count: 360,
                of: 1200,
                usual_ms: 1.0,
                late_ms: 42.0,
            }],
            Unknown::WorkOfThisTime,
            Advice::NoDelay,
        ),
        found(
            Cause::UniquenessCollisions(UniquenessCollisions {
                name: "POST /rooms".into(),
                share_percent: 40.0,
            }),
            vec![Evidence::Conflicts {
                count: 400,
                of: 1000,
                than_percent: 5.0,
                than_per_s: 10.0,
            }],
            Unknown::SameValuesSent,
            Advice::UniqueByStore,
        ),
    ]
}

/// Findings of long runs and of the generator's machine.
fn of_long_runs() -> Vec<Finding> {
    let drift = |of: Drifting| Evidence::Drift {
        of,
        per_h: 10.0,
        low: 9.0,
        high: 11.0,
        seconds: 3600.0,
    };
    vec![
        found(
            Cause::GrowingLatency(GrowingLatency {
                ms_per_h: 10.0,
                ms: 30.0,
                doubled_after_s: 10_800.0,
            }),
            vec![drift(Drifting::Latency)],
            Unknown::GrowthEnds,
            Advice::RunLonger,
        ),
        found(
            Cause::GrowingSessions(GrowingSessions {
                per_s: 0.55,
                full_after_s: Some(32_400.0),
            }),
            vec![drift(Drifting::Connections)],
            Unknown::GrowthEnds,
            Advice::RunLonger,
        ),
        found(
            Cause::PortsExhausted { ports: 28_232 },
            vec![Evidence::PortsUsed {
                connections: 28_100.0,
                ports: 28_232,
                failed: 7,
            }],
            Unknown::WhoRetries,
            Advice::ReuseConnections,
        ),
    ]
}

#[test]
fn every_cause_has_sentences() {
    let findings = [
        of_work(),
        of_structure(),
        of_surroundings(),
        of_operations(),
        of_long_runs(),
    ];
    let run = Run {
        findings: findings.concat(),
        ..Run::default()
    };
    let page = markdown(&run);
    let (_, from) = page.split_once("## Findings").unwrap();
    let section = from.split("\n## ").next().unwrap();
    insta::assert_snapshot!(section);
}

/// Stalls every 5 s, with the longest one, its lower bound, and the shortest one.
fn stalls(longest_ms: Option<f64>, at_least_ms: Option<f64>, stalled_ms: Option<f64>) -> Finding {
    found(
        Cause::PeriodicStalls(PeriodicStalls {
            every_s: 5.0,
            longest_ms,
            longest_at_least_ms: at_least_ms,
        }),
        vec![Evidence::LongestTimes {
            usual_ms: 6.0,
            stalled_ms,
        }],
        Unknown::WhatStalls,
        Advice::LookForPeriod { every_s: 5.0 },
    )
}

#[test]
fn stalls_in_which_operations_timed_out_are_stated_with_a_lower_bound() {
    let known = stalls(Some(510.0), None, Some(480.0));
    assert_eq!(
        finding_sentence(&known),
        "the target stops every 5 s for up to 510 ms"
    );
    let timed_out = stalls(None, Some(2000.0), Some(2000.0));
    assert_eq!(
        finding_sentence(&timed_out),
        "the target stops every 5 s; operations timed out, so the longest stall took at least 2.00 s"
    );
    assert_eq!(
        finding_evidence(&timed_out),
        ["the longest time of a second was at least 2.00 s during the stalls, and usually 6.00 ms"]
    );
    let of_older_record = stalls(Some(0.0), None, None);
    assert_eq!(
        finding_evidence(&of_older_record),
        [
            "operations timed out during the stalls; the longest time of a second was usually 6.00 ms"
        ]
    );
}
