//! Server-sent events: a room on Node's HTTP server, which counts the faults that it injects, and raw servers. `sse_http2`
//! follows the same room over HTTP/2.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Lab, Raw, Server, ask, ask_http2, read_request, sse_room};

/// Four rooms of five. Each user posts 60 texts by HTTP, which every member receives as an event. All listen before the
/// first post, and the last one is sent long before the end.
const FEED: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, duration: "4s" }, settle: "1s" };
export default async function follow({ id, everyone, channel, check }: Group) {
  const posts = channel("posts", { to: "everyone" });
  await everyone(async (user, here) => {
    const feed = await user.events("/rooms/:room/feed", { params: { room: id }, query: { user: user.name } });
    feed.receives(posts, { event: "post", at: "/text" });
    await here("listening");
    let left = 60;
    const ticker = user.every("25ms", async () => {
      if (--left === 0) ticker.stop();
      await user.post("/rooms/:room/posts", { params: { room: id }, json: { text: posts.stamp(user) } });
    }, { first: "500ms" });
    await user.stay();
    check("it is open", feed.open);
    check("it knows the last id", Number(feed.lastEventId) > 0);
  });
}
"#;

pub(crate) const USERS: u64 = 20;
pub(crate) const EXPECTED: u64 = USERS * 60 * 5;
pub(crate) const NAME: &str = "/rooms/:room/feed";

/// One run against the room.
pub(crate) struct Followed {
    pub(crate) lab: Lab,
    pub(crate) level: Value,
    /// What the server did.
    pub(crate) done: Value,
}

fn follow(faults: &[(&str, &str)]) -> Followed {
    let room = sse_room(faults);
    let lab = Lab::new().with("feed.ts", FEED);
    let level = lab.level("feed.ts", &room.url(), &[]);
    let done = ask(&format!("{}/counts", room.url()));
    followed(lab, level, done)
}

/// The same over HTTP/2, with the requests and the stream of a user on one connection.
pub(crate) fn follow_http2(faults: &[(&str, &str)]) -> Followed {
    let room = sse_room(&[faults, &[("HTTP2", "1")]].concat());
    let text = FEED.replace("settle:", "http2: true, settle:");
    let lab = Lab::new().with("feed.ts", &text);
    let level = lab.level("feed.ts", &room.url(), &[]);
    let mut done = ask_http2(&format!("{}/counts", room.url()));
    // Without the connection of curl.
    done["sessions"] = (done["sessions"].as_u64().unwrap() - 1).into();
    done["address"] = room.url().into();
    followed(lab, level, done)
}

fn followed(lab: Lab, level: Value, done: Value) -> Followed {
    assert_eq!(done["deliveries"], EXPECTED, "{done}");
    assert_eq!(level["deliveries"]["expected"], EXPECTED, "{level:#}");
    assert_eq!(level["deliveries"]["duplicated"], 0, "{level:#}");
    assert_eq!(level["deliveries"]["misdelivered"], 0, "{level:#}");
    assert_eq!(level["checks"]["failed"], 0, "{level:#}");
    Followed { lab, level, done }
}

impl Followed {
    pub(crate) fn connections(&self, name: &str) -> Value {
        self.lab.record()["levels"][0]["measured"]["connections"][name]["count"].clone()
    }

    #[track_caller]
    pub(crate) fn loses(&self, lost: &Value) {
        let found = &self.level["deliveries"];
        assert_eq!(found["lost"], *lost, "{found:#} {:#}", self.done);
        let delivered = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap_or(0);
        assert_eq!(delivered, EXPECTED - lost.as_u64().unwrap(), "{found:#}");
    }
}

#[test]
fn each_dropped_event_is_lost() {
    let run = follow(&[("DROP", "50")]);
    assert_eq!(run.done["dropped"], EXPECTED / 50, "{}", run.done);
    run.loses(&run.done["dropped"]);
    assert_eq!(run.connections(NAME), USERS);
    assert_eq!(run.lab.failures(), Vec::<Value>::new());
}

#[test]
fn a_healthy_stream_loses_nothing() {
    follow(&[]).loses(&json!(0));
}

