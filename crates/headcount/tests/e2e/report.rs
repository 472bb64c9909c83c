//! The report of a run: the same at its end and later from the record, and in a stable format.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::harness::{Lab, Server};

const CHAT: &str = r#"
import { type Group, type Options, Counter } from "headcount";
export const options: Options = {
  group: 2, load: { users: [2, 4], duration: "1s" }, settle: "1s",
  thresholds: { requests: "failed == 0", "delivery(said)": "lost == 0" },
};
const rooms = ["Tower", "Chapel"];
const asked = new Counter("asked");
export default async function go({ number, everyone, channel, check }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/bridge/ws", { query: { user: user.name, room: rooms[number % 2]! } });
    socket.receives(said, { at: "/text", only: { "/type": "said" } });
    await socket.next({ only: { "/type": "welcome" } });
    await here("there");
    user.every("100ms", () => socket.send({ type: "say", text: said.stamp(user) }));
    await user.step("ask", () => user.get("/bridge/rooms"));
    asked.add();
    check("sure", true);
    check("not sure", user.index === 0);
    await user.stay();
  });
}
"#;

fn chat() -> (Lab, crate::harness::Ended) {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with("go.ts", CHAT);
    let ended = lab.run("go.ts", &bridge.url(), &[]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    (lab, ended)
}

#[test]
fn a_saved_run_is_told_as_it_was() {
    let (lab, ended) = chat();
    let again = lab.headcount(&["report", "run"]);
    assert_eq!(again.code, Some(0), "{again:#?}");
    let unsaved = |text: &str| {
        let lines = text.lines().filter(|line| !line.starts_with("saved "));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert!(ended.stdout.contains("saved "), "{}", ended.stdout);
    assert_eq!(unsaved(&again.stdout), unsaved(&ended.stdout));
    assert_eq!(
        again.stdout,
        lab.headcount(&["report", "run/run.json"]).stdout
    );

    let markdown = lab
        .headcount(&["report", "run", "--format", "markdown"])
        .stdout;
    assert_eq!(
        markdown,
        fs::read_to_string(lab.path("run/report.md")).unwrap()
    );
}

/// The keys of an object.
fn keys(value: &Value) -> BTreeSet<&str> {
    let object = value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"));
    object.keys().map(String::as_str).collect()
}

#[test]
fn the_summary_has_exactly_the_documented_keys() {
    let text = include_str!("../../../../docs/reference/record.md");
    let (_, rest) = text.split_once("```json\n").unwrap();
    let documented: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();

    let (lab, _) = chat();
    let told = lab.headcount(&["report", "run", "--format", "json"]).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(keys(&told), keys(&documented));
    let model = &documented["levels"][0];
    assert_eq!(told["levels"].as_array().unwrap().len(), 2);
    for level in told["levels"].as_array().unwrap() {
        assert_eq!(keys(level), keys(model));
        for (section, documented) in model.as_object().unwrap().iter().filter(|(name, section)| {
            section.is_object() && !["metrics", "streams"].contains(&name.as_str())
        })
        // the script's names
        {
            assert_eq!(keys(&level[section]), keys(documented), "{section}");
        }
        for (section, names) in [
            ("requests", 1),
            ("deliveries", 1),
            ("checks", 2),
            ("steps", 1),
        ] {
            let whole = if section == "steps" {
                &level["requests"]
            } else {
                &level[section]
            };
            let mut expected = keys(whole);
            expected.remove("by_name");
            let by_name = level[section]["by_name"].as_object().unwrap();
            assert_eq!(by_name.len(), names, "{section}: {by_name:#?}");
            for entry in by_name.values() {
                assert_eq!(keys(entry), expected, "{section}");
            }
        }
    }
}

const CHANCE: &str = r#"
export const options = { load: { users: 4, once: true } };
export default async function go({ users: [u], random }) {
  console.log([u.name, u.random(1e9), random(1e9), u.random(["a", "b", "c"])].join(" "));
}
"#;

#[test]
fn one_seed_is_one_story() {
    let bridge = Server::bridge(&[]);
    let story = |seed: &str, workers: &str| {
        let lab = Lab::new().with("go.ts", CHANCE);
        let ended = lab.run(
            "go.ts",
            &bridge.url(),
            &["--seed", seed, "--workers", workers],
        );
        let mut lines: Vec<_> = ended
            .stderr
            .lines()
            .filter(|line| line.starts_with('u'))
            .map(str::to_owned)
            .collect();
        lines.sort();
        assert_eq!(lines.len(), 4, "{ended:#?}");
        assert_eq!(lab.record()["seed"], seed.parse::<u64>().unwrap());
        lines
    };
    let first = story("7", "1");
    assert_eq!(first, story("7", "1"));
    assert_eq!(
        first,
        story("7", "2"),
        "a user's chances do not hang on the number of workers"
    );
    assert_ne!(first, story("8", "1"));
}

#[test]
fn what_is_no_record_is_refused() {
    let lab = Lab::new()
        .with(
            "cut.json",
            r#"{"kind": "headcount-run", "version": 1, "levels": ["#,
        )
        .with("other.json", r#"{"kind": "something-else", "version": 1}"#)
        .with("newer.json", r#"{"kind": "headcount-run", "version": 99}"#)
        .with("short.json", r#"{"kind": "headcount-run", "version": 1}"#);
    lab.headcount(&["report", "missing"])
        .refused(2, &["cannot read missing"]);
    lab.headcount(&["report", "cut.json"])
        .refused(2, &["cannot use cut.json", "line 1"]);
    lab.headcount(&["report", "other.json"])
        .refused(2, &["something-else"]);
    lab.headcount(&["report", "newer.json"]).refused(2, &["99"]);
    lab.headcount(&["report", "short.json"])
        .refused(2, &["cannot use short.json", "missing field"]);
}

const PLAIN: &str = r#"
import { type Group, type Options } from "headcount";
export const options: Options = { load: { users: 2, duration: "1s" }, thresholds: { requests: "p50 < 5s" } };
export default async function go({ users: [user] }: Group) {
  await user!.get("/delay/5ms");
}
"#;

/// On a busy machine a level may be invalid, and the runs are then not comparable. The last run is named in any case.
#[test]
fn the_page_names_the_last_run_of_the_same_script_beside_it() {
    let server = Server::truth(&[]);
    let lab = Lab::new().with("go.ts", PLAIN).with("other.ts", PLAIN);
    let url = server.url();
    for (script, folder) in [
        ("go.ts", "runs/1"),
        ("other.ts", "runs/2"),
        ("go.ts", "runs/3"),
    ] {
        let ended = lab.headcount(&["run", script, "--target", &url, "--out", folder]);
        assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    }
    let started = |folder: &str| {
        let text = fs::read_to_string(lab.path(folder).join("run.json")).unwrap();
        let run: Value = serde_json::from_str(&text).unwrap();
        let at = run["started_at"].as_str().unwrap();
        format!("the run of {} UTC", at[..16].replace('T', " "))
    };
    let page = fs::read_to_string(lab.path("runs/3/report.html")).unwrap();
    assert!(page.contains(&started("runs/1")), "{page}");
    for first in ["runs/1", "runs/2"] {
        let page = fs::read_to_string(lab.path(first).join("report.html")).unwrap();
        assert!(page.contains("<strong>No earlier run</strong>"), "{first}");
    }
    let again = lab.headcount(&["report", "runs/3", "--html"]);
    assert!(again.stdout.contains(&started("runs/1")), "{again:#?}");
}
