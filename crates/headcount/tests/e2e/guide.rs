//! The complete scenarios of the README and the guide. Readers copy them, so they must compile and run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Lab, Program, Server, npx_tsc, tutorial_server};

/// A complete scenario of a page.
struct Scenario {
    page: String,
    name: String,
    target: String,
    text: String,
}

/// What a page holds: blocks of code, by the words after their backticks.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (index, part) in text.split("\n```").enumerate() {
        // Every second part lies between the backticks.
        if index % 2 == 1
            && let Some((words, code)) = part.split_once('\n')
        {
            found.push((words, code));
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<(String, String)> {
    let guide = fs::read_dir(root().join("docs/guide")).unwrap();
    let mut paths: Vec<PathBuf> = guide.map(|entry| entry.unwrap().path()).collect();
    paths.push(root().join("README.md"));
    paths.sort();
    let page = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(page).collect()
}

fn scenarios(page: &str, text: &str) -> Vec<Scenario> {
    let complete = blocks(text).into_iter().filter_map(|(words, code)| {
        let name = code.strip_prefix("// file: ")?.lines().next()?;
        let target = code.lines().nth(1)?.strip_prefix("// target: ")?;
        (words == "ts").then(|| Scenario {
            page: page.to_owned(),
            name: name.to_owned(),
            target: target.to_owned(),
            text: code.to_owned(),
        })
    });
    complete.collect()
}

/// The files that scenarios of a page read: a block with the words `csv NAME`.
fn data(text: &str) -> Vec<(String, String)> {
    let named = blocks(text).into_iter().filter_map(|(words, code)| {
        let name = words.strip_prefix("csv ")?;
        Some((name.to_owned(), code.to_owned()))
    });
    named.collect()
}

fn server(lab: &Lab, target: &str, tutorial: &str) -> Server {
    match target {
        "bridge" => Server::bridge(&[]),
        "editor" => Server::editor(&["--store", "sqlite::memory:"]),
        "marketplace" => {
            let store = format!("sqlite://{}", lab.path("market.db").display());
            Server::marketplace(&["--store", &store, "--rate-limit-bypass-ips", "127.0.0.0/8"])
        }
        "tutorial" => tutorial_server(tutorial),
        other => panic!("no target {other}"),
    }
}

#[test]
fn every_scenario_of_the_guide_is_valid_typescript() {
    let lab = Lab::new();
    assert_eq!(lab.headcount(&["init", "."]).code, Some(0));
    let mut names = BTreeMap::new();
    for (page, text) in pages() {
        for one in scenarios(&page, &text) {
            fs::write(lab.path(&one.name), &one.text).unwrap();
            let before = names.insert(one.name.clone(), one.page);
            assert_eq!(before, None, "two scenarios are called {}", one.name);
        }
    }
    assert!(names.len() > 12, "{names:?}");
    let ended = Program::start(npx_tsc(&lab.path("."))).end();
    assert_eq!(ended.code, Some(0), "{}", ended.stdout);
}

#[test]
fn every_scenario_of_the_guide_runs_without_a_failure() {
    let pages = pages();
    let tutorial = pages.iter().find(|(name, _)| name == "tutorial.md");
    let servers = blocks(&tutorial.unwrap().1).into_iter();
    let (_, tutorial) = servers
        .filter(|(words, _)| *words == "js")
        .find(|(_, code)| code.starts_with("// file: server.mjs"))
        .unwrap();
    for (page, text) in &pages {
        for one in scenarios(page, text) {
            let mut lab = Lab::new().with(&one.name, &one.text);
            for (name, rows) in data(text) {
                lab = lab.with(&name, &rows);
            }
            let server = server(&lab, &one.target, tutorial);
            let mut args = vec!["--json", "--env", "PASSWORD=a long password"];
            if !one.text.contains("once: true") {
                args.extend(["--duration", "1500ms", "--ramp", "0s", "--warmup", "0s"]);
            }
            let ended = lab.run(&one.name, &server.url(), &args);
            let place = format!("{} in {}: {}", one.name, one.page, ended.stderr);
            let summary = ended.summary();
            for level in summary["levels"].as_array().unwrap() {
                assert_eq!(level["iterations"]["failed"], 0, "{place}: {level:#}");
                assert_eq!(level["checks"]["failed"], 0, "{place}: {level:#}");
                // `null` without a channel.
                let lost = level["deliveries"]["lost"].as_u64();
                assert_eq!(lost.unwrap_or(0), 0, "{place}: {level:#}");
            }
        }
    }
}
