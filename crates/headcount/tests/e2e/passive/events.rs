//! Passive audiences that read server-sent events, over HTTP/1.1 and HTTP/2, on two workers. A room on Node's HTTP servers
//! counts exactly what it did.

use serde_json::{Value, json};

use crate::harness::{Lab, Server, ask, ask_http2, has_the_faults, issue, sse_room};

/// The version of HTTP.
#[derive(Clone, Copy)]
enum Version {
    Http1,
    Http2,
}

impl Version {
    fn setting(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Http1 => &[],
            Self::Http2 => &[("HTTP2", "1")],
        }
    }

    fn scenario(self, text: &str) -> String {
        text.replace("HTTP2", &matches!(self, Self::Http2).to_string())
    }

    fn counts(self, room: &Server) -> Value {
        let url = format!("{}/counts", room.url());
        match self {
            Self::Http1 => ask(&url),
            Self::Http2 => ask_http2(&url),
        }
    }
}

/// Twenty posts by HTTP, which 100 listeners receive as events.
const FEED: &str = r#"
import { audience, type Group, type Options } from "headcount";
export const options: Options = { load: { users: 1, duration: "5s" }, settle: "2s", http2: HTTP2 };
const readers = audience(100, {
  name: "readers",
  receives: { posts: { event: "post", at: "/text" } },
  connect: (index) => ({ events: "/rooms/hall/feed", query: { user: "reader" + index } }),
});
export default async function post({ users: [user], channel }: Group) {
  const posts = channel("posts", { to: readers });
  let left = 20;
  const ticker = user!.every("100ms", async () => {
    if (--left === 0) ticker.stop();
    await user!.post("/rooms/hall/posts", { json: { text: posts.stamp(user!) } });
  }, { first: "200ms" });
  await user!.stay();
}
"#;

fn posted(faults: &[(&str, &str)], version: Version) -> (Value, Value, Lab) {
    let room = sse_room(&[faults, version.setting()].concat());
    let lab = Lab::new().with("feed.ts", &version.scenario(FEED));
    let level = lab.level("feed.ts", &room.url(), &["--workers", "2"]);
    let done = version.counts(&room);
    assert_eq!(done["posts"], 20, "{done:#}");
    (level["deliveries"].clone(), done, lab)
}

/// Two halls, each with one poster and half of the 100 readers. The posters are on different workers, and so are the
/// readers of each hall.
const HALLS: &str = r#"
import { audience, type Group, type Options } from "headcount";
export const options: Options = {
  groups: 2, load: { users: 2, duration: "5s" }, settle: "3s", deadline: "2s", http2: HTTP2,
};
const halls = ["/rooms/east", "/rooms/west"].map((path) => ({
  path,
  readers: audience(50, {
    receives: { posts: { event: "post", at: "/text" } },
    connect: (index) => ({ events: path + "/feed", query: { user: "reader" + index } }),
  }),
}));
export default async function post({ number, users: [user], channel }: Group) {
  const { path, readers } = halls[number]!;
  const posts = channel("posts", { to: readers });
  let left = 20;
  const ticker = user!.every("100ms", async () => {
    if (--left === 0) ticker.stop();
    await user!.post(path + "/posts", { json: { text: posts.stamp(user!) } });
  }, { first: "200ms" });
  await user!.stay();
}
"#;

