//! Socket.IO against third-party servers: three versions of the official one, and Python's.

mod audience;

use crate::harness::{
    Lab, SOCKET_IO, Server, ask, python_socketio, socketio_server, socketio_server_with,
};

const EVERYTHING: &str = r#"
import type { Failure, Group, Options } from "headcount";
export const options: Options = { load: { users: 3, once: true } };
const TRANSPORTS: any = [THESE];
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const bytes = (size: number) => new Uint8Array(size).map((_, at) => (at * 7) % 256);
const equal = (back: ArrayBuffer, sent: Uint8Array) => same([...new Uint8Array(back)], [...sent]);
export default async function everything({ users, check, eventually }: Group) {
  const user = users[0]!;
  const socket = await user.socketio({ transports: TRANSPORTS, query: { a: "b c" } });
  check("it has an id", socket.open && socket.id.length > 5);
  check("an acknowledgement", same(await socket.request("ask", { héllo: [1, "2", null] }), { héllo: [1, "2", null] }));
  check("several values", same(await socket.request("ask", 1, "two"), [1, "two"]));
  check("none", (await socket.request("ask")) === undefined);
  for (const size of [0, 1, 70000]) check("bytes", equal(await socket.request("ask", bytes(size)), bytes(size)));
  const nested = await socket.request("ask", { a: [bytes(3), "x"], b: { c: bytes(4) } });
  check("bytes within", equal(nested.a[0], bytes(3)) && nested.a[1] === "x" && equal(nested.b.c, bytes(4)));
  socket.on("question", async (n: number) => {
    await user.think("5ms");
    return n + 1;
  });
  check("the server asks too", (await socket.request("ask me", 41)) === 42);
  if (TRANSPORTS.length === 2) await eventually("upgraded", "10s", async () => (await socket.request("transport")) === "websocket");
  const last = TRANSPORTS.at(-1);
  check("the transport", (await socket.request("transport")) === last);
  const texts = new Array(20).fill(0).map((_, at) => `${user.name} ${at}`);
  const heard: string[] = [];
  socket.on("said", ({ text }: { text: string }) => { if (text?.startsWith(`${user.name} `)) heard.push(text); });
  for (const text of texts) socket.emit("say", text);
  await eventually("all heard", "10s", () => heard.length === 20);
  check("in order", same(heard, texts));
  try {
    await socket.request({ event: "silence", timeout: "100ms", name: "quiet" });
  } catch (error) {
    check("silence is a time-out", (error as Failure).kind === "timed_out");
  }
  await socket.close();
  check("it is closed", !socket.open);

  const admin = await user.socketio({ namespace: "/admin", auth: { token: "secret" }, transports: TRANSPORTS });
  check("a namespace", (await admin.request("ask", "x")) === "x");
  try {
    await user.socketio({ namespace: "admin", transports: TRANSPORTS });
  } catch (error) {
    const { side, kind, message } = error as Failure;
    check("it is denied", side === "target" && kind === "denied" && message.includes("not authorized"));
  }
  for (const parting of ["leave me", "cut me"]) {
    const leaver = await user.socketio({ transports: TRANSPORTS });
    let reason = "";
    leaver.on("disconnect", (why) => { reason = why; });
    leaver.emit(parting);
    await eventually(parting, "10s", () => reason !== "");
    check("the server ended it", !leaver.open);
  }
}
"#;

/// Number of checks of one user over one transport.
const CHECKS: u64 = 17;

fn servers() -> Vec<(&'static str, Server)> {
    let official = SOCKET_IO.map(|package| (package, socketio_server("socketio-room", package)));
    let mut all = Vec::from(official);
    all.push(("python-socketio", python_socketio()));
    all
}

fn everything(transports: &str) {
    let scenario = EVERYTHING.replace("THESE", transports);
    for (name, server) in servers() {
        let lab = Lab::new().with("everything.ts", &scenario);
        let level = lab.level("everything.ts", &server.url(), &[]);
        let failures = || lab.failures();
        assert_eq!(
            level["checks"]["failed"],
            0,
            "{name}: {level:#} {:#?}",
            failures()
        );
        assert_eq!(
            level["checks"]["passed"],
            3 * CHECKS,
            "{name}: {level:#} {:#?}",
            failures()
        );
        assert_eq!(
            level["iterations"]["succeeded"],
            3,
            "{name}: {:#?}",
            failures()
        );
        let exchanges = &level["round_trips"]["by_name"];
        assert_eq!(exchanges["quiet"]["timed_out"], 3, "{name}: {level:#}");
        assert_eq!(exchanges["ask me"]["count"], 3, "{name}: {level:#}");
        assert_eq!(
            level["requests"]["count"], 0,
            "{name}: polls are no requests of the script"
        );
        let ended = lab.failure("target", "closed", "socket.io /socket.io/");
        assert!(
            ended["first"]["detail"]
                .as_str()
                .unwrap()
                .contains("the server"),
            "{name}: {ended:#}"
        );
    }
}

