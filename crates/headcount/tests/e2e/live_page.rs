//! The live page (`--ui`): in a real Chromium, and as seen by clients that should get nothing.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Lab, Program, Server, ask, text_at};
use crate::interrupt::until;

/// The folder of the page's sources, with the packages that its tests need.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../report/page");

const GOES: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { users: USERS, duration: "DURATION" },
  settle: "100ms",
  thresholds: { requests: ["p50 < 30s"] },
};
export default async function goes({ users: [user], think }: Group) {
  await user!.get("/healthz");
  await think("20ms");
}
"#;

/// The scenario with these levels of this length.
fn lab(users: &str, duration: &str) -> Lab {
    let text = GOES.replace("USERS", users).replace("DURATION", duration);
    Lab::new().with("goes.ts", &text)
}

/// Waits until the program has said the address of its page.
fn url_of(program: &Program) -> String {
    let url = || {
        let heard = program.heard();
        let (_, rest) = heard.split_once("live page  ")?;
        let (url, _) = rest.split_once('\n')?;
        Some(url.to_owned())
    };
    until("the address of the live page", || url().is_some());
    url().unwrap()
}

/// What a server at `url` answers to these bytes. Empty if it closes the connection at once.
fn answer(url: &str, request: &str) -> String {
    let mut stream = connect(url);
    // The server may refuse a request before it has read all of it.
    let _ = stream.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes); // an abrupt end is an end
    String::from_utf8_lossy(&bytes).into_owned()
}

fn whole(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn host_of(url: &str) -> &str {
    let rest = url.strip_prefix("http://").unwrap();
    rest.split('/').next().unwrap()
}

fn path_of(url: &str) -> &str {
    &url["http://".len() + host_of(url).len()..]
}

fn connect(url: &str) -> TcpStream {
    let stream = TcpStream::connect(host_of(url)).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

#[test]
fn a_run_is_followed_in_the_browser_and_ended_by_its_button() {
    assert!(
        Path::new(PAGE).join("node_modules/axe-core").exists(),
        "{PAGE}/node_modules is not there: run ./e2e/install.sh (or ./test.sh, which does)"
    );
    let truth = Server::truth(&[]);
    let lab = lab("[2, 4, 6]", "60s");
    let program = lab.start_run("goes.ts", &truth.url(), &["--ui"]);
    let url = url_of(&program);
    let browser = Command::new("node")
        .args(["--test", "tests/run-in-progress.mjs"])
        .current_dir(PAGE)
        .env("LIVE_URL", &url)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&browser.stdout).into_owned();
    assert!(browser.status.success(), "{said}\n{}", program.heard());
    let ended = program.end();
    ended.refused(
        130,
        &["stopping, as the live page asks", "Interrupted", "saved"],
    );
    let record = lab.record();
    assert_eq!(record["interrupted"], true);
    let level = &record["levels"][0];
    assert!(level["phases"]["duration_s"].as_f64() < Some(59.0));
    assert!(level["measured"]["requests"]["GET /healthz"]["count"].as_u64() >= Some(1));
    assert_eq!(level["measured"]["iterations"]["failed"], 0);
    assert!(lab.path("run/report.html").is_file() && lab.path("run/report.md").is_file());
}

#[test]
fn the_page_shows_each_second_of_the_record_and_the_verdict() {
    let truth = Server::truth(&[]);
    let lab = lab("[2, 4]", "3s");
    let program = lab.start_run("goes.ts", &truth.url(), &["--ui"]);
    let url = url_of(&program);
    // The address is announced before the run begins, so the first page may not have the name of its scenario.
    until("the name of the scenario", || {
        text_at(&url).contains("goes.ts")
    });
    let page = text_at(&url);
    assert!(page.contains("connect-src 'self'"), "{page}");
    // The last request is under way when the run ends.
    let (mut after, mut seconds, mut last) = (0, vec![Vec::new(), Vec::new()], Value::Null);
    while last["end"]["last"] != true {
        last = ask(&format!("{url}updates?after={after}"));
        after = last["change"].as_u64().unwrap();
        for level in last["levels"].as_array().unwrap() {
            let column = level["series"]["operations"].as_array().unwrap().clone();
            let known: &mut Vec<Value> = &mut seconds[whole(&level["index"])];
            known.truncate(whole(&level["from"]));
            known.extend(column);
        }
    }
    let report = last["end"]["report"].as_str().unwrap().to_owned();
    let ended = program.end();
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let record = lab.record();
    for (index, level) in record["levels"].as_array().unwrap().iter().enumerate() {
        let windows = level["series"].as_array().unwrap().iter();
        let wanted: Vec<Value> = windows.map(|window| window["requests"].clone()).collect();
        assert_eq!(seconds[index], wanted, "level {}", index + 1);
    }
    assert_eq!(report, "run/report.html");
    assert!(lab.path(&report).is_file());
    assert!(
        last["end"]["verdict"].as_str().unwrap().contains("<h1"),
        "{last}"
    );
}

#[test]
fn strangers_see_nothing_and_cannot_end_the_run() {
    let truth = Server::truth(&[]);
    let lab = lab("[2, 4]", "2s");
    let program = lab.start_run("goes.ts", &truth.url(), &["--ui"]);
    let url = url_of(&program);
    let (host, path) = (host_of(&url), path_of(&url));
    let token = path.trim_matches('/');
    assert_eq!(token.len(), 32, "128 bits: {url}");
    let get = |path: &str, host: &str| {
        answer(
            &url,
            &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        )
    };
    let wrong = format!("/{}/", "0".repeat(32));
    for strange in ["/", "/updates", "/end", &wrong, &path[..path.len() - 2]] {
        let refused = get(strange, host);
        assert!(refused.starts_with("HTTP/1.1 404"), "{strange}: {refused}");
    }
    let rebound = get(path, "evil.example");
    assert!(rebound.starts_with("HTTP/1.1 403"), "{rebound}");
    let seen = get(path, host);
    assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
    assert!(
        !seen.to_lowercase().contains("access-control-allow"),
        "{seen}"
    );
    let end = |path: &str, more: &str| {
        answer(
            &url,
            &format!(
                "POST {path}end HTTP/1.1\r\nHost: {host}\r\n{more}Connection: close\r\nContent-Length: 0\r\n\r\n"
            ),
        )
    };
    let foreign = end(path, "Origin: https://evil.example\r\n");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let by_get = get(&format!("{path}end"), host);
    assert!(by_get.starts_with("HTTP/1.1 405"), "{by_get}");
    let unknown = end(&wrong, "");
    assert!(unknown.starts_with("HTTP/1.1 404"), "{unknown}");
    let large = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n\r\n",
        "x".repeat(100_000)
    );
    let large = answer(&url, &large);
    assert!(!large.starts_with("HTTP/1.1 200"), "{large}");
    // Connections that say nothing take all places, and the run does not mind.
    let silent: Vec<TcpStream> = (0..40).map(|_| connect(&url)).collect();
    until("a connection that is closed at once", || {
        get(path, host).is_empty()
    });
    drop(silent);
    let ended = program.end();
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    assert_eq!(lab.record()["interrupted"], false);
}

