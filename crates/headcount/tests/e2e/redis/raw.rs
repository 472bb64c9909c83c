//! Raw servers that answer Redis commands with prepared bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use super::{Value, once, passes, round_trip};
use crate::harness::{Lab, Raw};

const HELLO: &str = "%3\r\n+server\r\n+redis\r\n+proto\r\n:3\r\n+version\r\n+7.0.0\r\n";

/// Starts a server that accepts each client, and calls `serve` with each further command.
pub(super) fn serving(serve: impl Fn(&[String], &mut TcpStream) + Send + Sync + 'static) -> Raw {
    Raw::start(move |mut stream: TcpStream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while let Some(words) = command(&mut reader) {
            if words[0] == "HELLO" {
                let _ = stream.write_all(HELLO.as_bytes()); // the client may have left
            } else {
                serve(&words, &mut stream);
            }
        }
    })
}

/// Reads the next command. `None` at the end.
fn command(from: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let count = number(from, '*')?;
    let word = |_| {
        let mut bytes = vec![0; number(from, '$')? + 2];
        from.read_exact(&mut bytes).ok()?;
        bytes.truncate(bytes.len() - 2);
        String::from_utf8(bytes).ok()
    };
    (0..count).map(word).collect()
}

fn number(from: &mut BufReader<TcpStream>, kind: char) -> Option<usize> {
    let mut line = String::new();
    from.read_line(&mut line).ok()?;
    line.trim_end().strip_prefix(kind)?.parse().ok()
}

pub(super) fn url(server: &Raw) -> String {
    format!("redis://127.0.0.1:{}", server.port())
}

pub(super) fn answer(stream: &mut TcpStream, bytes: &str) {
    let _ = stream.write_all(bytes.as_bytes()); // the client may have left
}

#[test]
fn a_late_reply_is_counted_and_the_next_command_gets_its_own() {
    // `SLOW` is answered only after the next command has arrived.
    let server = serving(|words, stream| match words[0].as_str() {
        "SLOW" => {}
        _ => answer(stream, &format!("+late\r\n+{}\r\n", words[1])),
    });
    let lab = once(
        r#"
  const redis = await user.redis();
  try {
    await redis.call({ command: "SLOW", timeout: "100ms" });
  } catch (error) {
    check("timed out", (error as Failure).kind === "timed_out");
  }
  check("its own", await redis.call("ECHO", "mine") === "mine");
"#,
    );
    passes(&lab, &url(&server), 2);
    assert_eq!(round_trip(&lab, "SLOW", "timed_out"), 1);
    assert_eq!(round_trip(&lab, "ECHO", "failed"), 0);
    assert_eq!(lab.failure("target", "timed_out", "SLOW")["count"], 1);
    let late = lab.failure("target", "timed_out", "late reply of the Redis server");
    assert_eq!(late["count"], 1);
    assert_eq!(lab.failures().len(), 2, "{:#?}", lab.failures());
}

