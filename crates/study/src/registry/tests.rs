//! Reports of small, handmade records.

use std::collections::BTreeMap;

use model::{LossReason, Nanos};
use record::{
    Check, Deliveries, IssueCause, Iterations, Level, LevelIssue, Load, Metric, MetricKind, Phases,
    Run, TargetUse, ThresholdResult, Timings, Window,
};

use super::settings::Urls;
use super::{Parts, TEMPLATES, flags, page, selected, settings};
use crate::templates::{check, part};

mod complete;

/// Returns timings of `count` responses, each after `ms`.
fn answered(count: u64, ms: u64) -> Timings {
    let mut timings = Timings::default();
    timings.response.record_n(Nanos::from_millis(ms), count);
    timings.count = count;
    timings
}

/// Deliveries of `messages` messages to all of `receivers`, each after 2 ms, and to the last one after 4 ms.
fn delivered(messages: u64, receivers: u64) -> Deliveries {
    let mut all = Deliveries {
        messages,
        expected: messages * receivers,
        delivered: messages * receivers,
        ..Deliveries::default()
    };
    all.latency
        .record_n(Nanos::from_millis(2), messages * receivers);
    all.last.record_n(Nanos::from_millis(4), messages);
    all
}

/// Returns a level of ten seconds at `rate` operations/s. 20 % of them are multicasts to `receivers`, and each takes
/// `multicast_ms`.
fn level(rate: u64, receivers: u64, multicast_ms: u64) -> Level {
    let all = rate * 10;
    let mut level = Level {
        load: Load {
            rate_per_s: Some(rate as f64),
            ..Load::default()
        },
        phases: Phases {
            warmup_s: 1.0,
            duration_s: 10.0,
            ..Phases::default()
        },
        target: Some(TargetUse {
            cpu_percent: Some(60.0),
            memory_mb_start: Some(20.0),
            memory_mb_end: Some(21.5),
            ..TargetUse::default()
        }),
        ..Level::default()
    };
    level.generator.busiest_worker_percent = Some(40.0);
    // Half of the deliveries arrive within the measured time, which begins after one second.
    level.series = vec![window(1.0, rate * receivers, 5.0)];
    let measured = &mut level.measured;
    measured.iterations = Iterations {
        planned: all,
        started: all,
        succeeded: all,
        ..Iterations::default()
    };
    let named = |(name, timings): (&str, Timings)| (name.to_owned(), timings);
    measured.requests = [
        ("register", answered(all / 2, 1)),
        ("enumerate", answered(all * 3 / 10, 3)),
        ("multicast", answered(all / 5, multicast_ms)),
    ]
    .map(named)
    .into();
    let deliveries = ("multicast".to_owned(), delivered(all / 5, receivers));
    measured.deliveries = BTreeMap::from([deliveries]);
    level
}

fn run(levels: Vec<Level>) -> Run {
    let indexed = levels.into_iter().enumerate();
    let levels = indexed.map(|(index, level)| Level { index, ..level });
    Run {
        levels: levels.collect(),
        ..Run::default()
    }
}

fn window(start_s: f64, deliveries: u64, p95_ms: f64) -> Window {
    Window {
        start_s,
        requests: 5,
        deliveries,
        p95_ms: Some(p95_ms),
        max_ms: Some(2.0 * p95_ms),
        ..Window::default()
    }
}

fn metric(kind: MetricKind, values: &[f64]) -> Metric {
    let mut metric = Metric::new(kind);
    for &value in values {
        metric.record(value, 0.0);
    }
    metric
}

/// Returns the page as Markdown and as shown on the terminal.
fn pages(parts: &Parts<'_>) -> (String, String) {
    check(TEMPLATES, &page::figures(parts, false))
}

