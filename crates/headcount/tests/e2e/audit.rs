//! `headcount audit`: its output and exit codes.

use serde_json::Value;

use crate::harness::{Lab, Server};

/// Impossible figures: 99 of 100 values are below 10 ms, none is above one second, and the mean is five seconds.
const IMPOSSIBLE: &str = r#"
title = "too good"
[[level]]
name = "run"
count = 1000
mean = "5s"
p99 = "10ms"
max = "1s"
"#;

#[test]
fn the_form_to_fill_in_can_be_audited_as_it_is() {
    let form = Lab::new().headcount(&["audit", "--new"]);
    assert_eq!(form.code, Some(0), "{form:#?}");
    let lab = Lab::new().with("audit.toml", &form.stdout);
    let ended = lab.headcount(&["audit", "audit.toml"]);
    assert_eq!(ended.code, Some(0), "doubt alone fails nothing: {ended:#?}");
    ended.says(&["DOUBTFUL", "too-few-samples", "not checked"]);
}

#[test]
fn what_is_impossible_fails_and_is_told_in_three_forms() {
    let lab = Lab::new().with("audit.toml", IMPOSSIBLE);
    let said = |more: &[&str]| lab.headcount(&[&["audit", "audit.toml"], more].concat());
    let terminal = said(&[]);
    assert_eq!(terminal.code, Some(99), "{terminal:#?}");
    terminal.says(&["IMPOSSIBLE", "mean-out-of-reach", "at audit.toml:"]);
    said(&["--format", "markdown"]).says(&["## impossible: run", "- arithmetic: "]);
    let json: Value = serde_json::from_str(&said(&["--format", "json"]).stdout).unwrap();
    assert_eq!(json[0]["verdict"], "impossible", "{json:#}");
    assert_eq!(
        json[0]["findings"][0]["rule"], "mean-out-of-reach",
        "{json:#}"
    );
}

/// A run that is too short to describe the system.
const SHORT: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: [2], duration: "300ms" } };
export default async function asks({ users: [user] }: Group) {
  await user!.get("/delay/5ms");
}
"#;

#[test]
fn a_run_is_audited_at_its_end_and_again_from_its_folder() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("short.ts", SHORT);
    let ended = lab.run("short.ts", &truth.url(), &[]);
    ended.says(&["UNSUPPORTED  2 users: ", "[too-short]"]);
    let again = lab.headcount(&["audit", "run"]);
    assert_eq!(again.code, Some(99), "{again:#?}");
    again.says(&["UNSUPPORTED  2 users  [too-short]"]);
}

#[test]
fn what_cannot_be_read_is_a_mistake_of_usage() {
    let lab = Lab::new()
        .with("notes.txt", "hello")
        .with("audit.toml", "[[level]]\nuser = 3\n");
    lab.headcount(&["audit", "notes.txt"])
        .refused(2, &["notes.txt: unknown format", "k6"]);
    lab.headcount(&["audit", "audit.toml"])
        .refused(2, &["audit.toml:1: a level needs a `name`"]);
    lab.headcount(&["audit", "audit.toml", "notes.txt", "audit.toml"])
        .refused(2, &["audit.toml is given more than once"]);
    lab.headcount(&["audit", "missing.json"])
        .refused(2, &["cannot read missing.json"]);
}