#[test]
fn a_stream_that_is_cut_continues_after_its_last_event_and_loses_nothing() {
    let run = follow(&[("CUT", "25")]);
    assert!(run.done["cut"].as_u64() > Some(200), "{}", run.done);
    run.loses(&json!(0));
    assert_eq!(run.connections(NAME), USERS);
    let again = run.connections(&format!("{NAME} (reconnect)"));
    assert_eq!(again, run.done["continued"], "{}", run.done);
    let failure = run
        .lab
        .failure("target", "closed", &format!("events {NAME}"));
    assert_eq!(failure["count"], run.done["cut"], "{failure:#}");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("before the end of the event stream"),
        "{detail}"
    );
}

#[test]
fn what_a_server_does_not_repeat_is_lost_exactly() {
    let run = follow(&[("CUT", "25"), ("FORGETS", "1")]);
    assert!(run.done["missed"].as_u64() > Some(100), "{}", run.done);
    run.loses(&run.done["missed"]);
}

#[test]
fn a_stream_that_ends_in_order_is_no_failure() {
    let run = follow(&[("END", "25")]);
    assert!(run.done["ended"].as_u64() > Some(200), "{}", run.done);
    run.loses(&json!(0));
    let again = run.connections(&format!("{NAME} (reconnect)"));
    assert_eq!(again, run.done["continued"], "{}", run.done);
    assert_eq!(run.lab.failures(), Vec::<Value>::new());
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// A server that answers the first request for a stream with the first of these responses, and so on, and closes each
/// connection. Collects the heads of the requests.
fn answering(responses: &[&str]) -> (Raw, Arc<Mutex<Vec<String>>>) {
    let responses: Vec<String> = responses.iter().map(ToString::to_string).collect();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heads = Arc::clone(&seen);
    let raw = Raw::start(move |stream: TcpStream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        // The preflight sends no request.
        let Some((head, _)) = read_request(&mut reader) else {
            return;
        };
        let mut heads = heads.lock().unwrap();
        let response = responses.get(heads.len()).map_or("", String::as_str);
        heads.push(head);
        let mut stream = stream;
        let _ = stream.write_all(response.as_bytes()); // the client may have left
    });
    (raw, seen)
}

#[track_caller]
fn passes(lab: &Lab, target: &str, checks: u64) {
    let level = lab.level("once.ts", target, &[]);
    let failures = lab.failures();
    assert_eq!(level["checks"]["failed"], 0, "{level:#} {failures:#?}");
    assert_eq!(level["checks"]["passed"], checks, "{level:#} {failures:#?}");
    assert_eq!(level["iterations"]["succeeded"], 1, "{failures:#?}");
}

