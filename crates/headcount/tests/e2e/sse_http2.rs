//! Server-sent events over HTTP/2: the stream of a user is one of the streams of the user's connection.

use serde_json::{Value, json};

use crate::harness::{Lab, ask_http2, sse_room};
use crate::sse::{EXPECTED, Followed, NAME, USERS, follow_http2};

/// The number of connections that were opened, by the record and by the server.
fn both_connections(run: &Followed) -> (Value, Value) {
    let address = run.done["address"].as_str().unwrap();
    (run.connections(address), run.done["sessions"].clone())
}

#[test]
fn requests_and_events_of_a_user_share_a_connection() {
    let run = follow_http2(&[]);
    run.loses(&json!(0));
    assert_eq!(run.done["posts"], USERS * 60, "{}", run.done);
    assert_eq!(run.connections(NAME), USERS);
    assert_eq!(both_connections(&run), (json!(USERS), json!(USERS)));
    assert!(run.done["peak"].as_u64() > Some(1), "{}", run.done);
    assert_eq!(run.lab.failures(), Vec::<Value>::new());
}

#[test]
fn each_event_that_is_dropped_over_http_2_is_lost() {
    let run = follow_http2(&[("DROP", "50")]);
    assert_eq!(run.done["dropped"], EXPECTED / 50, "{}", run.done);
    run.loses(&run.done["dropped"]);
    assert_eq!(run.lab.failures(), Vec::<Value>::new());
}

#[test]
fn a_stream_that_is_reset_continues_after_its_last_event_on_the_same_connection() {
    let run = follow_http2(&[("CUT", "25")]);
    assert!(run.done["cut"].as_u64() > Some(200), "{}", run.done);
    run.loses(&json!(0));
    let again = run.connections(&format!("{NAME} (reconnect)"));
    assert_eq!(again, run.done["continued"], "{}", run.done);
    assert_eq!(both_connections(&run), (json!(USERS), json!(USERS)));
    let what = format!("events {NAME}");
    let failure = run.lab.failure("target", "reset", &what);
    assert_eq!(failure["count"], run.done["cut"], "{failure:#}");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.contains("INTERNAL_ERROR"), "{detail}");
}

#[test]
fn what_a_server_does_not_repeat_over_http_2_is_lost_exactly() {
    let run = follow_http2(&[("CUT", "25"), ("FORGETS", "1")]);
    assert!(run.done["missed"].as_u64() > Some(100), "{}", run.done);
    run.loses(&run.done["missed"]);
}

#[test]
fn requests_take_turns_beside_a_stream_that_occupies_one_of_two() {
    let run = follow_http2(&[("STREAMS", "2")]);
    run.loses(&json!(0));
    assert_eq!(run.done["peak"], 2, "{}", run.done);
    assert_eq!(both_connections(&run), (json!(USERS), json!(USERS)));
    assert_eq!(run.lab.failures(), Vec::<Value>::new());
}

/// One member posts 100 texts, and four follow. Meanwhile each of them does this.
fn listen(faults: &[(&str, &str)], meanwhile: &str) -> (Lab, Value, Value) {
    let scenario = r#"
import type { Options, Roles } from "headcount";
const group = { poster: 1, listeners: 4 };
export const options: Options = { group, load: { users: 20, duration: "4s" }, http2: true, settle: "1s" };
export default async function listen({ id, poster, listeners, everyone, channel }: Roles<typeof group>) {
  const posts = channel("posts", { to: listeners });
  await everyone(async (user, here) => {
    if (user === poster) {
      await here("listening");
      let left = 100;
      const ticker = user.every("20ms", async () => {
        if (--left === 0) ticker.stop();
        await user.post("/rooms/:room/posts", { params: { room: id }, json: { text: posts.stamp(user) } });
      }, { first: "500ms" });
    } else {
      const feed = await user.events("/rooms/:room/feed", { params: { room: id }, query: { user: user.name } });
      feed.receives(posts, { event: "post", at: "/text" });
      await here("listening");
      MEANWHILE
    }
    await user.stay();
  });
}
"#;
    let room = sse_room(&[faults, &[("HTTP2", "1")]].concat());
    let lab = Lab::new().with("listen.ts", &scenario.replace("MEANWHILE", meanwhile));
    let level = lab.level("listen.ts", &room.url(), &[]);
    let done = ask_http2(&format!("{}/counts", room.url()));
    let deliveries = &level["deliveries"];
    assert_eq!(deliveries["expected"], 4 * 100 * 4, "{deliveries:#}");
    assert_eq!(deliveries["lost"], 0, "{deliveries:#} {done}");
    assert_eq!(deliveries["duplicated"], 0, "{deliveries:#} {done}");
    let mut connections = lab.record()["levels"][0]["measured"]["connections"].take();
    assert_eq!(connections[NAME]["count"], 16);
    let again = connections[format!("{NAME} (reconnect)")].take();
    assert_eq!(again["count"], done["continued"], "{done}");
    // The server counts the connection of curl too.
    let opened = connections[room.url()]["count"].as_u64().unwrap();
    assert_eq!(opened + 1, done["sessions"], "{done}");
    (lab, level, done)
}

#[test]
fn a_stream_continues_on_a_new_connection_after_the_server_has_closed_the_old_one() {
    let (lab, _, done) = listen(&[("BREAK", "25")], "");
    assert!(done["broken"].as_u64() >= Some(16 * 3), "{done}");
    let failures = lab.failures();
    let counts = failures
        .iter()
        .map(|failure| failure["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), done["broken"], "{failures:#?}");
}

#[test]
fn a_stream_outlives_the_goaway_of_its_connection_and_requests_move_to_the_next() {
    // Node processes some of the requests that it has declared unprocessed. A second GET does no harm.
    let gets = r#"user.every("30ms", () => user.get("/counts"));"#;
    let (lab, level, done) = listen(&[("LEAVE", "25")], gets);
    assert_eq!(done["left"], 16 * 2, "{done}");
    assert!(done["sessions"].as_u64() >= Some(16 * 3), "{done}");
    assert!(
        level["requests"]["count"].as_u64() > Some(1000),
        "{level:#}"
    );
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

#[test]
fn a_server_that_allows_one_stream_has_no_room_for_requests_beside_a_stream() {
    let room = sse_room(&[("HTTP2", "1"), ("STREAMS", "1")]);
    let lab = Lab::new().with(
        "once.ts",
        r#"import type { Failure, Group, Options } from "headcount";
export const options: Options = { load: { users: 1, once: true }, http2: true };
export default async function once({ users: [user], check }: Group) {
  const feed = await user!.events("/rooms/a/feed", { query: { user: "x" } });
  try {
    await user!.get("/counts", { timeout: "300ms" });
  } catch (error) {
    check("it waits", (error as Failure).kind === "timed_out");
  }
  await feed.close();
  check("then there is room", (await user!.get("/counts")).ok);
}
"#,
    );
    let level = lab.level("once.ts", &room.url(), &[]);
    assert_eq!(
        level["checks"]["passed"],
        2,
        "{level:#} {:#?}",
        lab.failures()
    );
    let failure = lab.failure("target", "timed_out", "GET /counts");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("no stream was free within 300 ms"),
        "{detail}"
    );
}