#[test]
fn an_address_beyond_this_machine_is_refused() {
    let lab = lab("[2, 4]", "1s");
    for address in ["--ui=0.0.0.0:0", "--ui=192.168.0.7:80", "--ui=[::]:0"] {
        let ended = lab.run("goes.ts", "http://127.0.0.1:1", &[address]);
        ended.refused(2, &["it listens on this machine only", "ssh -L"]);
        assert!(!lab.path("run").exists());
    }
}

#[test]
fn a_bench_has_a_live_page_and_one_button_press_ends_it() {
    let truth = Server::truth(&[]);
    let lab = Lab::new();
    let target = format!("{}/healthz", truth.url());
    let program = lab.start(&["bench", &target, "-c", "2", "-d", "40s", "--quiet", "--ui"]);
    let url = url_of(&program);
    until("a second of the bench", || {
        let update = ask(&format!("{url}updates?after=0"));
        let seconds = update["levels"][0]["series"]["operations"].as_array();
        seconds.is_some_and(|all| all.iter().any(|one| one.as_u64() > Some(0)))
    });
    let end = format!(
        "POST {}end HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        path_of(&url),
        host_of(&url)
    );
    for _ in 0..3 {
        // Only the first request counts. Three times Ctrl-C would end the program without its results.
        let accepted = answer(&url, &end);
        assert!(accepted.starts_with("HTTP/1.1 202"), "{accepted}");
        thread::sleep(Duration::from_millis(20)); // a user who clicks again; the exact time does not matter
    }
    let ended = program.end();
    ended.refused(
        130,
        &[
            "stopping, as the live page asks",
            "Interrupted after 1 level",
        ],
    );
}

#[test]
fn the_page_hides_values_of_the_environment() {
    let truth = Server::truth(&[]);
    let text = r#"
import type { Group, Options } from "headcount";
import { env } from "headcount";
const name = `as ${env("API_TOKEN")}`;
export const options: Options = {
  load: { users: [2, 3], duration: "1s" },
  settle: "100ms",
  thresholds: { [`request(${name})`]: ["p50 < 30s"] },
};
export default async function names({ users: [user], think }: Group) {
  await user!.get("/healthz", { name });
  await think("20ms");
}
"#;
    let lab = Lab::new().with("names.ts", text);
    let secret = "token-of-ann";
    let value = format!("API_TOKEN={secret}");
    let program = lab.start_run("names.ts", &truth.url(), &["--ui", "--env", &value]);
    let url = url_of(&program);
    let (mut shown, mut after, mut last) = (text_at(&url), 0, Value::Null);
    while last["end"]["last"] != true {
        last = ask(&format!("{url}updates?after={after}"));
        after = last["change"].as_u64().unwrap();
        shown += &last.to_string();
    }
    program.end();
    assert!(shown.contains("as ***"), "{shown}");
    assert!(!shown.contains(secret), "{shown}");
}
