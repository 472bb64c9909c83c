//! NATS, against the `nats-server` of the distribution. Its own counts are the truth, and those of a proxy that injects
//! faults.

mod audience;
mod calls;
mod faults;
mod jetstream;
mod proxy;
pub(crate) mod server;

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::harness::Lab;
use proxy::{Done, Faults, Proxy};
use server::NatsServer;

/// Rooms of ten. Each user publishes texts, which every member receives. All have subscribed before the first text, and
/// the last one is published before the end.
const ROOMS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 10, load: { users: USERS, duration: "DURATIONs" }, settle: "2s" };
export default async function talk({ id, everyone, channel }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const nats = await user.nats({ connection: "CONNECTION" });
    const room = await nats.subscribe(`room.${id}.*`);
    room.receives(said, { at: "/text" });
    await here("listening");
    let left = TEXTS;
    const ticker = user.every("PERIODms", () => {
      if (--left === 0) ticker.stop();
      nats.publish(`room.${id}.${user.name}`, { text: said.stamp(user) });
    }, { first: "500ms" });
    await user.stay();
  });
}
"#;

/// Number of members of a room.
const ROOM: u64 = 10;

/// A run of rooms.
#[derive(Clone, Copy)]
struct Size {
    users: u64,
    /// Number of texts of each user.
    texts: u64,
    period_ms: u64,
    /// `own` or `shared`.
    connection: &'static str,
}

impl Size {
    fn published(self) -> u64 {
        self.users * self.texts
    }

    fn deliveries(self) -> u64 {
        self.published() * ROOM
    }

    /// Runs the rooms. Returns the level, in which nothing failed and everything planned was sent.
    #[track_caller]
    fn run(self, lab: Lab, target: &str) -> (Lab, Value) {
        // The start of all users, and a second to spare.
        let seconds = 3 + self.users / 250 + self.texts * self.period_ms / 1000;
        let text = ROOMS
            .replace("USERS", &self.users.to_string())
            .replace("TEXTS", &self.texts.to_string())
            .replace("PERIOD", &self.period_ms.to_string())
            .replace("DURATION", &seconds.to_string())
            .replace("CONNECTION", self.connection);
        let lab = lab.with("rooms.ts", &text);
        let level = lab.level("rooms.ts", target, &[]);
        assert_eq!(lab.failures(), Vec::<Value>::new());
        let expected = self.deliveries();
        assert_eq!(level["deliveries"]["expected"], expected, "{level:#}");
        assert_eq!(level["deliveries"]["misdelivered"], 0, "{level:#}");
        (lab, level)
    }
}

#[test]
fn counts_equal_the_servers_own() {
    let server = NatsServer::start("");
    let size = Size {
        users: 30,
        texts: 50,
        period_ms: 40,
        connection: "own",
    };
    let (lab, level) = size.run(Lab::new(), &server.url());
    let deliveries = &level["deliveries"];
    assert_eq!(deliveries["delivered"], size.deliveries(), "{level:#}");
    assert_eq!(server.count("in_msgs"), size.published());
    assert_eq!(server.count("out_msgs"), size.deliveries());
    // The connection of the preflight check is the other one.
    assert_eq!(server.count("total_connections"), size.users + 1);
    assert_eq!(server.count("slow_consumers"), 0);
    let record = lab.record();
    let connections = &record["levels"][0]["measured"]["connections"];
    assert_eq!(connections["nats"]["count"], size.users, "{connections:#}");
    let closed = server.page("connz?state=closed&limit=1000");
    let all = closed["connections"].as_array().unwrap();
    let ours = all.iter().filter(|one| {
        let name = one["name"].as_str().unwrap_or_default();
        name.starts_with("headcount u") && one["in_msgs"] == size.texts
    });
    assert_eq!(ours.count() as u64, size.users, "{closed:#}");
}

#[test]
fn users_who_share_a_connection_each_get_their_messages() {
    let server = NatsServer::start("");
    let size = Size {
        users: 60,
        texts: 20,
        period_ms: 50,
        connection: "shared",
    };
    let (lab, level) = size.run(Lab::new(), &server.url());
    assert_eq!(
        level["deliveries"]["delivered"],
        size.deliveries(),
        "{level:#}"
    );
    assert_eq!(server.count("in_msgs"), size.published());
    assert_eq!(server.count("out_msgs"), size.deliveries());
    let record = lab.record();
    let workers = record["workers"].as_u64().unwrap();
    // The connection of the preflight check is the other one.
    assert_eq!(server.count("total_connections"), workers + 1);
    let connections = &record["levels"][0]["measured"]["connections"];
    assert_eq!(connections["nats"]["count"], workers, "{connections:#}");
}

/// Runs the rooms behind a proxy, and compares the figures with what the proxy did.
fn follows_exactly(size: Size) {
    let server = NatsServer::start("");
    let faults = Faults {
        drop: 50,
        duplicate: 70,
        swap: 90,
    };
    let proxy = Proxy::start(server.port(), faults);
    let (_, level) = size.run(Lab::new(), &proxy.url());
    let count = |of: fn(&Done) -> &std::sync::atomic::AtomicU64| {
        let count = of(&proxy.done).load(Ordering::Relaxed);
        assert!(count > 0, "{:?}", proxy.done);
        count
    };
    assert_eq!(count(|done| &done.messages), size.deliveries());
    assert_eq!(server.count("out_msgs"), size.deliveries());
    let deliveries = &level["deliveries"];
    let dropped = count(|done| &done.dropped);
    let truth = json!([
        dropped,
        count(|done| &done.duplicated),
        count(|done| &done.reordered),
        size.deliveries() - dropped,
    ]);
    let received =
        deliveries["delivered"].as_u64().unwrap() + deliveries["late"].as_u64().unwrap_or(0);
    let found = json!([
        deliveries["lost"],
        deliveries["duplicated"],
        deliveries["reordered"],
        received,
    ]);
    assert_eq!(found, truth, "{:?} {level:#}", proxy.done);
}

#[test]
fn deliveries_are_followed_exactly_behind_a_proxy_with_faults() {
    follows_exactly(Size {
        users: 50,
        texts: 100,
        period_ms: 60,
        connection: "own",
    });
}

#[test]
fn deliveries_on_shared_connections_are_followed_exactly_too() {
    follows_exactly(Size {
        users: 50,
        texts: 40,
        period_ms: 60,
        connection: "shared",
    });
}

#[test]
#[ignore = "takes minutes; run it alone and with --release"]
fn a_million_deliveries_to_a_thousand_subscribers_are_followed_exactly() {
    follows_exactly(Size {
        users: 1000,
        texts: 100,
        period_ms: 160, // below the proxy's `HOLD`, so that it swaps
        connection: "own",
    });
}