#[test]
fn events_have_names_ids_and_data_and_the_stream_continues_where_it_ended() {
    let first = format!(
        "{HEAD}retry: 10\n\nid: 7\ndata: {{\"a\":1}}\n\nevent: other\ndata: two\ndata: lines\n\n"
    );
    let second = format!("{HEAD}event: late\nid: 8\ndata: \n\n");
    let stop = "HTTP/1.1 204 No Content\r\n\r\n";
    let (server, heads) = answering(&[&first, &second, stop]);
    let lab = Lab::once(
        "",
        r#"
  const feed = await user.events("/feed", { lastEventId: "6", headers: { "X-A": "b" } });
  const other = await feed.next({ event: "other" });
  check("by name", other.data === "two\nlines" && other.id === "7");
  const named = await feed.next({ only: { "/a": 1 } });
  check("by value", named.event === "message" && named.json.a === 1 && named.id === "7");
  const late = await feed.next({ event: "late", timeout: "5s" });
  check("after the reconnect", late.data === "" && late.id === "8");
  await eventually("stopped by the server", "5s", () => !feed.open);
"#,
    );
    passes(&lab, &server.url(), 3);
    let heads = heads.lock().unwrap();
    let ids = heads.iter().map(|head| {
        let id = head
            .lines()
            .find_map(|line| line.strip_prefix("Last-Event-ID: "));
        id.unwrap_or_default().to_owned()
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["6", "7", "8"]);
    let asks = |head: &String| {
        ["GET /feed HTTP/1.1", "Accept: text/event-stream", "X-A: b"]
            .iter()
            .all(|line| head.contains(line))
    };
    assert!(heads.iter().all(asks), "{heads:#?}");
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

#[test]
fn a_stream_without_reconnection_closes_with_its_reason() {
    let (server, heads) = answering(&[&format!("{HEAD}data: only\n\n")]);
    let lab = Lab::once(
        "",
        r#"
  const feed = await user.events("/feed", { reconnect: false });
  let reason = "";
  const seen: string[] = [];
  feed.on("event", (event) => { seen.push(event.data); });
  feed.on("close", (why) => { reason = why; });
  await eventually("closed", "5s", () => reason !== "");
  check("the event", seen.join() === "only");
  check("the reason", reason === "the server closed the event stream");
  check("no state", feed.lastEventId === undefined && !feed.open);
"#,
    );
    passes(&lab, &server.url(), 3);
    assert_eq!(heads.lock().unwrap().len(), 1);
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

#[test]
fn a_response_that_is_no_stream_fails_with_the_reason() {
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi";
    for (response, (side, kind), words) in [
        (html, ("target", "protocol"), "`text/html`"),
        (
            "HTTP/1.1 404 Not Found\r\n\r\n",
            ("target", "status"),
            "404",
        ),
        (
            "HTTP/1.1 429 Slow Down\r\n\r\n",
            ("target", "rate_limited"),
            "429",
        ),
        (
            "HTTP/1.1 204 No Content\r\n\r\n",
            ("target", "closed"),
            "204",
        ),
        ("", ("target", "closed"), "before it responded"),
        ("SSH-2.0\r\n", ("target", "protocol"), "not HTTP"),
    ] {
        let (server, heads) = answering(&[response]);
        let body = r#"
  try {
    await user.events("/feed");
  } catch (error) {
    const { side, kind } = error as Failure;
    check("it failed", `${side} ${kind}` === "SIDE KIND");
  }
"#;
        let lab = Lab::once("", &body.replace("SIDE KIND", &format!("{side} {kind}")));
        passes(&lab, &server.url(), 1);
        assert_eq!(
            heads.lock().unwrap().len(),
            1,
            "{response}: it is not asked again"
        );
        let failure = lab.failure(side, kind, "events /feed");
        let detail = failure["first"]["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{response}: {detail}");
    }
}

#[test]
fn a_server_that_is_gone_is_asked_again_and_each_attempt_counts() {
    // Only the first connection gets a stream. The others are closed without a response.
    let (server, heads) = answering(&[&format!("{HEAD}retry: 20\n\ndata: x\n\n")]);
    let lab = Lab::once(
        "",
        r#"
  const feed = await user.events("/feed");
  await feed.next();
  await user.think("500ms");
  check("it still tries", feed.open && feed.reconnects === 0);
  await feed.close();
  check("it is closed", !feed.open);
"#,
    );
    passes(&lab, &server.url(), 2);
    let attempts = heads.lock().unwrap().len() - 1;
    assert!(attempts > 3, "{attempts}");
    let failure = lab.failure("target", "closed", "events /feed");
    let counted = failure["count"].as_u64().unwrap();
    // One attempt may be in flight when the script closes the stream.
    assert!(attempts as u64 - counted <= 1, "{attempts} {counted}");
}

#[test]
fn the_script_that_closes_a_stream_ends_what_waits_on_it() {
    let room: Server = sse_room(&[]);
    let lab = Lab::once(
        "",
        r#"
  const feed = await user.events("/rooms/a/feed", { query: { user: "x" }, name: "mine" });
  const next = feed.next().catch((error: Failure) => error.kind);
  await feed.close();
  check("the wait ended", (await next) === "closed");
  try {
    await feed.next();
  } catch (error) {
    check("the script is to blame", (error as Failure).side === "script");
  }
"#,
    );
    let level = lab.level("once.ts", &room.url(), &[]);
    assert_eq!(level["iterations"]["succeeded"], 1, "{:#?}", lab.failures());
    assert_eq!(level["checks"]["failed"], 0, "{level:#}");
    let record = lab.record();
    let connections = &record["levels"][0]["measured"]["connections"];
    assert_eq!(connections["mine"]["count"], 1, "{connections:#}");
}

#[test]
fn an_event_beyond_the_limit_ends_the_stream_and_is_no_fault_of_the_target() {
    let large = format!("{HEAD}data: {}\n\n", "x".repeat(3000));
    let (server, heads) = answering(&[&large]);
    let lab = Lab::new().with(
        "once.ts",
        r#"import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 1, once: true }, maxMessage: "1kB" };
export default async function once({ users, eventually }: Group) {
  const feed = await users[0]!.events("/feed");
  await eventually("closed", "5s", () => !feed.open);
}
"#,
    );
    passes(&lab, &server.url(), 0);
    assert_eq!(heads.lock().unwrap().len(), 1, "it would only fail again");
    let failure = lab.failure("generator", "too_large", "events /feed");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.contains("maxMessage"), "{detail}");
}
