//! The script that CI systems call.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Ended, Lab, Program, Server};

const ASKS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { users: 2, duration: "1s" }, settle: "100ms",
  thresholds: { "request(health)": ["failed == 0", "count > 0"] },
};
export default async function asks({ users: [user], think }: Group) {
  await user!.get("/healthz", { name: "health" });
  await think("10ms");
}
"#;

/// Runs `release/ci.sh` in the lab's folder.
fn ci(lab: &Lab, variables: &[(&str, &str)]) -> Ended {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs = Path::new(env!("CARGO_BIN_EXE_headcount")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command
        .arg(root.join("release/ci.sh"))
        .current_dir(lab.path("."))
        .env("PATH", path)
        .env("GITHUB_STEP_SUMMARY", lab.path("summary.md"))
        .envs([
            ("SCENARIO", "asks.ts"),
            ("OUT", "run"),
            ("BASELINE", "main"),
        ])
        .envs(variables.iter().copied());
    Program::start(command).end()
}

#[test]
fn a_job_runs_saves_compares_and_has_a_summary() {
    let truth = Server::truth(&[]);
    let target = truth.url();
    let lab = Lab::new().with("asks.ts", ASKS);
    let saved = ci(&lab, &[("TARGET", &target), ("SAVE_BASELINE", "true")]);
    assert_eq!(saved.code, Some(0), "{saved:#?}");
    let summary = fs::read_to_string(lab.path("summary.md")).unwrap();
    assert!(summary.contains("request(health)"), "{summary}");
    let junit = fs::read_to_string(lab.path("run/junit.xml")).unwrap();
    assert!(junit.contains("<testsuite"), "{junit}");
    assert!(lab.path("headcount-baselines/main").exists());

    let compared = ci(
        &lab,
        &[
            ("TARGET", &target),
            ("OUT", "second"),
            ("FAIL_IF", "p95 +20%\nfailed +0.5%"),
            ("ALLOW_DIFFERENT", "validity"),
        ],
    );
    assert_eq!(compared.code, Some(0), "{compared:#?}");
    let summary = fs::read_to_string(lab.path("summary.md")).unwrap();
    let said = fs::read_to_string(lab.path("second/compared.md")).unwrap();
    assert!(said.contains("p95"), "{said}");
    assert!(summary.ends_with(&said), "{summary}");
}

#[test]
fn a_job_fails_as_the_run_does_and_quotes_what_it_is_given() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("asks.ts", ASKS);
    let arguments = "--env\nSIGN=it's; touch broken $(touch broken)";
    let refused = ci(&lab, &[("SCENARIO", "none.ts"), ("ARGUMENTS", arguments)]);
    refused.refused(2, &["none.ts"]);
    assert!(!lab.path("broken").exists());
    let fails = ASKS.replace("count > 0", "count > 1000000");
    let lab = lab.with("fails.ts", &fails);
    let target = truth.url();
    let variables = [
        ("SCENARIO", "fails.ts"),
        ("TARGET", &target),
        ("ARGUMENTS", arguments),
    ];
    let failed = ci(&lab, &variables);
    assert!(matches!(failed.code, Some(98 | 99)), "{failed:#?}");
    assert!(!lab.path("broken").exists());
    let summary = fs::read_to_string(lab.path("summary.md")).unwrap();
    assert!(summary.contains("request(health)"), "{summary}");
}
