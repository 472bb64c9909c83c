//! A scenario that misbehaves harms only itself, and its failure has a location in the source.

use serde_json::Value;

use crate::harness::{Lab, Server};

/// Four groups. Number 2 runs the code in `trouble`.
fn lab(options: &str, trouble: &str) -> Lab {
    let text = format!(
        r#"import type {{ Group, Options }} from "headcount";
export const options: Options = {{ load: {{ groups: 4, duration: "1500ms" }}, {options} }};
export default async function go({{ number, users: [user], think }}: Group) {{
  await user!.get("/healthz");
  await think("50ms");
  if (number === 2) {{
    {trouble}
  }}
}}
"#
    );
    Lab::new().with("go.ts", &text)
}

/// Returns the level of a run whose exit code says that the script failed, or that this machine was too busy to
/// measure.
fn level_with_trouble(lab: &Lab) -> Value {
    let bridge = Server::bridge(&[]);
    let ended = lab.run("go.ts", &bridge.url(), &["--json"]);
    assert!(matches!(ended.code, Some(3 | 98)), "{ended:#?}");
    ended.summary()["levels"][0].clone()
}

#[test]
fn an_error_names_its_line_and_the_other_groups_go_on() {
    let lab = lab("", "const nothing: any = undefined; nothing.length;");
    let level = level_with_trouble(&lab);
    assert!(
        level["iterations"]["succeeded"].as_u64() >= Some(6),
        "{level:#}"
    );
    assert!(
        level["iterations"]["failed"].as_u64() >= Some(1),
        "{level:#}"
    );
    let failure = lab.failure("script", "thrown", "iteration");
    assert_eq!(failure["count"], level["iterations"]["failed"]);
    let first = &failure["first"];
    assert_eq!(
        first["detail"],
        "TypeError: cannot read property 'length' of undefined"
    );
    assert_eq!(first["location"], "go.ts:7:37");
    assert!(
        first["frame"]
            .as_str()
            .unwrap()
            .contains("> 7 |     const nothing"),
        "{first:#}"
    );
}

#[test]
fn an_endless_loop_is_broken_and_the_other_groups_go_on() {
    let lab = lab(
        r#"script: { time: "300ms" }"#,
        "while (number === 2) {\n      Math.sqrt(2);\n    }",
    );
    let level = level_with_trouble(&lab);
    assert!(
        level["iterations"]["succeeded"].as_u64() >= Some(3),
        "{level:#}"
    );
    let failure = lab.failure("script", "looped_forever", "iteration");
    let first = &failure["first"];
    assert_eq!(
        first["detail"],
        "ran for more than 300 ms without a pause, here or in a loop that follows"
    );
    let location = first["location"].as_str().unwrap();
    // The jump back of a loop has no source location. The reported location may be the last expression before the loop.
    let inside = ["go.ts:6:", "go.ts:7:", "go.ts:8:"];
    assert!(
        inside.iter().any(|line| location.starts_with(line)),
        "{first:#}"
    );
}

#[test]
fn a_promise_that_nothing_settles_is_noticed_at_once() {
    let lab = lab("", "await new Promise(() => {});");
    let level = level_with_trouble(&lab);
    assert!(
        level["iterations"]["succeeded"].as_u64() >= Some(6),
        "{level:#}"
    );
    let failure = lab.failure("script", "never_settles", "iteration");
    assert!(failure["count"].as_u64() >= Some(1));
    assert_eq!(failure["count"], level["iterations"]["failed"]);
    let location = failure["first"]["location"].as_str().unwrap();
    assert!(location.starts_with("go.ts:"), "{failure:#}");
}

/// Two users, each at a barrier of its own. The rest of the run continues.
#[test]
fn barriers_that_cannot_open_fail_with_who_waits_where() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { group: 2, load: { groups: 1, once: true } };
export default async function go({ everyone }) {
  await everyone(async (user, here) => {
    await user.get("/healthz");
    await here("n" + user.index);
  });
}
"#,
    );
    let ended = lab.run("go.ts", &bridge.url(), &["--json"]);
    assert!(matches!(ended.code, Some(3 | 98)), "{ended:#?}");
    let failure = lab.failure("script", "barrier", "iteration");
    let first = &failure["first"];
    let detail = first["detail"].as_str().unwrap();
    for told in ["at here(\"n0\") (go.ts:5)", "at here(\"n1\") (go.ts:5)"] {
        assert!(detail.contains(told), "{failure:#}");
    }
    let location = first["location"].as_str().unwrap();
    assert!(location.starts_with("go.ts:5:"), "{failure:#}");
}

