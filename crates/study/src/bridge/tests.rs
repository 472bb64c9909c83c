//! Reports of small, handmade records.

use std::collections::BTreeMap;

use capacity::search::{Answer, Ceiling, Ended, GeneratorLimit, Interval, Search, Settings};
use model::Nanos;
use record::{
    BusiestThread, Cause, Confidence, Deliveries, Evidence, Finding, IssueCause, Level, Load,
    Machine, Phases, Run, SaturatedPool, TargetUse, Timings,
};

use super::{Parts, TEMPLATES, figures};
use crate::ceiling::{CeilingRun, Ceilings, QuotaRun};
use crate::templates::check;

/// Returns a level of `users` in rooms of 5, with as many requests and as many deliveries, each of 2 ms.
fn level(users: u64, count: u64) -> Level {
    let mut all = Deliveries {
        messages: count / 4,
        expected: count,
        delivered: count,
        ..Deliveries::default()
    };
    all.latency.record_n(Nanos::from_millis(2), count);
    let sent = Timings {
        count,
        response: all.latency.clone(),
        ..Timings::default()
    };
    let mut level = Level {
        load: Load {
            users,
            groups: users / 5,
            ..Load::default()
        },
        phases: Phases {
            duration_s: 10.0,
            ..Phases::default()
        },
        target: Some(TargetUse {
            cpu_percent: Some(90.0),
            busiest_thread: Some(BusiestThread {
                name: "tokio".to_owned(),
                cpu_percent: 88.0,
            }),
            memory_mb_max: Some(10.0 + users as f64 / 100.0),
            ..TargetUse::default()
        }),
        leftovers: Some(users as f64),
        ..Level::default()
    };
    level.measured.requests = BTreeMap::from([("send".to_owned(), sent)]);
    level.measured.deliveries = BTreeMap::from([("message".to_owned(), all)]);
    level
}

fn run() -> Run {
    Run {
        levels: [5, 10, 20].map(|users| level(users, 1000 * users)).to_vec(),
        machine: Machine::default(),
        ..Run::default()
    }
}

#[test]
fn nothing_measured_makes_no_figure_of_ours_and_still_shows_the_mistakes() {
    let (page, terminal) = check(TEMPLATES, &figures::figures(&Parts::default()));
    assert!(page.contains("| not measured |"), "{page}");
    assert!(page.ends_with("Nothing was measured.\n"), "{page}");
    assert!(!page.contains("Here"), "{page}");
    for number in 1..=12 {
        let title = format!("B-X{number} ");
        assert!(page.contains(&format!("### {title}")), "{title} in {page}");
        assert!(terminal.contains(&format!("\n  {title}")), "{title}");
    }
}

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let run = run();
    let parts = Parts {
        short: Some(&run),
        http: Some(&run),
        rooms: Some(&run),
        crowd: Some(&run),
        ceiling: Some(&Ceilings {
            on_cores: found(Some(1200.0)),
            with_quota: None,
        }),
    };
    let (page, terminal) = check(TEMPLATES, &figures::figures(&parts));
    for sentence in [
        "20 users without a pause: 2,000 messages/s, p99 2.00 ms. The field report's server reached 13,712 messages/s; the rate here is 0.1 times as high.",
        "20 users at human pace: 20,000 of 20,000 deliveries, p95 2.00 ms, 0 lost, 0 duplicated, 0 misdelivered.",
        "In its table, throughput changes by +42 % from 5 to 10 users, for +100 % of users, and by +0.8 % from 10 to 20 users.",
        "Here: 500 → 1,000 → 2,000 messages/s, +100 % and +100 %.",
        "5 users: 10.000 and 2.000 ms; 10 users:",
        "busiest thread was at 88 % of a core at 20 users.",
        "400 / 0.029 s = 13,793 (any rate from 13,559 to 14,035 gives that wall time).",
        "10 sessions before the second level",
        "at most 20 sessions were left before a level.",
        "35,000 deliveries expected over all levels, 35,000 delivered, 0 late",
        "memory grew from 10.1 MB at 5 sessions to 10.2 MB: 10.0 KB per session.",
        "The bridge holds 1,200 users at human pace in five rooms (90 % confidence interval: 1,100 to 1,300): every threshold held in 4 long trials, and broke at 1,250.",
        "- all 4 threads \"pool…\" of the target are busy all the time (confidence: high): the target used 190 % of one core, and may use 2 cores.",
        "The bridge ran as a separate process.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(
        terminal.starts_with("20 users without a pause: 2,000"),
        "{terminal}"
    );
}

