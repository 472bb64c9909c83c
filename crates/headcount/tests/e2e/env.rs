//! Environment variables that `--env` passes to a scenario. Their values reach the scenario and the server, but no
//! message and no file.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufReader, Write as _};
use std::process::Command;

use crate::harness::{Ended, Lab, Program, Raw, Server, read_request};

const TOKEN: &str = "open-sesame";

/// Responds with 200 to requests that have the token in a header, and with 401 to all others.
fn guarded() -> Raw {
    Raw::start(|stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, _)) = read_request(&mut reader) {
            let known =
                head.contains("x-plain: open-sesame\r\n") && head.contains("x-region: eu\r\n");
            let status = if known { "200 OK" } else { "401 Unauthorized" };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// Runs `headcount run` with `API_TOKEN` in its environment.
fn run_with_token(lab: &Lab, args: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
    command.args(["run", "api.ts", "--out", "run"]).args(args);
    command.env("API_TOKEN", TOKEN).current_dir(lab.path(""));
    Program::start(command).end()
}

const SCENARIO: &str = r#"
import { env } from "headcount";
import type { Group, Options } from "headcount";
const token = env("API_TOKEN");
export const options: Options = {
  target: env("BASE"),
  load: { users: 1, once: true },
  headers: { "x-plain": token, "x-region": env("REGION") },
  thresholds: { [`request(GET /items/${token})`]: "failed == 0" },
};
export default async function go({ users: [user], step }: Group) {
  await step(`with ${token}`, () => user!.get(`/items/${token}`));
  user!.check(`has ${token}`, env("API_TOKEN") === token);
  console.log(`asked with ${token}`);
  throw new Error(`cannot go on with ${token}`);
}
"#;

#[test]
fn values_reach_the_server_and_nobody_else() {
    let server = guarded();
    let lab = Lab::new().with("api.ts", SCENARIO);
    let base = format!("BASE={}", server.url());
    let ended = run_with_token(
        &lab,
        &["--env", "API_TOKEN", "--env", &base, "--env", "REGION=eu"],
    );
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says(&["asked with ***", "cannot go on with ***", "GET /items/***"]);
    assert!(!ended.stderr.contains("did not read"), "{}", ended.stderr);
    let record = lab.record();
    let measured = &record["levels"][0]["measured"];
    assert_eq!(
        measured["requests"]["GET /items/***"]["count"], 1,
        "{measured:#}"
    );
    assert_eq!(
        measured["requests"]["GET /items/***"]["failed"], 0,
        "{measured:#}"
    );
    assert_eq!(measured["checks"]["has ***"]["passed"], 1, "{measured:#}");
    assert_eq!(record["thresholds"][0]["metric"], "request(GET /items/***)");
    assert_eq!(
        record["thresholds"][0]["held"], true,
        "{:#}",
        record["thresholds"]
    );
    assert_eq!(record["options"]["headers"]["x-plain"], "***");
    assert_eq!(
        record["options"]["headers"]["x-region"], "eu",
        "shorter than four characters"
    );
    assert_eq!(record["target"], "***");
    let names = serde_json::json!(["API_TOKEN", "BASE", "REGION"]);
    assert_eq!(record["script"]["env"], names);
    let mut seen = vec![
        ended.stdout,
        ended.stderr,
        lab.headcount(&["report", "run"]).stdout,
    ];
    for file in fs::read_dir(lab.path("run")).unwrap() {
        seen.push(fs::read_to_string(file.unwrap().path()).unwrap());
    }
    assert_eq!(seen.len(), 6, "run.json, report.md and report.html");
    for text in seen {
        assert!(!text.contains(TOKEN), "{text}");
    }
}

#[test]
fn a_variable_that_is_not_passed_is_not_readable() {
    let lab = Lab::new().with("api.ts", SCENARIO);
    let ended = run_with_token(&lab, &["--target", "http://127.0.0.1:1"]);
    ended.refused(
        3,
        &[
            "api.ts:4:",
            "env(\"API_TOKEN\") has no value",
            "--env API_TOKEN=VALUE",
        ],
    );
    let ended = run_with_token(&lab, &["--env", "API_TOKEN", "--env", "BASE"]);
    ended.refused(3, &["api.ts:6:", "the environment has no variable BASE"]);
}

#[test]
fn errors_before_the_run_do_not_repeat_a_value() {
    let lab = Lab::new().with("api.ts", SCENARIO);
    for (base, code) in [
        ("BASE=no URL, open-sesame", 2),
        ("BASE=http://open-sesame.test:x", 2),
    ] {
        let ended = run_with_token(
            &lab,
            &["--env", "API_TOKEN", "--env", base, "--env", "REGION=eu"],
        );
        assert_eq!(ended.code, Some(code), "{ended:#?}");
        assert!(!ended.stderr.contains("sesame"), "{}", ended.stderr);
    }
    let ended = run_with_token(&lab, &["--env", "=open-sesame"]);
    ended.refused(2, &["--env NAME=VALUE"]);
    assert!(!ended.stderr.contains("sesame"), "{}", ended.stderr);
}

#[test]
fn random_values_repeat_with_the_seed_and_differ_between_users() {
    let truth = Server::truth(&[]);
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 8, once: true } };
export default async function go({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
  const bytes = crypto.getRandomValues(new Uint32Array(2));
  console.log(`${user!.name} ${crypto.randomUUID()} ${bytes[0]} ${bytes[1]}`);
}
"#;
    let random = |seed: &str| -> BTreeSet<String> {
        let lab = Lab::new().with("go.ts", text);
        let ended = lab.run("go.ts", &truth.url(), &["--seed", seed]);
        let lines = ended.stderr.lines().filter(|line| line.contains("-4"));
        lines.map(str::to_owned).collect()
    };
    let first = random("7");
    assert_eq!(first.len(), 8, "{first:#?}");
    assert_eq!(first, random("7"));
    let uuid = |line: &String| line.split(' ').nth(1).map(str::to_owned);
    let uuids: BTreeSet<_> = first.iter().chain(&random("8")).map(uuid).collect();
    assert_eq!(uuids.len(), 16, "{uuids:#?}");
}

#[test]
fn a_variable_that_the_scenario_did_not_read_is_named() {
    let server = guarded();
    let lab = Lab::new().with("api.ts", SCENARIO);
    let base = format!("BASE={}", server.url());
    let mut args = vec!["--env", "API_TOKEN", "--env", &base, "--env", "REGION=eu"];
    args.extend(["--env", "REGOIN=us", "--env", "API_TOKNE=secret"]);
    let ended = run_with_token(&lab, &args);
    let told = "note: the scenario did not read API_TOKNE, REGOIN (--env)";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
}
