//! Scenarios over HTTP/2 against Node's own HTTP/2 server. The server counts requests itself, and curl fetches the counts.

use rcgen::generate_simple_self_signed;
use serde_json::{Value, json};

use crate::harness::{Lab, Server, ask_http2, http2_server};

/// A scenario that each of three users runs once over HTTP/2.
fn once(story: &str) -> Lab {
    let text = format!(
        r#"import type {{ Failure, Group, Options }} from "headcount";
export const options: Options = {{ load: {{ users: 3, once: true }}, http2: true, insecure: true }};
export default async function go({{ users: [u], check }}: Group) {{
  const user = u!;
  {story}
}}
"#
    );
    Lab::new().with("go.ts", &text)
}

fn seen(server: &Server) -> Value {
    ask_http2(&format!("{}/seen", server.url()))
}

/// Runs the scenario. Returns the level, in which all iterations succeeded.
#[track_caller]
fn passed(lab: &Lab, target: &str, checks: u64) -> Value {
    let level = lab.level("go.ts", target, &[]);
    let failures = lab.failures();
    assert_eq!(level["iterations"]["succeeded"], 3, "{failures:#?}");
    assert_eq!(level["checks"]["failed"], 0, "{level:#} {failures:#?}");
    assert_eq!(level["checks"]["passed"], checks, "{level:#} {failures:#?}");
    level
}

fn connections(lab: &Lab, url: &str) -> Value {
    lab.record()["levels"][0]["measured"]["connections"][url]["count"].clone()
}