#[test]
fn a_broken_connection_fails_everything_in_flight_with_its_reason() {
    // The connection is closed in the middle of the second reply.
    let server = serving(|words, stream| match words[0].as_str() {
        "A" => answer(stream, "+one\r\n"),
        "SUBSCRIBE" => answer(stream, ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"),
        "B" => {
            answer(stream, "$10\r\nhalf");
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        _ => {}
    });
    let lab = once(
        r#"
  const redis = await user.redis();
  const subscription = await redis.subscribe("c");
  let reason = "";
  subscription.on("close", (why) => { reason = why; });
  const kinds = await Promise.all(["A", "B", "C"].map((command) =>
    redis.call(command).catch((error: Failure) => error.kind + ": " + error.message)));
  check("replied", kinds[0] === "one");
  const why = "the Redis server closed the connection in the middle of a reply";
  check("in flight", kinds[1] === "closed: " + why && kinds[2] === kinds[1]);
  await eventually("both are closed", "5s", () => reason === why && !redis.open && !subscription.open);
  try { await redis.call("A"); } catch (error) { check("later", (error as Failure).kind === "closed"); }
  try { await subscription.next(); } catch (error) { check("no message", (error as Failure).kind === "closed"); }
"#,
    );
    passes(&lab, &url(&server), 4);
    for name in ["B", "C"] {
        assert_eq!(lab.failure("target", "closed", name)["count"], 1, "{name}");
    }
    let connection = format!("connection {}", url(&server));
    assert_eq!(lab.failure("target", "closed", &connection)["count"], 1);
    assert_eq!(lab.failures().len(), 3, "{:#?}", lab.failures());
}

/// Opens one connection, which fails. Returns its failure.
fn refused(target: &str, kind: &str) -> Value {
    let lab = once(&format!(
        "try {{ await user.redis(); }} catch (error) {{ check('kind', (error as Failure).kind === '{kind}'); }}"
    ));
    passes(&lab, target, 1);
    let failures = lab.failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert_eq!(failures[0]["kind"], kind, "{failures:#?}");
    failures[0]["first"]["detail"].clone()
}

#[test]
fn what_is_no_redis_server_is_refused_with_the_reason() {
    let old = Raw::start(|mut stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let _ = command(&mut reader);
        answer(&mut stream, "-ERR unknown command 'HELLO'\r\n");
    });
    let detail = refused(&url(&old), "protocol");
    assert!(
        detail.as_str().unwrap().contains("version 6 or later"),
        "{detail}"
    );
    let web = Raw::start(|mut stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let _ = command(&mut reader);
        answer(&mut stream, "HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let detail = refused(&url(&web), "protocol");
    assert!(
        detail
            .as_str()
            .unwrap()
            .contains("is not part of a Redis reply"),
        "{detail}"
    );
}

#[test]
fn other_schemes_are_refused_with_advice() {
    let server = serving(|_, _| {});
    let lab = once(
        r#"
  try { await user.get("/"); } catch (error) { check("no HTTP", String(error).includes("connect with `user.redis()`")); }
  try { await user.redis({ url: "http://127.0.0.1:1" }); } catch (error) { check("no Redis", String(error).includes("`redis://127.0.0.1:6379`")); }
  try { await user.redis({ url: "redis://203.0.113.9" }); } catch (error) { check("foreign", (error as Failure).kind === "not_allowed"); }
"#,
    );
    passes(&lab, &url(&server), 3);
}

#[test]
fn a_subscription_that_the_server_ends_is_a_failure() {
    let server = serving(|words, stream| match words[0].as_str() {
        "SSUBSCRIBE" => answer(stream, ">3\r\n$10\r\nssubscribe\r\n$1\r\nc\r\n:1\r\n"),
        // The shard has moved to another node.
        _ => answer(
            stream,
            ">3\r\n$12\r\nsunsubscribe\r\n$1\r\nc\r\n:0\r\n+OK\r\n",
        ),
    });
    let lab: Lab = once(
        r#"
  const redis = await user.redis();
  const subscription = await redis.subscribe("c", { shard: true });
  let reason = "";
  subscription.on("close", (why) => { reason = why; });
  await redis.call("MOVE");
  await eventually("ended", "5s", () => reason === "the server ended the subscription");
  check("only the subscription", !subscription.open && redis.open);
"#,
    );
    passes(&lab, &url(&server), 1);
    let name = format!("subscription {}", url(&server));
    assert_eq!(lab.failure("target", "closed", &name)["count"], 1);
}

#[test]
fn very_long_errors_and_numbers_are_shortened_or_refused() {
    let server = serving(|words, stream| match words[0].as_str() {
        "ERROR" => answer(
            stream,
            &format!("!15000000\r\n{}\r\n", "/".repeat(15_000_000)),
        ),
        _ => answer(stream, &format!("({}\r\n", "9".repeat(60_000))),
    });
    let lab = once(
        r#"
  const redis = await user.redis();
  try { await redis.call("ERROR"); } catch (error) { check("short", (error as Failure).message.length < 2000); }
  try { await redis.call("NUMBER"); } catch (error) { check("refused", (error as Failure).kind === "protocol"); }
"#,
    );
    passes(&lab, &url(&server), 2);
    let failure = lab.failure("target", "content", "ERROR");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(detail.len() < 1100, "{} bytes", detail.len());
}
