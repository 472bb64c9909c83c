//! How often correct results are called doubtful: thousands of runs of simulated systems, written as each tool would write
//! them. `cargo test -p audit --test alarms -- --nocapture` prints the table of the reference.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests"
)]

#[path = "common/mod.rs"]
mod common;
#[path = "alarms/systems.rs"]
mod systems;
#[path = "alarms/tools.rs"]
mod tools;

use std::collections::BTreeMap;

use audit::{Severity, audit, read, terminal};
use systems::{Dice, Load, Run, SERVICES, System, run};

const TOOLS: [&str; 11] = [
    "k6 summary",
    "k6 handleSummary",
    "Locust",
    "autocannon",
    "oha",
    "hey",
    "wrk",
    "vegeta",
    "Artillery",
    "JMeter",
    "audit.toml",
];

fn text(tool: &str, run: &Run, dice: &mut Dice) -> String {
    match tool {
        "k6 summary" => tools::k6(run, false),
        "k6 handleSummary" => tools::k6(run, true),
        "Locust" => tools::locust(run),
        "autocannon" => tools::autocannon(run),
        "oha" => tools::oha(run),
        "hey" => tools::hey(run),
        "wrk" => tools::wrk(run),
        "vegeta" => tools::vegeta(run, dice),
        "Artillery" => tools::artillery(run, dice),
        "JMeter" => tools::jmeter(run),
        _ => tools::report(run, dice),
    }
}

/// Returns a run of at least 200 requests on a random system, which may be overloaded.
fn any_run(tool: &str, dice: &mut Dice) -> Run {
    loop {
        let open = matches!(tool, "vegeta" | "Artillery");
        let users = if open {
            0
        } else {
            1 + (dice.next() * 12.0) as usize
        };
        let system = System {
            servers: 1 + (dice.next() * 4.0) as usize,
            service: dice.among(&SERVICES),
            mean_ms: dice.among(&[0.2, 1.0, 3.0, 10.0, 40.0]),
            failing: dice.among(&[0.0, 0.0, 0.01, 0.3]),
            stall_ms: dice.among(&[0.0, 0.0, 0.0, 500.0]),
        };
        let pauses = matches!(
            tool,
            "k6 summary" | "k6 handleSummary" | "Locust" | "JMeter" | "audit.toml"
        );
        let pause_ms = match (open, pauses) {
            (true, _) => system.mean_ms / system.servers as f64 * dice.among(&[1.1, 2.0, 5.0]),
            (false, true) => system.mean_ms * dice.among(&[0.0, 1.0, 10.0]),
            (false, false) => 0.0,
        };
        let length_ms = dice.among(&[5_000.0, 10_000.0, 10_030.0, 20_000.0]);
        // Limits the number of requests: with 0.2 ms per request, ten seconds would contain too many.
        let asked = length_ms / (pause_ms + system.mean_ms / if open { 1e9 } else { 1.0 })
            * users.max(1) as f64;
        if asked > 40_000.0 {
            continue;
        }
        let run = run(
            Load {
                users,
                pause_ms,
                length_ms,
            },
            system,
            dice,
        );
        if run.requests.len() >= 200 {
            return run;
        }
    }
}

#[test]
fn sound_results_are_not_called_impossible_or_unsupported() {
    const RUNS: usize = 200;
    println!(
        "| written as | runs | impossible | unsupported | doubtful | rules |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (index, tool) in TOOLS.into_iter().enumerate() {
        let mut dice = Dice(0x5eed + index as u64);
        let mut found = [0usize; 3];
        let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
        for _ in 0..RUNS {
            let run = any_run(tool, &mut dice);
            let text = text(tool, &run, &mut dice);
            let results = read(&[("run".to_owned(), text.clone())])
                .unwrap_or_else(|why| panic!("{tool}: {why}\n{text}"));
            let audit = audit(&results[0]);
            for (count, severity) in found.iter_mut().zip([
                Severity::Impossible,
                Severity::Unsupported,
                Severity::Doubtful,
            ]) {
                *count += usize::from(
                    audit
                        .findings
                        .iter()
                        .any(|finding| finding.severity == severity),
                );
            }
            for finding in &audit.findings {
                *rules.entry(finding.rule).or_default() += 1;
            }
            assert!(
                audit.worst() < Some(Severity::Unsupported),
                "{tool}: {:?}\n{}\n{text:.3000}",
                run.load,
                terminal(&audit, false)
            );
        }
        let rules: Vec<String> = rules
            .iter()
            .map(|(rule, times)| format!("`{rule}` {times}"))
            .collect();
        println!(
            "| {tool} | {RUNS} | {} | {} | {} | {} |",
            found[0],
            found[1],
            found[2],
            rules.join(", ")
        );
        assert!(
            20 * found[2] <= RUNS,
            "{tool}: {} of {RUNS} correct runs are called doubtful",
            found[2]
        );
    }
}