/// Each of the server's faults appears with its count, and nothing else does.
fn found_exactly(faults: &[(&str, &str)], version: Version, least: &[&str]) {
    let room = sse_room(&[faults, version.setting()].concat());
    let lab = Lab::new().with("halls.ts", &version.scenario(HALLS));
    let level = lab.level("halls.ts", &room.url(), &["--workers", "2"]);
    let done = version.counts(&room);
    let found = &level["deliveries"];
    let expected = 2 * 50 * 20;
    assert_eq!(done["deliveries"], expected, "{done:#}");
    assert_eq!(found["expected"], expected, "{found:#}");
    has_the_faults(found, &done);
    let received = found["delivered"].as_u64().unwrap() + found["late"].as_u64().unwrap();
    let dropped = done["dropped"].as_u64().unwrap();
    assert_eq!(received, expected - dropped, "{found:#}");
    for fault in least {
        assert!(done[fault].as_u64() >= Some(15), "{fault}: {done:#}");
    }
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

const FAULTS: [(&str, &str); 4] = [
    ("DROP", "97"),
    ("DUPLICATE", "89"),
    ("SWAP", "83"),
    ("STRAY", "79"),
];
const COUNTS: [&str; 4] = ["dropped", "duplicated", "swapped", "strayed"];

#[test]
fn all_events_reach_the_readers_over_http_2() {
    found_exactly(&[], Version::Http2, &[]);
}

#[test]
fn each_fault_of_events_over_http_2_is_counted() {
    found_exactly(&FAULTS, Version::Http2, &COUNTS);
}

#[test]
fn each_fault_of_events_over_http_1_is_counted() {
    found_exactly(&FAULTS, Version::Http1, &COUNTS);
}

#[test]
fn events_that_the_server_drops_are_lost_to_the_listeners() {
    let (found, done, _) = posted(&[("DROP", "31")], Version::Http1);
    assert_eq!(found["expected"], 2000, "{found:#}");
    assert_eq!(found["lost"], done["dropped"], "{found:#}");
    assert_eq!(done["dropped"], 64);
}

/// One of each reader, one of the poster, and that of the question for the counts.
#[test]
fn each_reader_over_http_2_has_a_connection_of_its_own() {
    let (found, done, lab) = posted(&[], Version::Http2);
    assert_eq!(
        (&found["expected"], &found["lost"]),
        (&json!(2000), &json!(0))
    );
    assert_eq!(done["sessions"], 102, "{done:#}");
    assert_eq!(lab.failures(), Vec::<Value>::new());
}

/// Each listener loses its connection in the middle of its tenth event, and does not return.
#[track_caller]
fn misses_only_what_was_sent_before(fault: &str, count: &str, version: Version) {
    let (found, done, lab) = posted(&[(fault, "10"), ("FORGETS", "1")], version);
    assert_eq!(done[count], 100, "{done:#}");
    let failures = lab.failures();
    let counts = failures
        .iter()
        .map(|failure| failure["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 100, "{failures:#?}");
    assert_eq!(found["delivered"], 900, "{found:#}");
    let deliveries = &lab.record()["levels"][0]["measured"]["deliveries"]["posts"];
    let lost = found["lost"].as_u64().unwrap();
    assert_eq!(deliveries["lost"], json!({ "receiver_disconnected": lost }));
    // A post may have been on its way when a connection broke, but not the last ones.
    assert!((100..=500).contains(&lost), "{found:#}");
}

#[test]
fn a_listener_that_loses_its_connection_misses_only_what_was_sent_before() {
    misses_only_what_was_sent_before("CUT", "cut", Version::Http1);
}

#[test]
fn a_reader_whose_stream_is_reset_misses_only_what_was_sent_before() {
    misses_only_what_was_sent_before("CUT", "cut", Version::Http2);
}

#[test]
fn a_reader_whose_connection_gets_a_goaway_misses_only_what_was_sent_before() {
    misses_only_what_was_sent_before("BREAK", "broken", Version::Http2);
}

#[test]
fn readers_whose_stream_is_refused_are_failures() {
    let room = sse_room(Version::Http2.setting());
    let scenario = Version::Http2.scenario(FEED).replace(
        r#"events: "/rooms/hall/feed""#,
        r#"events: index % 5 === 2 ? "/nothing" : "/rooms/hall/feed""#,
    );
    let lab = Lab::new().with("feed.ts", &scenario);
    let level = lab.level("feed.ts", &room.url(), &["--workers", "2"]);
    let found = &level["deliveries"];
    assert_eq!(
        (&found["expected"], &found["lost"]),
        (&json!(1600), &json!(0))
    );
    assert_eq!(issue(&level, "audience_incomplete")["listening"], 80);
    let failures = lab.failures();
    let of_readers = failures.iter().filter(|one| one["what"] == "readers");
    let counts = of_readers.map(|one| one["count"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 20, "{failures:#?}");
}
