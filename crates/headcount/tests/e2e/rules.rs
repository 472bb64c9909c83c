//! The rules of measurement, each checked against the counts of a server.

use serde_json::Value;

use crate::harness::{Lab, Server, ask};

fn scenario(options: &str, body: &str) -> Lab {
    let text = format!(
        "import type {{ Group, Options }} from \"headcount\";\n\
         export const options: Options = {{ {options} }};\n\
         export default async function go({{ users: [user], step }}: Group) {{ {body} }}\n"
    );
    Lab::new().with("go.ts", &text)
}

fn requests_of(truth: &Server) -> u64 {
    let routes = ask(&format!("{}/truth", truth.url()))["routes"].clone();
    let routes = routes.as_object().unwrap().values();
    routes
        .map(|route| route["requests"].as_u64().unwrap())
        .sum()
}

/// Returns the only level of the record.
fn level(lab: &Lab) -> Value {
    lab.record()["levels"][0].clone()
}

#[test]
fn every_keeps_its_clock_whatever_the_answers_do() {
    let truth = Server::truth(&[]);
    let lab = scenario(
        "load: { users: 1, duration: \"2s\" }, settle: \"3s\"",
        "user!.every(\"10ms\", () => user!.get(\"/delay/300ms\"), { first: \"0s\" }); await user!.stay();",
    );
    let told = lab.level("go.ts", &truth.url(), &["--workers", "1"]);
    // The ticker fires every 10 ms for 2 s, although the user's six connections allow only six requests per 300 ms.
    assert_eq!(
        told["requests"]["count"].as_u64().unwrap()
            + told["requests"]["unfinished"].as_u64().unwrap(),
        200,
        "{told:#}"
    );
    assert!(
        told["requests"]["p50_ms"].as_f64() > Some(500.0),
        "the line before the connections counts: {told:#}"
    );
}

#[test]
fn what_comes_before_the_hold_is_in_no_figure_and_levels_are_apart() {
    let truth = Server::truth(&[]);
    let lab = scenario(
        "load: { users: [2, 6], duration: \"700ms\", ramp: \"200ms\", warmup: \"300ms\" }",
        "await user!.get(\"/delay/20ms\");",
    );
    let ended = lab.run("go.ts", &truth.url(), &["--json"]);
    let levels = ended.summary()["levels"].as_array().unwrap().clone();
    assert_eq!(levels.len(), 2);
    let mut all = 0;
    for level in lab.record()["levels"].as_array().unwrap() {
        let request = &level["measured"]["requests"]["GET /delay/20ms"];
        let before = level["measured"]["before"]["requests"].as_u64().unwrap();
        assert!(before > 0, "{:#}", level["measured"]["before"]);
        all +=
            request["count"].as_u64().unwrap() + request["unfinished"].as_u64().unwrap() + before;
    }
    assert_eq!(
        all,
        requests_of(&truth),
        "each request belongs to one level, and there to the hold or to what was before"
    );
}

#[test]
fn littles_law_says_how_many_are_at_work() {
    let truth = Server::truth(&[]);
    let lab = scenario(
        "load: { rate: \"200/s\", duration: \"3s\" }",
        "await user!.get(\"/delay/50ms\");",
    );
    lab.level("go.ts", &truth.url(), &[]);
    let law = level(&lab)["little"].clone();
    let figure = |name: &str| law[name].as_f64().unwrap();
    assert_eq!(law["holds"], true, "{law:#}");
    assert!(
        figure("at_work") > 9.0,
        "200/s of 50 ms and more are ten at work and more: {law:#}"
    );
    // On a busy machine, some start late and end after the measured time.
    assert!((figure("per_s") - 200.0).abs() < 40.0, "{law:#}");
    // About ten of 600 are in flight at the end of the measured time, and count with their age.
    assert!(figure("time_s") >= 0.049, "{law:#}");
}

#[test]
fn what_an_earlier_run_left_behind_is_noticed() {
    let truth = Server::truth(&[]);
    let options = "load: { users: 1, duration: \"300ms\" }, leftovers: { url: \"/truth\", at: \"/websocket/sum/joined\" }";
    let lab = scenario(
        options,
        "const socket = await user!.websocket(\"/room/here\"); await user!.stay(); await socket.close();",
    );
    let first = lab.run("go.ts", &truth.url(), &[]);
    assert!(!first.stdout.contains("state was left"), "{}", first.stdout);
    let again = scenario(
        options,
        "await user!.websocket(\"/room/here\"); await user!.stay();",
    );
    again
        .run("go.ts", &truth.url(), &[])
        .says(&["state was left from an earlier run: the `leftovers` query returned 1 before the level at 1 user"]);
    assert_eq!(level(&again)["leftovers"], 1.0);
}

#[test]
fn the_record_holds_what_it_takes_to_run_it_again() {
    let truth = Server::truth(&[]);
    let lab = scenario(
        "load: { users: 1, duration: \"200ms\" }",
        "await user!.get(\"/delay/1ms\");",
    );
    lab.run("go.ts", &truth.url(), &["--seed", "4711"]);
    let record = lab.record();
    assert_eq!(record["seed"], 4711);
    assert_eq!(record["script"]["sha256"].as_str().map(str::len), Some(64));
    assert!(
        record["script"]["source"]
            .as_str()
            .unwrap()
            .contains("/delay/1ms")
    );
    assert_eq!(record["options"]["load"]["duration"], "200ms");
    assert!(
        record["target"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert!(record["tool"].as_str().unwrap().starts_with("headcount "));
    for name in ["cores", "kernel", "fd_limit"] {
        assert!(
            !record["machine"][name].is_null(),
            "{name}: {:#}",
            record["machine"]
        );
    }
    for name in ["started_at", "ended_at"] {
        assert!(
            record[name].as_str().unwrap().ends_with('Z'),
            "{name}: {}",
            record[name]
        );
    }
}

#[test]
fn a_failure_is_told_with_whose_fault_when_where_and_to_whom() {
    let truth = Server::truth(&[]);
    let lab = scenario(
        "load: { users: 3, once: true }",
        "await step(\"paying\", () => user!.get(\"/error/1\"));",
    );
    lab.run("go.ts", &truth.url(), &[]);
    let failure = lab.failure("target", "status", "GET /error/1");
    assert_eq!(failure["count"], 3);
    let first = &failure["first"];
    assert_eq!(first["step"], "paying", "{failure:#}");
    assert!(
        first["user"].as_str().unwrap().starts_with('u'),
        "{failure:#}"
    );
    assert!(first["at_s"].as_f64().is_some(), "{failure:#}");
    assert!(
        first["detail"].as_str().unwrap().contains("500"),
        "{failure:#}"
    );
}
