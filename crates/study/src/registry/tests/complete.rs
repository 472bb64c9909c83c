//! A report for which every part was run.

use super::*;

/// The report's own test: 200 multicasts with 1,463 targets each, none of which listens.
fn to_nobody() -> Level {
    let mut level = level(100, 0, 5);
    let measured = &mut level.measured;
    measured.deliveries.clear();
    measured.requests.remove("multicast");
    for (identities, ms) in [("0 to 999", 2), ("2000 or more", 9)] {
        let name = format!("multicast{{identities={identities}}}");
        measured.requests.insert(name, answered(100, ms));
    }
    let metrics = [
        (
            "targets of a multicast",
            metric(MetricKind::Trend, &[1463.0; 200]),
        ),
        (
            "without a receiver",
            metric(MetricKind::Counter, &[1463.0; 200]),
        ),
    ];
    measured.metrics = metrics
        .map(|(name, metric)| (name.to_owned(), metric))
        .into();
    level
}

/// Three bursts, one second and ten seconds long with the silence.
fn in_bursts() -> Level {
    let mut level = level(500, 100, 5);
    level.load.rate = Some("500/s for 1s, nothing for 9s, 3 times".to_owned());
    level.phases = Phases {
        duration_s: 30.0,
        ..Phases::default()
    };
    level.series = vec![
        window(0.0, 100, 4.0),
        window(1.0, 50, 30.0),
        window(10.0, 120, 5.0),
        window(20.0, 130, 6.0),
    ];
    level
}

fn with_tenants() -> Level {
    let mut level = level(100, 100, 5);
    let measured = &mut level.measured;
    let foreign = "multicast to another tenant".to_owned();
    measured.requests.insert(foreign, answered(90, 1));
    let seen = Check {
        passed: 500,
        failed: 0,
    };
    let name = "a tenant finds only its own identities".to_owned();
    measured.checks.insert(name, seen);
    level
}

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let report = run(vec![to_nobody()]);
    let mixes = [100, 1000, 3000].map(|receivers| run(vec![level(100, receivers, 30)]));
    let ramp = run(vec![level(100, 100, 5), level(1000, 100, 5)]);
    let overload = run(vec![level(200, 3000, 5)]);
    let (burst, tenants) = (run(vec![in_bursts()]), run(vec![with_tenants()]));
    let [mix100, mix1000, mix3000] = &mixes;
    let parts = Parts {
        report: Some(&report),
        mix3000: Some(mix3000),
        mix1000: Some(mix1000),
        mix100: Some(mix100),
        ramp: Some(&ramp),
        overload: Some(&overload),
        burst: Some(&burst),
        tenants: Some(&tenants),
        sustained: None,
        ceiling: None,
    };
    let (page, terminal) = pages(&parts);
    for sentence in [
        "100 operations/s with 3,000 receivers: 600,000 of 600,000 deliveries, p95 to the last receiver 4.00 ms, 0 lost, 0 late, 0 duplicated, 0 misdelivered.",
        "repeated here: 292,600 targets, which its tool counts as delivered. Nobody received a message, because nobody listened.",
        "The same test here: 200 multicasts with 292,600 targets (1,463 each). The registry states for 292,600 of them that they had no receiver. 0 were received.",
        "0 to 999: 2.00, n/a and 2.00 ms (100 multicasts); 2000 or more: 9.00, n/a and 9.00 ms (100 multicasts).",
        "multicast 30.0 and 30.0 ms, printed as 50.0 and 50.0 ms.",
        "100.000 % of 600,000 expected deliveries arrived.",
        "Here through the network with 1,000 identities that all match: p95 3.00 ms.",
        "Here to 100 receivers: p95 to the last one 4.00 ms.",
        "Here 1,000 of 1,000 planned operations were started",
        "Here at 1,000 operations/s, half of them registrations: p95 1.00 ms.",
        "Here the mix is exact: 500 registrations, 300 enumerations and 200 multicasts.",
        "each with 100 receivers that have the same names in every namespace: 20,000 of 20,000 deliveries, 0 in a wrong namespace, 0 lost, p95 2.00 ms. 90 multicasts to another tenant's namespace were attempted. Of 500 checks",
        "| burst 1 | 10 | 0 | 150 | 30.0 | 60.0 |",
        "| burst 2 | 5 | 0 | 120 | 5.00 | 10.0 |",
        "Not measured: add `--sustained 10m` or `--sustained 60m`.",
        "The registry ran as a separate process.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(
        terminal.starts_with("100 operations/s with 3,000 receivers:"),
        "{terminal}"
    );
}

#[test]
fn with_redis_and_nats_what_was_published_is_not_what_was_received() {
    let mut level = to_nobody();
    let published = metric(MetricKind::Counter, &[1463.0; 200]);
    let metrics = &mut level.measured.metrics;
    metrics.remove("without a receiver");
    metrics.insert("handed over to a receiver".to_owned(), published);
    let report = run(vec![level]);
    let parts = Parts {
        report: Some(&report),
        ..Parts::default()
    };
    let (page, _) = check(TEMPLATES, &page::figures(&parts, true));
    for sentence in [
        "The registry stored its state in Redis and sent messages through NATS, both on this machine.",
        "292,600 were published to NATS, which does not report whether anybody listens. By the report's definition they are delivered. 0 were received.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
}
