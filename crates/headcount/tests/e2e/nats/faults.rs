//! Refusals, servers that misbehave, and connections that break.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;

use super::NatsServer;
use super::calls::passes;
use crate::harness::{Lab, Raw};

const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const PUBLIC: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

#[test]
fn each_login_is_accepted_and_a_wrong_one_is_denied() {
    for (configuration, right, wrong) in [
        (
            "authorization { token: s3cret }",
            r#"{ token: "s3cret" }"#,
            r#"{ token: "x" }"#,
        ),
        (
            "authorization { user: ada, password: pw }",
            r#"{ user: "ada", password: "pw" }"#,
            r#"{ user: "ada", password: "x" }"#,
        ),
        (
            &format!("authorization {{ users: [ {{ nkey: {PUBLIC} }} ] }}"),
            &format!(r#"{{ nkey: "{SEED}" }}"#),
            "{}",
        ),
    ] {
        let server = NatsServer::start(configuration);
        let body = format!(
            r#"
  const nats = await user.nats({right});
  check("it works", (await nats.flush()) >= 0);
  try {{
    await user.nats({wrong});
  }} catch (error) {{
    check("denied", (error as Failure).kind === "denied" && (error as Failure).side === "target");
  }}
"#
        );
        let lab = passes(&server, 2, &body);
        assert_eq!(lab.failure("target", "denied", "nats")["count"], 1);
    }
}

#[test]
fn what_a_user_may_not_do_is_denied_and_the_connection_continues() {
    let server = NatsServer::start(
        "authorization { users: [ { user: ada, password: pw, permissions: { publish: [\"a.>\", \"_INBOX.>\"], subscribe: \"a.>\" } } ] }",
    );
    let lab = passes(
        &server,
        2,
        r#"
  const nats = await user.nats({ user: "ada", password: "pw" });
  const own = await nats.subscribe("a.1");
  try {
    await nats.subscribe("b");
  } catch (error) {
    check("denied", (error as Failure).kind === "denied" && (error as Failure).message.includes('Subscription to "b"'));
  }
  nats.publish("b", "x");
  nats.publish("a.1", "y");
  check("it continues", (await own.next()).text === "y");
  await nats.flush();
"#,
    );
    let denied = lab.failure("target", "denied", "nats");
    assert_eq!(denied["count"], 2, "{denied:#}");
}

#[test]
fn a_server_that_dies_is_a_failure_that_the_scenario_sees() {
    let text = r#"
import type { Failure, Group, Options } from "headcount";
export const options: Options = { group: 2, load: { groups: 1, duration: "4s" }, settle: "500ms" };
export default async function watch({ users: [ann, ben], channel, check, eventually }: Group) {
  const said = channel("said", { to: "others" });
  const hers = await ann!.nats(), his = await ben!.nats();
  const sub = await his.subscribe("a");
  sub.receives(said);
  let reasons: string[] = [];
  his.on("close", (why) => { reasons.push(why); });
  sub.on("close", (why) => { reasons.push(why); });
  const waiting = sub.next({ timeout: "10s" }).catch((error: Failure) => `${error.side} ${error.kind}`);
  hers.publish("ready", "");
  await eventually("closed", "8s", () => reasons.length === 2);
  check("closed", !his.open && !sub.open && !hers.open);
  check("the wait ended", (await waiting) === "target closed");
  try {
    hers.publish("a", said.stamp(ann!));
  } catch (error) {
    check("the target is to blame", (error as Failure).side === "target");
  }
}
"#;
    let mut server = NatsServer::start("");
    let lab = Lab::new().with("watch.ts", text);
    let url = server.url();
    let program = lab.start_run("watch.ts", &url, &["--json", "--workers", "1"]);
    while server.count("in_msgs") == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    server.kill();
    let summary = program.end().summary();
    let level = &summary["levels"][0];
    assert_eq!(
        level["checks"]["passed"],
        3,
        "{level:#} {:#?}",
        lab.failures()
    );
    let closed = lab.failure("target", "closed", "nats");
    assert_eq!(closed["count"], 2, "one per connection: {closed:#}");
}

const INFO: &str = r#"INFO {"server_id":"x","version":"2.9.0","max_payload":1000,"headers":true}"#;

/// A server that greets, and sends this when the client has connected.
fn saying(text: &'static str) -> Raw {
    Raw::start(move |mut stream: TcpStream| {
        let greets = stream.write_all(format!("{INFO}\r\n").as_bytes());
        let mut buffer = [0; 4096];
        // The preflight sends nothing.
        if greets.is_err() || !matches!(stream.read(&mut buffer), Ok(1..)) {
            return;
        }
        let _ = stream.write_all(text.as_bytes()); // the client may have left
        while matches!(stream.read(&mut buffer), Ok(1..)) {}
    })
}

#[test]
fn servers_that_misbehave_are_blamed_and_slow_reading_is_ours() {
    for (text, side, kind, words) in [
        ("HTTP/1.1 400 Bad Request\r\n", "target", "protocol", "HTTP"),
        ("PONG\r\nMSG a b c d e\r\n", "target", "protocol", "MSG"),
        (
            "PONG\r\n-ERR 'Stale Connection'\r\n",
            "target",
            "closed",
            "Stale Connection",
        ),
        (
            "-ERR 'Maximum Connections Exceeded'\r\n",
            "target",
            "denied",
            "Maximum",
        ),
        (
            "PONG\r\n-ERR 'Slow Consumer'\r\n",
            "generator",
            "resources",
            "fast enough",
        ),
        ("", "target", "timed_out", "did not open within 500 ms"),
    ] {
        let raw = saying(text);
        let lab = Lab::once(
            "",
            r#"
  const nats = await user.nats({ timeout: "500ms" });
  await eventually("closed", "5s", () => !nats.open);
"#,
        );
        let target = format!("nats://127.0.0.1:{}", raw.port());
        lab.level("once.ts", &target, &[]);
        let failure = lab.failure(side, kind, "nats");
        let detail = failure["first"]["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{text:?}: {detail}");
    }
}

#[test]
fn a_server_with_tls_is_reached_if_its_certificate_is_trusted() {
    let key = rcgen::KeyPair::generate().unwrap();
    let contents = rcgen::CertificateParams::new(["localhost".to_owned()]).unwrap();
    let certificate = contents.self_signed(&key).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("cert.pem"), certificate.pem()).unwrap();
    std::fs::write(path("key.pem"), key.serialize_pem()).unwrap();
    let server = NatsServer::start(&format!(
        "tls {{ cert_file: {:?}, key_file: {:?} }}",
        path("cert.pem"),
        path("key.pem")
    ));
    let body = r#"
  const nats = await user.nats();
  const sub = await nats.subscribe("a");
  nats.publish("a", "x".repeat(100000));
  check("it works", (await sub.next()).text.length === 100000);
"#;
    let target = format!("tls://localhost:{}", server.port());
    let lab = Lab::once(r#"ca: "server.pem","#, body).with("server.pem", &certificate.pem());
    let level = lab.level("once.ts", &target, &[]);
    assert_eq!(level["checks"]["passed"], 1, "{:#?}", lab.failures());
    let lab = Lab::once("", body);
    lab.level("once.ts", &target, &[]);
    lab.failure("target", "tls", "nats");
    // A server without TLS cannot be reached over `tls:`.
    let plain = NatsServer::start("");
    let lab = Lab::once("", body);
    lab.level("once.ts", &format!("tls://localhost:{}", plain.port()), &[]);
    lab.failure("target", "tls", "nats");
}

#[test]
fn a_server_cannot_send_to_a_subscription_on_another_connection() {
    // The second connection gets messages with the number of the subscription on the first one.
    let known = Mutex::new(None::<String>);
    let raw = Raw::start(move |mut stream| {
        let info = r#"INFO {"server_id":"x","version":"2.10.0","max_payload":1000,"headers":true}"#;
        let _ = stream.write_all(format!("{info}\r\n").as_bytes()); // the client may leave at any time
        let foreign = known.lock().unwrap().clone();
        let mut pings = 0;
        for line in BufReader::new(stream.try_clone().unwrap()).lines() {
            let line = line.unwrap_or_default();
            if let Some(subscribed) = line.strip_prefix("SUB a ") {
                *known.lock().unwrap() = Some(subscribed.to_owned());
            }
            if line == "PING" {
                pings += 1;
                if let Some(foreign) = foreign.as_ref().filter(|_| pings == 2) {
                    let message = format!("MSG a {foreign} 1\r\nx\r\n");
                    let _ = stream.write_all(message.as_bytes());
                }
                let _ = stream.write_all(b"PONG\r\n");
            }
        }
    });
    let body = r#"
  const one = await user.nats();
  const sub = await one.subscribe("a");
  const two = await user.nats();
  await two.flush();
  try {
    await sub.next({ timeout: "300ms" });
  } catch (error) {
    check("nothing came", (error as Failure).kind === "timed_out");
  }
"#;
    let lab = Lab::once("", body);
    let target = format!("nats://127.0.0.1:{}", raw.port());
    let level = lab.level("once.ts", &target, &[]);
    assert_eq!(level["checks"]["passed"], 1, "{:#?}", lab.failures());
}