#[test]
fn all_requests_of_a_user_share_a_connection_and_their_number_is_exact() {
    let server = http2_server(&[]);
    let lab = once(
        r#"const all = Array.from({ length: 40 }, () => user.get("/delay?50", { name: "at once" }));
  check("all", (await Promise.all(all)).every((response) => response.text === "later"));
  for (let n = 0; n < 10; n++) await user.get("/now");"#,
    );
    let level = passed(&lab, &server.url(), 3);
    assert_eq!(level["requests"]["count"], 150, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let seen = seen(&server);
    assert_eq!(seen["requests"], 150, "{seen:#}");
    assert_eq!(seen["sessions"], 3, "{seen:#}");
    assert!(seen["peak"].as_u64() >= Some(40), "{seen:#}");
    assert_eq!(connections(&lab, &server.url()), 3);
}

/// A user keeps few idle servers, but a connection that was just opened is not idle, whatever the others do.
#[test]
fn requests_to_many_servers_at_once_all_get_their_responses() {
    let server = http2_server(&[("HOST", "0.0.0.0")]);
    let url = server.url();
    let (_, port) = url.rsplit_once(':').unwrap();
    let lab = once(&format!(
        r#"const url = (n: number) => `http://127.0.0.${{n + 1}}:{port}/delay?500`;
  const all = Array.from({{ length: 70 }}, (_, n) => user.get(url(n), {{ name: "at once" }}));
  check("all", (await Promise.all(all)).every((response) => response.text === "later"));"#
    ));
    let level = passed(&lab, &server.url(), 3);
    assert_eq!(level["requests"]["count"], 210, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
}

#[test]
fn bodies_headers_cookies_and_redirects_work_as_over_http_1() {
    let server = http2_server(&[]);
    let lab = once(
        r#"const json = await user.post("/echo", { json: { name: "grüße" } });
  check("json", json.json.name === "grüße" && json.headers["content-type"] === "application/json");
  const form = await user.put("/echo", { form: { a: "1 & 2", b: true } });
  check("form", form.text === "a=1+%26+2&b=true");
  const large = "x".repeat(300_000);
  check("beyond the window", (await user.post("/echo", { body: large })).text === large);
  check("no cookie yet", (await user.get("/cookie")).text === "");
  await user.get("/login");
  check("cookies", (await user.get("/cookie")).text.split("; ").sort().join() === "b=2,who=ada");
  check("known", user.cookie("who") === "ada");
  const end = await user.get("/hop?3");
  check("redirected", end.text === "there" && end.url.endsWith("/hop?0"));
  const stays = await user.get("/hop?2", { redirects: 0 });
  check("not redirected", stays.status === 302 && stays.headers["location"] === "/hop?1");
  const head = await user.head("/now");
  check("head", head.status === 200 && head.text === "");"#,
    );
    let level = passed(&lab, &server.url(), 27);
    assert_eq!(
        level["requests"]["by_name"]["GET /hop"]["count"], 6,
        "{level:#}"
    );
    // Three redirects are followed.
    assert_eq!(seen(&server)["requests"], 3 * (9 + 3), "{level:#}");
    assert_eq!(connections(&lab, &server.url()), 3);
}

#[test]
fn a_request_that_times_out_is_reset_and_its_connection_lives_on() {
    let server = http2_server(&[]);
    let lab = once(
        r#"const slow = user.get("/delay?600");
  const silent = await user.get("/hang", { timeout: "200ms" }).catch((error: Failure) => error.kind);
  check("timed out", silent === "timed_out");
  check("the other goes on", (await slow).text === "later");
  await user.get("/now");"#,
    );
    let level = passed(&lab, &server.url(), 6);
    assert_eq!(level["requests"]["failed"], 3, "{level:#}");
    let failure = lab.failure("target", "timed_out", "GET /hang");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("no byte of the response within 200 ms"),
        "{detail}"
    );
    let seen = seen(&server);
    assert_eq!(
        (&seen["sessions"], &seen["resets"]),
        (&json!(3), &json!(3)),
        "{seen:#}"
    );
}

#[test]
fn a_stream_that_the_server_resets_fails_alone() {
    let server = http2_server(&[]);
    let lab = once(
        r#"const slow = user.get("/delay?100");
  const reset = await user.get("/reset").catch((error: Failure) => error.kind);
  check("reset", reset === "reset");
  check("the other goes on", (await slow).text === "later");"#,
    );
    passed(&lab, &server.url(), 6);
    let failure = lab.failure("target", "reset", "GET /reset");
    assert_eq!(failure["count"], 3, "{failure:#}");
    assert_eq!(seen(&server)["sessions"], 3);
}

#[test]
fn a_refused_request_is_sent_again_whatever_its_method() {
    let server = http2_server(&[]);
    let lab = once(
        r#"for (let n = 0; n < 5; n++) {
    const path = `/refuse?${user.name}-${n}`;
    check("accepted", (await user.post(path, { name: "post", body: "x" })).text === "accepted");
  }"#,
    );
    let level = passed(&lab, &server.url(), 15);
    assert_eq!(level["requests"]["count"], 15, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    assert_eq!(level["requests"]["repeated"], 15, "{level:#}");
    let seen = seen(&server);
    assert_eq!(
        (&seen["refused"], &seen["requests"]),
        (&json!(15), &json!(30)),
        "{seen:#}"
    );
    let off = once("").with(
        "go.ts",
        r#"import type { Options, Group } from "headcount";
export const options: Options = { load: { users: 1, once: true }, http2: true, repeat: false };
export default async function go({ users: [user] }: Group) {
  await user!.get("/refuse?again").catch(() => {});
}
"#,
    );
    off.level("go.ts", &server.url(), &[]);
    let failure = off.failure("target", "reset", "GET /refuse");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.contains("REFUSED_STREAM"), "{detail}");
    assert!(
        detail.ends_with("(not processed; repeats are turned off)"),
        "{detail}"
    );
}

#[test]
fn a_connection_that_the_server_leaves_is_replaced_and_nothing_is_lost() {
    let server = http2_server(&[]);
    let lab = once(
        r#"for (let n = 0; n < 50; n++) {
    const all = Array.from({ length: 4 }, () => user.get("/leave"));
    await Promise.all(all);
  }"#,
    );
    let level = passed(&lab, &server.url(), 0);
    assert_eq!(level["requests"]["count"], 600, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let connections = connections(&lab, &server.url());
    assert!(connections.as_u64() > Some(6), "{connections}");
    assert_eq!(connections, seen(&server)["sessions"]);
}