#[test]
fn everything_over_websocket() {
    everything(r#""websocket""#);
}

#[test]
fn everything_over_polling() {
    everything(r#""polling""#);
}

#[test]
fn everything_over_polling_with_an_upgrade() {
    everything(r#""polling", "websocket""#);
}

const BEATS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 2, duration: "1500ms" } };
export default async function beats({ users }: Group) {
  for (const user of users) await user.socketio();
  await users[0]!.stay();
}
"#;

/// A client that did not respond to pings would be disconnected several times.
#[test]
fn pings_are_answered_natively() {
    for (name, server) in [
        ("official", server_with_beats("socket.io-4.8")),
        ("old", server_with_beats("socket.io-4.4")),
    ] {
        let lab = Lab::new().with("beats.ts", BEATS);
        let level = lab.level("beats.ts", &server.url(), &[]);
        assert_eq!(level["iterations"]["succeeded"], 2, "{name}: {level:#}");
        assert!(lab.failures().is_empty(), "{name}: {:#?}", lab.failures());
    }
}

const SLEEPS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 1, once: true } };
export default async function sleeps({ users: [user], check, eventually }: Group) {
  const socket = await user!.socketio();
  let reason = "";
  socket.on("disconnect", (why) => { reason = why; });
  socket.emit("sleep", 5000);
  await eventually("it is noticed", "4s", () => reason !== "");
  check("for want of a ping", reason.includes("no ping for 500 ms"));
}
"#;

#[test]
fn a_server_that_falls_silent_is_noticed_by_its_missing_ping() {
    let server = server_with_beats("socket.io-4.8");
    let lab = Lab::new().with("sleeps.ts", SLEEPS);
    let level = lab.level("sleeps.ts", &server.url(), &[]);
    assert_eq!(
        level["checks"]["passed"],
        1,
        "{level:#} {:#?}",
        lab.failures()
    );
    lab.failure("target", "timed_out", "socket.io /socket.io/");
}

fn server_with_beats(package: &str) -> Server {
    socketio_server_with(
        "socketio-room",
        package,
        &[("PING_INTERVAL", "250"), ("PING_TIMEOUT", "250")],
    )
}

const KEEPS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 2, load: { users: 2, once: true } };
export default async function keeps({ everyone, channel, eventually }: Group) {
  const said = channel("said", { to: "everyone" });
  await everyone(async (user, here) => {
    const socket = await user.socketio();
    const stop = socket.receives(said, { event: "said", at: "/text", keep: true });
    user.check("nothing yet", socket.last(said) === undefined);
    await here("there");
    if (user.index === 0) for (const n of [1, 2, 3]) socket.emit("say", said.stamp(user, `"${n}" `));
    await eventually("the last one came", "5s", () => socket.last(said)?.startsWith('"3" ') ?? false);
    await here("heard");
    stop();
    await here("stopped");
    user.check("no longer kept", socket.last(said) === undefined);
    if (user.index === 0) socket.emit("say", said.stamp(user, "nobody listens "));
    await socket.request("ask");
  });
}
"#;

#[test]
fn what_came_last_is_kept_and_nothing_after_the_end() {
    for (name, server) in servers() {
        let lab = Lab::new().with("keeps.ts", KEEPS);
        let level = lab.level("keeps.ts", &server.url(), &[]);
        let failures = lab.failures();
        assert_eq!(
            level["checks"]["passed"], 4,
            "{name}: {level:#} {failures:#?}"
        );
        let deliveries = &level["deliveries"];
        assert_eq!(deliveries["messages"], 4, "{name}: {level:#}");
        assert_eq!(deliveries["expected"], 3 * 2, "{name}: {level:#}");
        assert_eq!(deliveries["delivered"], 3 * 2, "{name}: {level:#}");
    }
}

const SESSIONS: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 3, once: true } };
const COUNT = 20;
export default async function sessions({ users: [user], check }: Group) {
  const open = () => user!.socketio({ transports: ["polling"] });
  const asks = async (socket: any, n: number) => check("an answer", (await socket.request("ask", n)) === n);
  for (let n = 0; n < COUNT; n++) {
    const socket = await open();
    await asks(socket, n);
    await socket.close();
  }
  const all = await Promise.all(new Array(COUNT).fill(0).map(open));
  await Promise.all(all.map(asks));
  await user!.get("/counts");
  await Promise.all(all.map((socket) => socket.close()));
}
"#;

/// A waiting poll occupies a connection. Neither ended sessions nor many concurrent sessions may block a user.
#[test]
fn polling_sessions_of_one_user_do_not_wait_for_each_other() {
    let server = python_socketio();
    let lab = Lab::new().with("sessions.ts", SESSIONS);
    let level = lab.level("sessions.ts", &server.url(), &[]);
    let failures = lab.failures();
    assert_eq!(level["iterations"]["succeeded"], 3, "{failures:#?}");
    assert_eq!(level["checks"]["passed"], 3 * 40, "{failures:#?}");
    assert!(failures.is_empty(), "{failures:#?}");
    let counts = ask(&format!("{}/counts", server.url()));
    for what in ["connected", "disconnected", "asked"] {
        assert_eq!(counts[what], 3 * 40, "as the server counts: {counts}");
    }
}
