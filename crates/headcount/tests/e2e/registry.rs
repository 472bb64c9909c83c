//! The built-in registry and all ways to receive its messages: what headcount follows equals what the registry counts.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::harness::{Lab, RedisServer, Server, ask, nats_receivers, text_at};
use crate::nats::server::NatsServer;

/// Groups whose members send messages to all members. All listen before the first message, and the last one is sent
/// before the end.
const MEET: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 5, load: { users: 20, duration: "4s" }, settle: "2s" };
const base = "/v1/default";
export default async function meet({ id, everyone, channel }: Group) {
  const told = channel("told", { to: "everyone" });
  const filter = { group: id };
  await everyone(async (user, here) => {
    const identity = user.name;
    await user.post(`${base}/register`, { json: { identity, metadata: filter } });
    LISTEN
    await here("listening");
    let left = 20;
    const ticker = user.every("100ms", async () => {
      if (--left === 0) ticker.stop();
      const payload = { text: told.stamp(user) };
      await user.post(`${base}/multicast`, { json: { filter, payload, timeout_ms: 0 }, name: "multicast" });
    }, { first: "500ms" });
    await user.stay();
  });
}
"#;

const MULTICASTS: u64 = 20 * 20;
const DELIVERIES: u64 = MULTICASTS * 5;

/// Faults that hit deliveries in every group.
const FAULTS: [&str; 2] = ["--faults", "drop=50,duplicate=70"];

/// Number of deliveries that the registry dropped and duplicated.
struct Faulted {
    dropped: u64,
    duplicated: u64,
}

/// Runs the groups, and compares the deliveries with the counts of the registry.
#[track_caller]
fn follows_exactly(registry: &Server, listen: &str) -> Faulted {
    let lab = Lab::new().with("meet.ts", &MEET.replace("LISTEN", listen));
    let level = lab.level("meet.ts", &registry.url(), &[]);
    assert_eq!(lab.failures(), Vec::<Value>::new());

    let counts = &ask(&format!("{}/faults", registry.url()))["counts"];
    let count = |kind: &str| counts[kind].as_u64().unwrap();
    let (dropped, duplicated) = (count("dropped"), count("duplicated"));
    assert_eq!(count("deliveries"), DELIVERIES, "{counts}");
    assert!(dropped > 0 && duplicated > 0, "{counts}");

    let metrics = text_at(&format!("{}/metrics", registry.url()));
    let metric = |name: &str| -> u64 {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        let line = line.unwrap_or_else(|| panic!("{name} is missing: {metrics}"));
        line.trim().trim_end_matches(".0").parse().unwrap()
    };
    let answered =
        metric(r#"multicast_registry_requests_total{operation="multicast",status="200"}"#);
    assert_eq!(answered, MULTICASTS, "{metrics}");
    // The registry does not know of the injected drops.
    let sent = metric("multicast_registry_multicast_delivered_total_sum");
    assert_eq!(sent, DELIVERIES, "{metrics}");

    let deliveries = &level["deliveries"];
    let received =
        deliveries["delivered"].as_u64().unwrap() + deliveries["late"].as_u64().unwrap_or(0);
    let found = json!([
        deliveries["expected"],
        deliveries["lost"],
        deliveries["duplicated"],
        deliveries["misdelivered"],
        received,
    ]);
    let truth = json!([DELIVERIES, dropped, duplicated, 0, DELIVERIES - dropped]);
    assert_eq!(found, truth, "{counts} {level:#}");
    Faulted {
        dropped,
        duplicated,
    }
}

#[test]
fn multicasts_to_web_sockets_are_followed_exactly() {
    let listen = r#"
    const inbox = await user.websocket(`${base}/inbox/ws`, { query: { identity } });
    await inbox.next({ only: { "/type": "ready" } });
    inbox.receives(told, { at: "/payload/text", only: { "/type": "message" } });"#;
    follows_exactly(&Server::registry(&FAULTS), listen);
}

#[test]
fn multicasts_to_server_sent_events_are_followed_exactly() {
    let listen = r#"
    const inbox = await user.events(`${base}/inbox/events`, { query: { identity } });
    await inbox.next({ event: "ready" });
    inbox.receives(told, { event: "message", at: "/payload/text" });"#;
    follows_exactly(&Server::registry(&FAULTS), listen);
}

/// A message that an official client received: its subject, its id and its text.
type Received = (String, String, String);

/// An official NATS client, which receives what headcount's receivers receive.
struct Official(Child);

impl Official {
    /// Starts the client, and waits until it listens on all identities.
    fn listen(mut client: Command, nats: &NatsServer) -> Self {
        let client = client.args([&nats.url(), "prism.multicast.*"]);
        let client = client.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut official = Self(client.spawn().unwrap());
        let mut line = [0; 6];
        let stdout = official.0.stdout.as_mut().unwrap();
        stdout.read_exact(&mut line).unwrap();
        assert_eq!(&line, b"ready\n");
        official
    }

    /// Ends the client. Returns what it received, in order for each subject.
    fn received(mut self) -> Vec<Received> {
        drop(self.0.stdin.take());
        let stdout = self.0.stdout.take().unwrap();
        let mut received: Vec<Received> = serde_json::from_reader(stdout).unwrap();
        assert!(self.0.wait().unwrap().success());
        received.sort_by(|one, other| one.0.cmp(&other.0));
        received
    }
}

impl Drop for Official {
    fn drop(&mut self) {
        // It has usually ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Official clients for two languages subscribe to the same subjects at the same time.
#[test]
fn multicasts_to_subscribers_on_nats_are_followed_exactly() {
    let (redis, nats) = (RedisServer::start(&[]), NatsServer::start(""));
    let (redis_url, nats_url) = (redis.url(), nats.url());
    let backends = ["--redis", &redis_url, "--nats", &nats_url];
    let registry = Server::registry(&[FAULTS.as_slice(), &backends].concat());
    let listen = r#"
    const nats = await user.nats({ url: "NATS" });
    const inbox = await nats.subscribe(`prism.multicast.default/${identity}`);
    inbox.receives(told, { at: "/text" });"#;
    let official = nats_receivers().map(|client| Official::listen(client, &nats));
    let faulted = follows_exactly(&registry, &listen.replace("NATS", &nats.url()));

    let [python, node] = official.map(Official::received);
    assert_eq!(python, node);
    let all = DELIVERIES - faulted.dropped + faulted.duplicated;
    assert_eq!(python.len() as u64, all);
    let once: BTreeSet<_> = python.into_iter().collect();
    assert_eq!(once.len() as u64, DELIVERIES - faulted.dropped);
}