#[test]
fn requests_wait_for_a_free_stream_and_their_wait_is_measured() {
    let server = http2_server(&[("STREAMS", "1")]);
    let lab = once(
        r#"const all = Array.from({ length: 8 }, () => user.get("/delay?30"));
  const times = (await Promise.all(all)).map((response) => response.time);
  check("one after the other", Math.max(...times) >= 8 * 29);
  const queue = Array.from({ length: 4 }, () => user.get("/delay?200", { timeout: "500ms" }).then(() => "", (error: Failure) => error.kind));
  check("the last are too late", (await Promise.all(queue)).join() === ",,timed_out,timed_out");"#,
    );
    passed(&lab, &server.url(), 6);
    assert_eq!(connections(&lab, &server.url()), 3);
    let late = lab.failures();
    let waited = |failure: &&Value| {
        let detail = failure["first"]["detail"].as_str().unwrap();
        detail.contains("no stream was free") || detail.contains("no byte of the response")
    };
    let count: u64 = late
        .iter()
        .filter(waited)
        .map(|failure| failure["count"].as_u64().unwrap())
        .sum();
    assert_eq!(count, 6, "{late:#?}");
}

#[test]
fn a_grpc_call_without_its_status_is_a_failure() {
    let server = http2_server(&[]);
    let lab = once(r#"check("it responded", (await user.post("/grpc", { body: "x" })).ok);"#);
    let level = passed(&lab, &server.url(), 3);
    assert_eq!(level["requests"]["failed"], 3, "{level:#}");
    let failure = lab.failure("target", "protocol", "POST /grpc");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.contains("without grpc-status"), "{detail}");
}

#[test]
fn over_tls_requests_use_http_2_and_websockets_http_1() {
    let certified = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (key, cert) = (certified.signing_key.serialize_pem(), certified.cert.pem());
    let server = http2_server(&[("KEY", &key), ("CERT", &cert), ("SOCKETS", "1")]);
    let lab = once(
        r#"check("request", (await user.get("/now")).text === "now");
  const socket = await user.websocket("/sockets");
  check("socket", (await socket.request("tea")) === "tea");
  await socket.close();
  for (const transports of [["polling"], ["polling", "websocket"]] as const) {
    const io = await user.socketio({ transports: [...transports] });
    check("polling", (await io.request("say", "tea")) === "tea");
    await user.think("300ms");
    check("later", (await io.request("say", "cake")) === "cake");
    await io.close();
  }"#,
    );
    let url = format!("https://localhost:{}", server.port());
    passed(&lab, &url, 18);
    let upgraded = &lab.record()["levels"][0]["measured"]["connections"]["/socket.io/ (upgrade)"];
    assert_eq!(upgraded["count"], 3, "{upgraded:#}");
    assert_eq!(lab.failures(), Vec::<Value>::new());
    // One connection of each user carries the requests and all polls. The WebSockets are not counted by origin.
    assert_eq!(connections(&lab, &url), 3);
    let older = http2_server(&[("KEY", &key), ("CERT", &cert), ("ONLY_HTTP1", "1")]);
    let url = format!("https://localhost:{}", older.port());
    let said = ["h2 and http/1.1", "chose http/1.1", "remove `http2`"];
    once("").run("go.ts", &url, &[]).refused(4, &said);
}

#[test]
fn a_server_without_http_2_is_named_with_what_was_tried_and_what_to_do() {
    let truth = Server::truth(&[]);
    let lab = once(
        r#"const failed = await user.get("/delay/1ms").catch((error: Failure) => `${error.side} ${error.kind}`);
  check("it failed", failed === "target protocol");"#,
    );
    passed(&lab, &truth.url(), 3);
    let failure = lab.failure("target", "protocol", "GET /delay/1ms");
    let detail = failure["first"]["detail"].as_str().unwrap();
    for said in [
        "prior knowledge",
        "responded in HTTP/1",
        "h2c",
        "remove `http2`",
    ] {
        assert!(detail.contains(said), "{detail}");
    }
}
