//! Comparisons of real runs against servers whose delays are known.

use std::fs;

use serde_json::Value;

use crate::harness::{Ended, Lab, Server};

/// Runs a second of requests to a path, saved in `folder`.
fn measure(lab: &Lab, server: &Server, path: &str, folder: &str) {
    let url = server.url() + path;
    let ended = lab.headcount(&["bench", &url, "-c", "4", "-d", "1s", "--out", folder]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
}

/// The folders of three runs on each side, in the order of the runs.
const ALTERNATING: [&str; 6] = ["old/1", "new/1", "new/2", "old/2", "old/3", "new/3"];

/// Three runs of the same path on each side, alternating.
fn three_each(lab: &Lab, server: &Server, path: &str) {
    for folder in ALTERNATING {
        measure(lab, server, path, folder);
    }
}

/// A busy machine can make levels invalid, and the name of a request contains its path.
fn compare(lab: &Lab, more: &[&str]) -> Ended {
    let fixed = [
        "compare",
        "old",
        "new",
        "--allow-different",
        "validity,options,script,load",
    ];
    lab.headcount(&[&fixed[..], more].concat())
}

/// The same scenario, whose parameter selects the delay. The name of the request is the same for both delays.
const SLOWER: &str = r#"
import { env, type Group, type Options } from "headcount";
export const options: Options = { load: { users: 4, duration: "1s" } };
export default async function go({ users: [user] }: Group) {
  await user!.get(`/delay/${env("MS")}ms`, { name: "page" });
}
"#;

#[test]
fn a_target_that_became_slower_is_found_and_fails_a_condition() {
    let server = Server::truth(&[]);
    let lab = Lab::new().with("go.ts", SLOWER);
    let url = server.url();
    for folder in ALTERNATING {
        let (delay, version) = if folder.starts_with("old") {
            ("MS=20", "1.4.2")
        } else {
            ("MS=30", "1.5.0")
        };
        let run = [
            "run",
            "go.ts",
            "--target",
            &url,
            "--env",
            delay,
            "--out",
            folder,
            "--target-version",
            version,
        ];
        let ended = lab.headcount(&run);
        assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    }
    let slower = compare(&lab, &["--fail-if", "request(page) p50 +20%"]);
    assert_eq!(slower.code, Some(99), "{slower:#?}");
    assert!(slower.stdout.starts_with("Failed: "), "{}", slower.stdout);
    assert!(
        slower.stdout.contains("different: worse"),
        "{}",
        slower.stdout
    );
    for named in ["(3 runs, target 1.4.2)", "(3 runs, target 1.5.0)"] {
        assert!(slower.stdout.contains(named), "{}", slower.stdout);
    }
    std::fs::rename(lab.path("new/1"), lab.path("old/4")).unwrap();
    let mixed = compare(&lab, &[]);
    let said = "target-version (of the runs of one side): 1.4.2";
    mixed.refused(2, &[said, "--allow-different target-version"]);
}

#[test]
fn an_unchanged_target_passes_a_condition() {
    let (lab, server) = (Lab::new(), Server::truth(&[]));
    three_each(&lab, &server, "/delay/20ms");
    let same = compare(&lab, &["--fail-if", "p50 +60%"]);
    assert_eq!(same.code, Some(0), "{same:#?}");
    assert!(same.stdout.starts_with("Passed: "), "{}", same.stdout);
    assert!(
        same.stdout.contains("request(GET /delay/20ms) p50"),
        "{}",
        same.stdout
    );
    let json = compare(&lab, &["--format", "json"]);
    let parsed: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(parsed["comparison"]["method"], "alternating");
    assert_eq!(parsed["comparison"]["base_runs"], 3);
}

#[test]
fn one_run_on_a_side_shows_no_difference() {
    let (lab, server) = (Lab::new(), Server::truth(&[]));
    measure(&lab, &server, "/delay/5ms", "old/1");
    measure(&lab, &server, "/delay/5ms", "new/1");
    let ended = compare(&lab, &["--fail-if", "p50 +1%"]);
    assert_eq!(ended.code, Some(98), "{ended:#?}");
    assert!(
        ended.stdout.contains("one run on a side"),
        "{}",
        ended.stdout
    );
    let allowed = compare(&lab, &["--fail-if", "p50 +1%", "--allow-inconclusive"]);
    assert_eq!(allowed.code, Some(0), "{allowed:#?}");
    // A misspelt name must not pass in CI.
    let misspelt = ["--fail-if", "request(pgae) p50 +1%", "--allow-inconclusive"];
    let refused = compare(&lab, &misspelt);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    assert!(
        refused.stderr.contains("no such figure"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_baseline_keeps_each_run_once() {
    let (lab, server) = (Lab::new(), Server::truth(&[]));
    measure(&lab, &server, "/delay/5ms", "one");
    for index in 0..2 {
        let saved = lab.headcount(&["baseline", "save", "main", "one"]);
        assert_eq!(saved.code, Some(0), "{saved:#?}");
        assert!(
            saved.stderr.contains("baseline main: 1 run from 1 day"),
            "{}",
            saved.stderr
        );
        assert_eq!(saved.stderr.contains("(1 there before)"), index == 1);
    }
    let list = lab.headcount(&["baseline", "list"]);
    assert!(list.stdout.contains("main"), "{}", list.stdout);
    let ended = lab.headcount(&["compare", "--baseline", "main", "one"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    assert!(
        ended.stdout.contains("1 run is on both sides"),
        "{}",
        ended.stdout
    );
    let missing = lab.headcount(&["compare", "--baseline", "other", "one"]);
    assert_eq!(missing.code, Some(2), "{missing:#?}");
    let outside = lab.headcount(&["baseline", "save", "../main", "one"]);
    assert_eq!(outside.code, Some(2), "{outside:#?}");
}

#[test]
fn runs_that_are_not_comparable_are_refused_with_the_way_out() {
    let (lab, server) = (Lab::new(), Server::truth(&[]));
    measure(&lab, &server, "/delay/5ms", "old/1");
    let url = server.url() + "/delay/5ms";
    lab.headcount(&["bench", &url, "-c", "8", "-d", "1s", "--out", "new/1"]);
    let ended = lab.headcount(&["compare", "old", "new"]);
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    assert!(ended.stderr.contains("not comparable"), "{}", ended.stderr);
    for part in ["--allow-different", "in old/1", "in new/1"] {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
    let empty = lab.headcount(&["compare", ".", "new"]);
    assert_eq!(empty.code, Some(2), "{empty:#?}");
}

/// Such a run would make all later comparisons impossible.
#[test]
fn a_baseline_takes_no_invalid_or_different_run_unless_told_to() {
    let (lab, server) = (Lab::new(), Server::truth(&[]));
    measure(&lab, &server, "/delay/5ms", "one");
    let kept = lab.headcount(&["baseline", "save", "paths", "one"]);
    assert_eq!(kept.code, Some(0), "{kept:#?}");
    let url = server.url() + "/delay/5ms";
    lab.headcount(&["bench", &url, "-c", "8", "-d", "1s", "--out", "other"]);
    let different = lab.headcount(&["baseline", "save", "paths", "other"]);
    assert_eq!(different.code, Some(2), "{different:#?}");
    for part in [
        "nothing was saved",
        "headcount-baselines/paths/",
        "in other",
    ] {
        assert!(
            different.stderr.contains(part),
            "{part}: {}",
            different.stderr
        );
    }
    let file = lab.path("one/run.json");
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    record["levels"][0]["issues"] =
        serde_json::json!([{ "severity": "invalid", "cause": "not_measured" }]);
    fs::write(&file, record.to_string()).unwrap();
    let refused = lab.headcount(&["baseline", "save", "main", "one"]);
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    for part in ["level 1 invalid in one", "--allow-different validity"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert!(!lab.path("headcount-baselines/main").exists());
    let told = lab.headcount(&[
        "baseline",
        "save",
        "main",
        "one",
        "--allow-different",
        "validity",
    ]);
    assert_eq!(told.code, Some(0), "{told:#?}");
    let compared = lab.headcount(&["compare", "--baseline", "main", "one"]);
    assert_eq!(compared.code, Some(2), "{compared:#?}");
    for part in ["validity: level 1 invalid", "headcount-baselines/main/"] {
        assert!(
            compared.stderr.contains(part),
            "{part}: {}",
            compared.stderr
        );
    }
}
