//! Reasons for missing deliveries: the circumstances of the loss, deliveries that headcount cut off, and mistakes of
//! the script.

use serde_json::{Value, json};

use crate::harness::{Lab, Server};

/// Each delivery takes 300 ms. A member leaves 50 ms after a message is sent to it, in every iteration.
const LEAVERS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 4, duration: "3s" }, settle: "1s" };
export default async function talk({ users: [ann, ben], channel, id, iteration }: Group) {
  const said = channel("said", { to: "others" });
  const hers = await ann!.websocket("/room/:room?delay=300ms", { params: { room: `${id}-${iteration}` } });
  const his = await ben!.websocket("/room/:room?delay=300ms", { params: { room: `${id}-${iteration}` } });
  his.receives(said);
  hers.send(said.stamp(ann!));
  await ben!.think("50ms");
  await his.close();
  await ann!.think("20ms");
}
"#;

/// Each iteration fails while its messages are in flight.
const THROWING: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 2, load: { groups: 4, duration: "2s" }, settle: "1s",
  thresholds: { "delivery(said)": "lost == 0" },
};
export default async function talk({ everyone, channel, id, iteration }: Group) {
  const said = channel("said", { to: "others" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/:room?delay=300ms", { params: { room: `${id}-${iteration}` } });
    socket.receives(said);
    await here("listening");
    socket.send(said.stamp(user));
    throw new Error("by order");
  });
}
"#;

fn said(lab: &Lab) -> Value {
    lab.record()["levels"][0]["measured"]["deliveries"]["said"].clone()
}

#[test]
fn who_left_in_one_iteration_left_whatever_came_in_the_next() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("leavers.ts", LEAVERS);
    let level = lab.level("leavers.ts", &truth.url(), &[]);
    let said = said(&lab);
    let sent = said["messages"].as_u64().unwrap();
    assert!(sent > 20, "{level:#}");
    assert_eq!(said["lost"], json!({ "receiver_left": sent }), "{said:#}");
    let told = &level["deliveries"]["lost_by_reason"];
    assert_eq!(*told, json!({ "receiver_left": sent }));
}

#[test]
fn what_a_failing_iteration_cut_off_is_neither_lost_nor_held_against_the_target() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("throwing.ts", THROWING);
    let ended = lab.run("throwing.ts", &truth.url(), &[]);
    assert_eq!(ended.code, Some(3), "the script failed: {ended:#?}");
    let said = said(&lab);
    assert!(said["expected"].as_u64() > Some(20), "{said:#}");
    assert_eq!(
        said["cut_off"]["iteration_failed"], said["expected"],
        "{said:#}"
    );
    assert_eq!(said["lost"], json!({}));
    assert!(
        ended.stdout.contains("cut off by headcount"),
        "{}",
        ended.stdout
    );
}

/// Two users in a room of a server without echo.
const MISTAKEN: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 2, load: { groups: 2, duration: "2s" }, settle: "500ms",
  thresholds: { "delivery(said)": ["lost == 0", "delivered >= 99%"] },
};
export default async function talk({ everyone, channel, id }: Group) {
  const said = channel("said", { to: "AUDIENCE" });
  await everyone(async (user, here) => {
    const socket = await user.websocket("/room/:room", { params: { room: id } });
    socket.receives(said, WHERE);
    await here("listening");
    let left = 20;
    const ticker = user.every("20ms", () => {
      socket.send({ type: "said", text: said.stamp(user) });
      if (--left === 0) ticker.stop();
    }, { first: "100ms" });
    await user.stay();
  });
}
"#;

/// Runs with this audience and this place of the stamp. Returns the report, and the record of the channel.
fn mistaken(audience: &str, place: &str) -> (String, Value) {
    let truth = Server::truth(&[]);
    let text = MISTAKEN
        .replace("AUDIENCE", audience)
        .replace("WHERE", place);
    let lab = Lab::new().with("mistaken.ts", &text);
    let ended = lab.run("mistaken.ts", &truth.url(), &[]);
    assert_eq!(ended.code, Some(98), "{}", ended.stdout);
    let one_line: Vec<_> = ended.stdout.split_whitespace().collect();
    (one_line.join(" "), said(&lab))
}

#[test]
fn a_channel_that_looks_in_the_wrong_place_is_told_what_came_and_the_target_is_not_blamed() {
    let place = "80 stamps arrived, but none at `/txt`; the first message has its stamp at `/text`";
    let only = "none in a message with `\"sayd\"` at `/type`, as `only` requires; the first message has `\"said\"` there";
    for (options, told) in [
        (r#"{ at: "/txt" }"#, place),
        (r#"{ at: "/text", only: { "/type": "sayd" } }"#, only),
    ] {
        let (report, said) = mistaken("others", options);
        assert!(report.contains(told), "{report}");
        assert_eq!(said["misplaced"]["stamps"], 80, "{said:#}");
        assert_eq!(said["lost"], json!({ "misplaced": 80 }));
    }
}

#[test]
fn a_sender_that_gets_no_copy_of_its_own_is_told_of_the_audience() {
    let (report, said) = mistaken("everyone", r#"{ at: "/text" }"#);
    assert!(
        report.contains("only the senders' own copies are missing (80)"),
        "{report}"
    );
    assert_eq!(said["delivered"], 80, "{said:#}");
    assert_eq!(said["lost"], json!({ "own_copy": 80 }));
}

#[test]
fn a_script_that_awaits_too_little_fails_with_its_line() {
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 2, once: true } };
export default async function hurry({ users }: Group) {
  users.forEach(async (user) => {
    await user.get("/delay/200ms");
  });
}
"#;
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("hurry.ts", text);
    lab.run("hurry.ts", &truth.url(), &[]);
    let failure = lab.failure("script", "not_awaited", "iteration");
    assert_eq!(failure["count"], 2, "{failure:#}");
    assert!(failure.to_string().contains("hurry.ts:6:"), "{failure:#}");
}
