//! The trades of the study at a small scale: the built-in marketplace with its users, its money and its injected fault.

use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Lab, Server};

/// A marketplace with cheap password hashing and its own database file.
fn marketplace(lab: &Lab, more: &[&str]) -> Server {
    let store = format!("sqlite:{}", lab.path("market.db").display());
    let cheap = [
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "4",
        "--hash-queue",
        "4096",
    ];
    let admin = [
        "--admin-email",
        "admin@market.test",
        "--admin-password",
        "correct horse",
    ];
    let open = ["--store", &store, "--rate-limit-bypass-ips", "127.0.0.0/8"];
    Server::marketplace(&[&open, admin.as_slice(), &cheap, more].concat())
}

fn scenario(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../study/scenarios");
    folder.join(name).display().to_string()
}

/// Runs the scenario with one level of four trades. Returns the record.
fn four_trades(lab: &Lab, market: &Server, name: &str) -> Value {
    let users = ["--users", "16", "--out", "run"];
    lab.headcount(
        &[
            &["run", &scenario(name), "--quiet", "--target", &market.url()],
            users.as_slice(),
        ]
        .concat(),
    );
    lab.record()
}

/// The marketplace checks its ledger against its invariants. A busy machine can leave the run inconclusive, but the
/// checks in it have run all the same.
fn the_ledger_adds_up(lab: &Lab, market: &Server) {
    let look = scenario("marketplace-ledger.ts");
    let ended = lab.headcount(&["run", &look, "--json", "--quiet", "--target", &market.url()]);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    let iterations = &summary["levels"][0]["iterations"];
    assert!(iterations["succeeded"].as_u64() > Some(0), "{summary:#}");
    assert_eq!(iterations["failed"], 0, "{summary:#}");
    let checks = &summary["levels"][0]["checks"];
    assert!(checks["passed"].as_u64() > Some(0), "{summary:#}");
    assert_eq!(checks["failed"], 0, "{summary:#}");
}

fn succeeded_and_failed(level: &Value) -> (u64, u64) {
    let all = &level["measured"]["iterations"];
    (
        all["succeeded"].as_u64().unwrap(),
        all["failed"].as_u64().unwrap(),
    )
}

#[test]
fn trades_come_through_with_users_made_in_the_flow_and_beforehand_and_the_ledger_adds_up() {
    for name in ["marketplace-flow.ts", "marketplace-pooled.ts"] {
        let lab = Lab::new();
        let market = marketplace(&lab, &[]);
        let record = four_trades(&lab, &market, name);
        let level = &record["levels"][0];
        assert_eq!(
            succeeded_and_failed(level),
            (4, 0),
            "{name}: {:#}",
            level["measured"]["failures"]
        );
        let steps = level["measured"]["funnel"]["steps"].as_array().unwrap();
        assert!(
            steps
                .iter()
                .all(|step| step["reached"] == 4 && step["passed"] == 4),
            "{name}: {steps:#?}"
        );
        the_ledger_adds_up(&lab, &market);
    }
}

#[test]
fn the_lost_notification_of_the_report_is_found_and_named() {
    let lab = Lab::new();
    let market = marketplace(&lab, &["--lose-accepted"]);
    let record = four_trades(&lab, &market, "marketplace-pooled.ts");
    let level = &record["levels"][0];
    assert_eq!(succeeded_and_failed(level), (0, 4));
    let [first] = &level["measured"]["funnel"]["first_failures"]
        .as_array()
        .unwrap()[..]
    else {
        panic!("{:#}", level["measured"]["funnel"])
    };
    assert_eq!(
        (&first["step"][0], &first["failed"]),
        (&"offer-accepted seen".into(), &4.into())
    );
    the_ledger_adds_up(&lab, &market);
}

/// Every member of a trade follows the notifications as server-sent events, which axum sends.
const STREAMS: &str = r#"
import type { EventStream, Options, Setup } from "headcount";
import { admin, create, logIn, trade, type Trade } from "./marketplace-trade.ts";
export const options: Options = { group: { buyer: 1, sellers: 3 }, load: { groups: 4, once: true } };
export const setup = ({ user }: Setup) => admin(user);
const ALL = ["offer_received,offer_received,offer_received,delivery_updated",
  "offer_accepted,payment_received,delivery_confirmed", "offer_lost", "offer_lost"];
export default async function follow(group: Trade) {
  const kinds: string[][] = [[], [], [], []];
  const feeds: EventStream[] = await group.together(group.users, async (user, index) => {
    await create(user, index, group.setup);
    await logIn(user);
    const feed = await user.events("/api/notifications/stream");
    feed.on("event", ({ event, json }) => {
      kinds[index]!.push(event);
      group.check("the id is the position", json.sequence === kinds[index]!.length);
    });
    return feed;
  });
  await trade(group);
  await group.eventually("all told", "5s", () => kinds.every((own, index) => own.join() === ALL[index]));
  group.check("the last id", feeds.map((feed) => feed.lastEventId).join() === "4,3,1,1");
}
"#;

#[test]
fn a_trade_is_followed_on_streams_of_server_sent_events() {
    let trade = std::fs::read_to_string(scenario("marketplace-trade.ts")).unwrap();
    let lab = Lab::new()
        .with("marketplace-trade.ts", &trade)
        .with("streams.ts", STREAMS);
    let market = marketplace(&lab, &[]);
    let level = lab.level("streams.ts", &market.url(), &[]);
    let failures = lab.failures();
    assert_eq!(level["iterations"]["succeeded"], 4, "{failures:#?}");
    assert_eq!(level["checks"]["failed"], 0, "{level:#} {failures:#?}");
    assert_eq!(failures, Vec::<Value>::new());
    let record = lab.record();
    let connections = &record["levels"][0]["measured"]["connections"];
    let streams = &connections["/api/notifications/stream"];
    assert_eq!(
        (&streams["count"], &streams["failed"]),
        (&16.into(), &0.into())
    );
}