#[test]
fn what_is_asked_of_a_closed_socket_says_that_it_is_closed() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 1, once: true } };
export default async function go({ users: [user], channel }) {
  const said = channel("said", { to: "everyone" });
  const socket = await user.websocket("/room/closed");
  await socket.close();
  socket.receives(said);
}
"#,
    );
    let ended = lab.run("go.ts", &truth.url(), &["--json"]);
    assert!(matches!(ended.code, Some(3 | 98)), "{ended:#?}");
    let failure = lab.failure("script", "closed", "iteration");
    let told = "the script has closed this socket";
    assert_eq!(failure["first"]["detail"], told, "{failure:#}");
}

#[test]
fn endless_allocation_ends_the_run_with_clear_words() {
    let bridge = Server::bridge(&[]);
    let lab = lab(
        r#"script: { memory: "32MB" }"#,
        r#"const kept: string[] = []; for (;;) kept.push("x".repeat(100_000) + kept.length);"#,
    );
    let ended = lab.run("go.ts", &bridge.url(), &[]);
    ended.refused(3, &["more than 32 MB of memory", "options.script.memory"]);
}

#[test]
fn a_loop_while_loading_is_broken() {
    let lab = Lab::new().with(
        "go.ts",
        "for (;;) Math.sqrt(2);\nexport default async function go() {}",
    );
    let ended = lab.run("go.ts", "http://127.0.0.1:1", &[]);
    ended.refused(3, &["go.ts:1:", "ran for more than 1 s without a pause"]);
}

#[test]
fn a_failing_setup_ends_the_run_before_any_load() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 1 } };
export async function setup({ user }) {
  const made = await user.get("/nothing-here", { expect: 404 });
  if (!made.ok) throw new Error("no account: " + made.status);
}
export default async function go() {}
"#,
    );
    let ended = lab.run("go.ts", &bridge.url(), &[]);
    ended.refused(3, &["go.ts:4:", "Error: no account: 404", "> 4 |"]);
}

#[test]
fn a_setup_that_waits_for_nothing_goes_on_at_once() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 2, once: true } };
export async function setup({ pool }) {
  await pool(2, (user, index) => ({ index }));
  return { word: "made" };
}
export default async function go({ users: [user], setup, check }) {
  check("the pool's user", user.data.index === user.number && setup.word === "made");
  await user.get("/healthz");
}
export function teardown() {}
"#,
    );
    let ended = lab.run("go.ts", &bridge.url(), &["--json"]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let summary = ended.summary();
    let level = &summary["levels"][0];
    assert_eq!(level["checks"]["passed"], 2, "{level:#}");
    assert_eq!(level["iterations"]["succeeded"], 2, "{level:#}");
}

#[test]
fn a_place_in_the_pool_goes_by_number_and_not_by_who_was_ready_first() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 4, once: true } };
export async function setup({ pool }) {
  await pool(4, async (user, index) => {
    await user.get(`/delay/${400 - 100 * index}ms`, { name: "wait" });
    user.header("x-index", `${index}`);
    return { index };
  });
}
export default async function go({ users: [user], check }) {
  check("the place is the user's own", user.data.index === user.number);
  await user.get("/delay/1ms");
}
"#,
    );
    let ended = lab.run("go.ts", &truth.url(), &["--json"]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let summary = ended.summary();
    assert_eq!(summary["levels"][0]["checks"]["passed"], 4, "{summary:#}");
}

#[test]
fn a_teardown_that_throws_is_told_with_its_place_after_the_report() {
    let bridge = Server::bridge(&[]);
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 1, once: true } };
export default async function go({ users: [user] }) {
  await user.get("/healthz");
}
export function teardown() { throw new Error("not put away"); }
"#,
    );
    let ended = lab.run("go.ts", &bridge.url(), &[]);
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says(&["go.ts:5:", "Error: not put away", "saved"]);
}