fn rendered(name: &str, parts: &Parts<'_>) -> String {
    part(TEMPLATES, name, &page::figures(parts, false))
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_shows_the_mistakes() {
    let (page, terminal) = pages(&Parts::default());
    assert!(page.contains("| not measured |"), "{page}");
    assert!(page.ends_with("Nothing was measured.\n"), "{page}");
    assert!(!page.contains("Here"), "{page}");
    assert!(!page.contains("n/a."), "{page}");
    for number in 1..=17 {
        let title = format!("R-X{number} ");
        assert!(
            page.contains(&format!("\n### {title}")),
            "{title} in {page}"
        );
        assert!(terminal.contains(&format!("\n  {title}")), "{title}");
    }
}

#[test]
fn the_reports_own_figures_contradict_each_other() {
    let (page, _) = pages(&Parts::default());
    for sentence in [
        "If 99 % of 1,217 times were at most 100 ms and the rest 56.03 s, the mean would be 0.70 s. The report states 2.429 s.",
        "the true P99 is at least 3.77 s.",
        "146,168 of 1,780,045 deliveries, 8.21 %, failed by the tool's own count",
        "146,168 failures ÷ 3,053 identities = 47.9 multicasts.",
        "by 1,032 targets/s each second, up to 61,925 targets/s (1,857,750 targets in all",
        "has a queue from second 40 on, and 198,821 messages are left at second 60.",
        "1,780,045 targets ÷ 60 s = 29,667/s",
        "had 1,463 targets on average",
        "6,099 operations ÷ 60 s = 101.65/s.",
        "600 operations in the first five seconds (120/s), and 100/s afterwards. The table's intervals add up to 6,100:",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
}

#[test]
fn a_level_at_which_the_generator_was_the_limit_shows_no_limit_of_the_registry() {
    let mut overload = run(vec![level(200, 3000, 5), level(500, 3000, 5)]);
    overload.levels[1].issues = vec![LevelIssue::invalid(IssueCause::NotMeasured)];
    let parts = Parts {
        overload: Some(&overload),
        mix3000: Some(&overload),
        ..Parts::default()
    };
    let text = rendered("rates.md", &parts);
    let expected = "With 3,000 receivers: 200/s met all thresholds; at 500/s the generator was the limit, so the limit of the registry is unknown.";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("The rates with 100 receivers were not measured."));
    let (page, terminal) = pages(&parts);
    assert!(page.contains("| INVALID: "), "{page}");
    assert!(terminal.contains("(INVALID: the generator was the limit)"));
}

#[test]
fn the_thresholds_that_broke_are_named() {
    let mut ramp = run(vec![level(100, 100, 5), level(500, 100, 5)]);
    let result = |level, held| ThresholdResult {
        level,
        metric: "delivery(multicast)".to_owned(),
        condition: "lost == 0".to_owned(),
        held: Some(held),
        ..ThresholdResult::default()
    };
    ramp.thresholds = vec![result(0, true), result(1, true)];
    let rates = |run: &Run| {
        let parts = Parts {
            ramp: Some(run),
            ..Parts::default()
        };
        rendered("rates.md", &parts)
    };
    let all = "With 100 receivers: 500/s, the highest rate that was tested, met all thresholds.";
    assert!(rates(&ramp).contains(all), "{}", rates(&ramp));
    ramp.thresholds[1].held = Some(false);
    let one = "With 100 receivers: 100/s met all thresholds; at 500/s, `delivery(multicast): lost == 0` broke. Of 10,000 deliveries/s, 5,000/s arrived within the measured time. The registry used 60 % of a core, and the generator 40 % of its own.";
    assert!(rates(&ramp).contains(one), "{}", rates(&ramp));
    ramp.thresholds[1].held = None;
    let unknown = "; at 500/s, `delivery(multicast): lost == 0` could not be judged.";
    assert!(rates(&ramp).contains(unknown), "{}", rates(&ramp));
    ramp.thresholds[0].held = Some(false);
    let none = "With 100 receivers: the lowest rate that was tested did not meet all thresholds; at 100/s,";
    assert!(rates(&ramp).contains(none), "{}", rates(&ramp));
}

/// Ctrl-C during the ramp-up or warm-up leaves a level without measured time.
#[test]
fn a_level_that_was_interrupted_before_its_measured_time_has_no_figures() {
    let mut interrupted = level(500, 100, 5);
    interrupted.phases.duration_s = 0.0;
    interrupted.measured = record::Measured::default();
    let alone = run(vec![interrupted.clone()]);
    let parts = Parts {
        report: Some(&alone),
        mix3000: Some(&alone),
        mix1000: Some(&alone),
        mix100: Some(&alone),
        ramp: Some(&alone),
        overload: Some(&alone),
        burst: Some(&alone),
        tenants: Some(&alone),
        sustained: Some(&alone),
        ceiling: None,
    };
    let (nothing, _) = pages(&Parts::default());
    let (page, terminal) = pages(&parts);
    for text in [&page, &terminal] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    let figures = |page: &str| page.matches(" 0 of 0 ").count();
    assert_eq!(figures(&page), figures(&nothing), "{page}");
    let ramp = run(vec![level(100, 100, 5), interrupted]);
    let text = rendered(
        "rates.md",
        &Parts {
            ramp: Some(&ramp),
            ..Parts::default()
        },
    );
    let held = "With 100 receivers: 100/s, the highest rate that was tested, met all thresholds.";
    assert!(text.contains(held), "{text}");
}

#[test]
fn the_bursts_of_an_interrupted_part_are_those_of_its_plan() {
    let mut level = level(500, 100, 5);
    level.load.rate = Some("500/s for 10s, nothing for 5s, 3 times".to_owned());
    level.phases = Phases {
        duration_s: 21.0,
        ..Phases::default()
    };
    level.series = vec![
        window(0.0, 100, 4.0),
        window(9.0, 50, 30.0),
        window(14.0, 7, 1.0),
        window(15.0, 120, 5.0),
        window(20.0, 130, 6.0),
    ];
    let all = super::figures::bursts(&level);
    let found: Vec<_> = all
        .iter()
        .map(|burst| (burst.deliveries, burst.is_interrupted))
        .collect();
    assert_eq!(found, [(157, false), (250, true)]);
}

#[test]
fn deliveries_after_the_measured_time_are_what_the_report_calls_failures() {
    let mut level = level(1000, 3000, 8000);
    // 1 s of warm-up, then 10 s: the deliveries before and after do not count.
    level.series = vec![
        window(0.0, 7, 1.0),
        window(1.0, 600_000, 1.0),
        window(10.0, 1_200_000, 1.0),
        window(11.0, 4_200_000, 1.0),
    ];
    let slow = level.measured.requests.get_mut("multicast").unwrap();
    (0..300).for_each(|_| slow.ran_out(Nanos::from_secs(10)));
    let all = level.measured.deliveries.get_mut("multicast").unwrap();
    all.delivered = 5_000_000;
    all.late = 900_000;
    all.lost = BTreeMap::from([(LossReason::NeverSeen, 100_000)]);
    let overload = run(vec![level]);
    let (page, _) = pages(&Parts {
        overload: Some(&overload),
        ..Parts::default()
    });
    for sentence in [
        "1,800,000 of 6,000,000 deliveries had arrived when the measured time ended. The report's tool would print 30.00 % delivered and 4,200,000 failed. In fact 5,000,000 arrived in time, 900,000 late, and 100,000 were lost.",
        "2,000 multicasts with a response at 1,000 operations/s took 8.000 s on average, P99 8.0",
        "300 more had no response after 10 s. The report's histogram prints",
        "300 operations had no response within 10 s or failed.",
        "The report's histogram prints P50 100 ms and P99 100 ms for them; 2,000 of these times lie in its last bucket.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
}

#[test]
fn expired_registrations_that_are_found_are_reported() {
    let mut level = level(100, 300, 5);
    level.phases.duration_s = 600.0;
    let alive = metric(MetricKind::Gauge, &[15_000.0, 14_990.0]);
    let measured = &mut level.measured;
    measured
        .metrics
        .insert("registrations that have not expired".to_owned(), alive);
    let found = Check {
        passed: 10,
        failed: 3,
    };
    let name = "no registration outlives its time".to_owned();
    measured.checks.insert(name, found);
    let sustained = run(vec![level]);
    let text = rendered(
        "sustained.md",
        &Parts {
            sustained: Some(&sustained),
            ..Parts::default()
        },
    );
    let expected = "10 minutes at 100 operations/s: 500 identities registered for five minutes each. At most 15,000 of them were registered at the same time, and 14,990 at the end: the others expired. 3 enumerations found registrations more than two seconds after their time.";
    assert!(text.contains(expected), "{text}");
    assert!(
        text.contains("20.0 MB at the start, 21.5 MB at the end."),
        "{text}"
    );
}

#[test]
fn each_part_has_data_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    settings::write_namespaces(folder).unwrap();
    let embedded = flags("tenants", None, folder);
    assert_eq!(embedded[0], "--store");
    assert!(embedded[1].ends_with("/tenants.db"), "{embedded:?}");
    let file = std::fs::read_to_string(&embedded[3]).unwrap();
    assert_eq!(file.matches("\"token\"").count(), 10, "{file}");
    let urls = Urls {
        redis: "redis://127.0.0.1:1,redis://127.0.0.1:2".to_owned(),
        nats: "nats://127.0.0.1:3".to_owned(),
        study: 0x7a,
    };
    let expected = "--redis redis://127.0.0.1:1,redis://127.0.0.1:2 --nats nats://127.0.0.1:3 --redis-prefix study7a-ramp: --nats-prefix study7a-ramp.";
    assert_eq!(flags("ramp", Some(&urls), folder).join(" "), expected);
}

#[test]
fn the_long_parts_run_only_when_asked_for() {
    let names = |settings: &settings::RegistrySettings| {
        let parts = selected(settings).into_iter();
        parts
            .map(|part| (part.part.name, part.env.to_vec()))
            .collect::<Vec<_>>()
    };
    let short = names(&settings::RegistrySettings::default());
    assert!(short.iter().all(|(name, _)| *name != "sustained"));
    assert!(
        short
            .iter()
            .any(|(_, env)| env.contains(&("SILENCE", "5s")))
    );
    let long = names(&settings::RegistrySettings {
        long_silences: true,
        sustained: Some(settings::Sustained::SixtyMinutes),
        ..settings::RegistrySettings::default()
    });
    assert!(
        long.iter()
            .any(|(_, env)| env.contains(&("SILENCE", "50s")))
    );
    assert_eq!(
        long.last().unwrap(),
        &("sustained", vec![("DURATION", "60m")])
    );
}