/// A search that found this ceiling.
fn found(users: Option<f64>) -> CeilingRun {
    let interval = Interval {
        low: 1100.0,
        high: 1300.0,
    };
    let answer = Answer {
        stable: users.map(|load| Ceiling {
            load,
            interval,
            repetitions: 4,
        }),
        holds: Some(1200.0),
        fails: Some(1250.0),
        spent_s: 55.0,
        ..Search::new(settings()).so_far(Ended::Interrupted)
    };
    CeilingRun {
        answer,
        findings: vec![Finding {
            cause: Cause::SaturatedPool(SaturatedPool {
                name: "pool".into(),
                threads: 4,
            }),
            confidence: Confidence::High,
            levels: vec![0],
            limits: Vec::new(),
            evidence: vec![Evidence::TargetCpu {
                percent: 190.0,
                cores: 2,
            }],
            unknown: Vec::new(),
            advice: Vec::new(),
        }],
        thresholds: vec!["delivery(said): p95 < 20ms".into()],
        failure: None,
        words: ("The bridge holds", "users at human pace in five rooms"),
    }
}

fn settings() -> Settings {
    Settings {
        first: 100.0,
        least: 100.0,
        most: 20_000.0,
        whole: true,
        precision: 0.05,
        budget_s: 60.0,
        extended_s: 0.0,
        limit_s: 0.02,
        lead_s: 1.0,
        ramp_s: 0.0,
    }
}

/// The pages of a study that ended with these searches only.
fn pages_of(on_cores: CeilingRun, with_quota: Option<QuotaRun>) -> (String, String) {
    let ceilings = Ceilings {
        on_cores,
        with_quota,
    };
    let parts = Parts {
        ceiling: Some(&ceilings),
        ..Parts::default()
    };
    check(TEMPLATES, &figures::figures(&parts))
}

#[test]
fn a_quota_is_needed_only_where_the_generator_hides_the_ceiling() {
    let limited = |users: Option<f64>| {
        let mut search = found(users);
        search.answer.generator = Some(GeneratorLimit {
            load: 1500.0,
            because: vec![IssueCause::NotMeasured],
        });
        search.ended_at_generator()
    };
    assert!(limited(None));
    assert!(!limited(Some(1200.0)), "the ceiling is known");
    assert!(!found(None).ended_at_generator(), "the time ran out");
}

#[test]
fn a_search_with_a_quota_stands_below_the_first_or_says_why_there_is_none() {
    let mut first = found(None);
    first.answer.at_least = Some(1200.0);
    first.findings.clear();
    let (page, terminal) = pages_of(first.clone(), Some(Ok(found(Some(720.0)))));
    let after = page.split("with a CPU quota of 0.2 cores:").nth(1).unwrap();
    for sentence in [
        "The bridge holds 720 users at human pace in five rooms (90 % confidence interval: 1,100 to 1,300)",
        "The search took 55 s.",
        "- all 4 threads \"pool…\" of the target are busy all the time",
    ] {
        assert!(after.contains(sentence), "{sentence} in {after}");
    }
    let after = terminal.split("With a CPU quota of 0.2 cores:").nth(1);
    assert!(
        after.unwrap().contains("The bridge holds 720 users"),
        "{terminal}"
    );
    let (page, _) = pages_of(first, Some(Err("permission denied".into())));
    assert!(
        page.contains("controller `cpu`: permission denied."),
        "{page}"
    );
}

#[test]
fn a_search_without_a_ceiling_says_what_is_known() {
    let text = |search: &CeilingRun| pages_of(search.clone(), None).0;
    let open = text(&found(None));
    assert!(
        open.contains(
            "The thresholds held with 1,200 users at human pace in five rooms, and broke with 1,250."
        ),
        "{open}"
    );
    let mut at_least = found(None);
    at_least.answer.at_least = Some(1200.0);
    at_least.findings.clear();
    let page = text(&at_least);
    for sentence in [
        "The bridge holds at least 1,200 users at human pace in five rooms: this was the largest load that was tried.",
        "headcount names no cause from the records alone.",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    at_least.answer.generator = Some(GeneratorLimit {
        load: 1500.0,
        because: vec![IssueCause::NotMeasured],
    });
    let page = text(&at_least);
    let reason = report::issue_sentence(&IssueCause::NotMeasured);
    for sentence in [
        "The bridge holds at least 1,200 users at human pace in five rooms: the generator was the limit.",
        &format!("The generator's limit was reached at 1,500: {reason}."),
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(!page.contains("names no cause"), "{page}");
}

#[test]
fn a_search_that_failed_says_why_and_what_it_had_found() {
    let failed = CeilingRun {
        failure: Some("the target closed its port".into()),
        ..found(None)
    };
    let (page, _) = pages_of(failed, None);
    for sentence in [
        "The thresholds held with 1,200 users",
        "A trial failed, and the search ended with it: the target closed its port",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
}

#[test]
fn a_level_at_which_the_generator_was_the_limit_is_a_lower_bound() {
    let mut run = run();
    for level in &mut run.levels {
        let cause = record::IssueCause::NotMeasured;
        level.issues = vec![record::LevelIssue::invalid(cause)];
    }
    let parts = Parts {
        http: Some(&run),
        rooms: Some(&run),
        ..Parts::default()
    };
    let (page, _) = check(TEMPLATES, &figures::figures(&parts));
    for text in [
        "at least 2,000 messages/s",
        "0 misdelivered (INVALID: the generator was the limit).",
        "the level is invalid, so its throughput is a lower bound.",
        "| lower bound: the generator was the limit |",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
}
