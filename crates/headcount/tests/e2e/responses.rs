//! Deliveries in the bodies of responses: inboxes, lists that repeat earlier messages, and long polling, on Node's HTTP
//! server, which counts the faults that it injects.

use serde_json::{Value, json};

use crate::harness::{Lab, Server, ask, inbox_room};

/// Five members in one room. Each sends 30 messages to the others, and reads its own with GET requests until all
/// deliveries have settled. The response to each POST repeats the text, which is no delivery.
const ROOM: &str = r#"
import { env, type Group, type Options } from "headcount";
export const options: Options = { group: 5, load: { users: 5, duration: "5s" }, settle: "2s" };
const path = env("READ");
export default async function talk({ everyone, channel }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const query = { user: user.name };
    user.receives(said, { in: "GET " + path, at: "/messages", repeats: path === "/list" });
    await user.get(path, { query });
    await here("listening");
    let left = 30;
    const ticker = user.every("100ms", async () => {
      if (--left === 0) ticker.stop();
      await user.post("/messages", { query, json: { text: said.stamp(user) } });
    }, { first: "200ms" });
    let settled = false;
    void user.stay().then(() => { settled = true; });
    while (!settled) {
      await user.get(path, { query, tags: { kind: "read" } });
      await user.think("50ms");
    }
  });
}
"#;

const EXPECTED: u64 = 5 * 30 * 4;

fn read(path: &str, faults: &[(&str, &str)]) -> (Value, Value, Lab) {
    let room: Server = inbox_room(faults);
    let lab = Lab::new().with("room.ts", ROOM);
    let level = lab.level("room.ts", &room.url(), &["--env", &format!("READ={path}")]);
    let done = ask(&format!("{}/counts", room.url()));
    assert_eq!(done["deliveries"], EXPECTED, "{done:#}");
    assert_eq!(lab.failures(), Vec::<Value>::new());
    (level["deliveries"].clone(), done, lab)
}

fn found_exactly(path: &str, faults: &[(&str, &str)]) {
    let (found, done, _) = read(path, faults);
    assert_eq!(found["expected"], EXPECTED, "{found:#}");
    assert_eq!(found["lost"], done["dropped"], "{found:#} {done:#}");
    assert_eq!(
        found["duplicated"], done["duplicated"],
        "{found:#} {done:#}"
    );
    assert_eq!(found["misdelivered"], 0, "{found:#}");
    let faults = done["dropped"].as_u64().unwrap() + done["duplicated"].as_u64().unwrap();
    assert!(faults > 20, "{done:#}");
}

#[test]
fn messages_in_an_inbox_are_followed_exactly() {
    found_exactly("/inbox", &[("DROP", "23")]);
    found_exactly("/inbox", &[("DUPLICATE", "23")]);
}

#[test]
fn what_a_list_repeats_is_no_duplicate_but_what_it_contains_twice_is() {
    found_exactly("/list", &[("DROP", "23")]);
    found_exactly("/list", &[("DUPLICATE", "23")]);
}

#[test]
fn long_polling_delivers_as_soon_as_a_message_arrives() {
    let (found, done, lab) = read("/poll", &[("DROP", "23")]);
    assert_eq!(found["lost"], done["dropped"], "{found:#}");
    // The members read all the time, so a poll returned most messages.
    assert!(done["polls"].as_u64() > Some(60), "{done:#}");
    let deliveries = &lab.record()["levels"][0]["measured"]["deliveries"]["said"];
    assert_eq!(deliveries["lost"], json!({ "never_seen": done["dropped"] }));
}

#[test]
fn a_request_must_be_named() {
    let room = inbox_room(&[]);
    let scenario = r#"
export const options = { group: 2, load: { groups: 1, once: true } };
export default async function once({ users: [user], channel }) {
  user.receives(channel("said", { to: "others" }), { at: "/messages" });
}
"#;
    let lab = Lab::new().with("once.js", scenario);
    lab.run("once.js", &room.url(), &[]);
    let failures = lab.failures();
    assert!(
        failures[0]["first"]["detail"]
            .as_str()
            .unwrap()
            .contains("`in` is missing"),
        "{failures:#?}"
    );
}
