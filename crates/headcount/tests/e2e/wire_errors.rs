//! Targets that respond incorrectly, too late, or not at all. Each failure has a side and a kind, and quotes the
//! response.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::generate_simple_self_signed;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::harness::{Lab, Raw, Server};

pub(crate) fn get(timeouts: &str, url: &str) -> Lab {
    let text = format!(
        r#"export const options = {{ load: {{ users: 2, once: true }}, maxMessage: "1kB", timeouts: {{ {timeouts} }} }};
export default async function go({{ users: [u] }}) {{ await u.get("{url}"); }}
"#
    );
    Lab::new().with("go.ts", &text)
}

/// A server that responds to any data with these bytes, and closes.
pub(crate) fn answering(bytes: &'static [u8]) -> Raw {
    Raw::start(move |mut stream| {
        let mut asked = [0; 4096];
        if stream.read(&mut asked).is_ok_and(|count| count > 0) {
            let _ = stream.write_all(bytes); // the preflight has disconnected
        }
    })
}

pub(crate) fn get_fails(lab: &Lab, target: &str, kind: &str) -> String {
    get_fails_by(lab, target, ("target", kind))
}

fn get_fails_by(lab: &Lab, target: &str, (side, kind): (&str, &str)) -> String {
    let level = lab.level("go.ts", target, &[]);
    assert_eq!(level["requests"]["count"], 2, "{level:#}");
    assert_eq!(level["requests"]["failed"], 2, "{level:#}");
    assert_eq!(level["iterations"]["failed"], 2, "{level:#}");
    let failure = lab.failure(side, kind, "GET /x");
    assert_eq!(failure["count"], 2);
    failure["first"]["detail"].as_str().unwrap().to_owned()
}

#[test]
fn another_protocol_on_the_port_is_quoted() {
    let ssh = Raw::start(|mut stream| {
        let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n");
        let _ = stream.read(&mut [0; 4096]);
    });
    let said = get_fails(&get("", "/x"), &ssh.url(), "protocol");
    assert_eq!(said, r#"not HTTP: got "SSH-2.0-OpenSSH_9.6\r\n""#);
}

#[test]
fn garbage_is_quoted_in_readable_form() {
    let said = get_fails(
        &get("", "/x"),
        &answering(b"\x00\x01\xff\xfe garbage\r\n\r\n").url(),
        "protocol",
    );
    assert_eq!(said, r#"not HTTP: got "\x00\x01\xff\xfe garbage\r\n\r\n""#);
}

#[test]
fn a_body_that_is_cut_says_how_far_it_came() {
    let cut = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    assert_eq!(
        get_fails(&get("", "/x"), &cut.url(), "closed"),
        "closed after 3 of 100 bytes"
    );
}

#[test]
fn a_body_beyond_the_limit_is_refused_by_headcount_itself() {
    let big = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
    assert_eq!(
        get_fails_by(&get("", "/x"), &big.url(), ("generator", "too_large")),
        "the body is larger than 1000 bytes: raise the limit (`maxMessage` in the options, --max-message of bench)"
    );
}

/// Sends these bytes to whoever asks, and then nothing more.
pub(crate) fn falling_silent(bytes: &'static [u8]) -> Raw {
    Raw::start(move |mut stream| {
        let mut buffer = [0; 4096];
        if stream.read(&mut buffer).is_ok_and(|count| count > 0) {
            let _ = stream.write_all(bytes);
            let _ = stream.read(&mut buffer); // until the peer closes the connection
        }
    })
}

#[test]
fn each_phase_has_its_own_time_limit() {
    let limits = r#"firstByte: "200ms", total: "400ms""#;
    let said = get_fails(&get(limits, "/x"), &falling_silent(b"").url(), "timed_out");
    assert_eq!(said, "no byte of the response within 200 ms");
    let slow = falling_silent(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
    let said = get_fails(&get(limits, "/x"), &slow.url(), "timed_out");
    assert_eq!(said, "the response was not complete within 400 ms");
}

#[test]
fn a_percentile_among_the_time_outs_breaks_its_threshold() {
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = {
  load: { users: 30, once: true }, timeouts: { total: "100ms" },
  thresholds: { requests: ["p50 < 10s", "max < 10s"], "check(never made)": "failed == 0" },
};
export default async function go({ users: [u] }) { await u.get("/x").catch(() => {}); }
"#,
    );
    let ended = lab.run("go.ts", &falling_silent(b"").url(), &[]);
    assert!(matches!(ended.code, Some(98 | 99)), "{ended:#?}"); // 98 on a busy machine
    let record = lab.record();
    let thresholds = record["thresholds"].as_array().unwrap();
    let told = |at: usize, key: &str| thresholds[at][key].clone();
    for at in [0, 1] {
        let invalid = told(at, "inconclusive")["cause"] == "invalid_level"; // on a busy machine
        assert!(told(at, "held") == false || invalid, "{thresholds:#?}");
        assert_eq!(told(at, "observed"), json!({ "is": "timed_out" }));
    }
    assert_eq!(
        told(2, "held"),
        Value::Null,
        "what was never checked has not held"
    );
}

#[test]
fn a_percentile_of_too_few_samples_says_how_many_it_needs() {
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { load: { users: 2, once: true }, thresholds: { requests: "p95 < 10s" } };
export default async function go({ users: [u] }) { await u.get("/healthz"); }
"#,
    );
    let ended = lab.run("go.ts", &Server::bridge(&[]).url(), &[]);
    ended.refused(98, &["needs about 57 more samples (2 of 59)"]);
}

/// A TLS server that never responds to the client's hello, so the connection does not open.
#[test]
fn connecting_has_a_time_limit() {
    let bridge = Server::bridge(&[]);
    let mute = Raw::start(|mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.read(&mut [0; 4096]);
    });
    let lab = get(
        r#"connect: "200ms""#,
        &format!("https://127.0.0.1:{}/x", mute.port()),
    );
    let level = lab.level("go.ts", &bridge.url(), &[]);
    assert_eq!(level["requests"]["failed"], 2, "{level:#}");
    let failures = lab.failures();
    let timed_out = failures
        .iter()
        .find(|failure| failure["kind"] == "timed_out");
    let said = timed_out.unwrap_or_else(|| panic!("{failures:#?}"))["first"]["detail"].to_string();
    assert!(said.contains("200 ms"), "{said}");
}

// ——— WebSocket ———

const LISTEN: &str = r#"
export const options = { load: { users: 2, once: true }, maxMessage: "1kB" };
export default async function go({ users: [u] }) {
  const socket = await u.websocket("/ws");
  socket.send("hello");
  await socket.next({ timeout: "5s" });
}
"#;

/// A WebSocket server that responds to the first message with this raw frame.
fn sending(frame: Frame) -> Raw {
    Raw::start(move |stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else {
            return; // the preflight has disconnected
        };
        let _ = socket.read();
        let _ = socket.send(tungstenite::Message::Frame(frame.clone()));
        while socket.read().is_ok() {}
    })
}

fn socket_fails(target: &str, kind: &str) -> Value {
    socket_fails_by(target, ("target", kind))
}

fn socket_fails_by(target: &str, (side, kind): (&str, &str)) -> Value {
    let lab = Lab::new().with("go.ts", LISTEN);
    let level = lab.level("go.ts", target, &[]);
    assert_eq!(level["iterations"]["failed"], 2, "{level:#}");
    lab.failure(side, kind, "websocket /ws")["first"]["detail"].clone()
}

#[test]
fn text_that_is_not_utf8_is_a_fault_of_the_protocol() {
    let frame = Frame::message(vec![b'o', b'k', 0xff, 0xfe], OpCode::Data(Data::Text), true);
    assert_eq!(
        socket_fails(&sending(frame).url(), "protocol"),
        "a text message is not UTF-8"
    );
}

#[test]
fn a_message_beyond_the_limit_is_refused() {
    let frame = Frame::message(vec![b'x'; 5000], OpCode::Data(Data::Binary), true);
    assert_eq!(
        socket_fails_by(&sending(frame).url(), ("generator", "too_large")),
        "a message is larger than 1000 bytes: raise the limit (`maxMessage` in the options, --max-message of bench)"
    );
}

#[test]
fn another_protocol_where_a_websocket_should_be_is_quoted() {
    let ssh = answering(b"SSH-2.0-OpenSSH_9.6\r\n");
    assert_eq!(
        socket_fails(&ssh.url(), "protocol"),
        r#"not HTTP: got "SSH-2.0-OpenSSH_9.6\r\n""#
    );
}

#[test]
fn a_refused_websocket_tells_the_status() {
    let bridge = Server::bridge(&["--rooms", "Tower"]);
    let said = socket_fails(&bridge.url(), "status");
    assert!(said.as_str().unwrap().contains("404"), "{said}");
}

// ——— TLS ———

pub(crate) const SHORT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A TLS server with a self-signed certificate that responds to each request with these bytes.
fn tls_server(answer: impl Into<Arc<[u8]>>) -> Raw {
    let answer = answer.into();
    let certified =
        generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    Raw::start(move |stream| serve_tls(stream, Arc::clone(&config), &answer))
}

pub(crate) fn serve_tls(stream: TcpStream, config: Arc<ServerConfig>, answer: &[u8]) {
    let mut tls = StreamOwned::new(ServerConnection::new(config).unwrap(), stream);
    while tls.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {
        let _ = tls.write_all(answer);
    }
}

fn over_tls(insecure: bool) -> Lab {
    let text = format!(
        r#"export const options = {{ load: {{ users: 2, once: true }}, insecure: {insecure} }};
export default async function go({{ users: [u], check }}) {{ check("ok", (await u.get("/x")).text === "ok"); }}
"#
    );
    Lab::new().with("go.ts", &text)
}

#[test]
fn a_certificate_that_nobody_signed_is_refused_and_the_way_out_told() {
    let target = format!("https://localhost:{}", tls_server(SHORT).port());
    let ended = over_tls(false).run("go.ts", &target, &[]);
    ended.refused(
        4,
        &["cannot reach the target", "TLS", "certificate", "insecure"],
    );
}

/// Decrypted bytes are no longer in the socket, so the kernel does not report them again.
#[test]
fn a_body_in_the_smallest_pieces_is_read_to_its_end_over_tls() {
    let mut body = b"1\r\nx\r\n".repeat(100_000);
    body.extend(b"0\r\n\r\n");
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let target = format!(
        "https://localhost:{}",
        tls_server([head, &body[..]].concat()).port()
    );
    let text = r#"
export const options = { load: { users: 2, once: true }, insecure: true, timeouts: { total: "20s" } };
export default async function go({ users: [u], check }) {
  check("whole", (await u.get("/x")).text.length === 100000);
}
"#;
    let level = Lab::new().with("go.ts", text).level("go.ts", &target, &[]);
    assert_eq!(level["checks"]["passed"], 2, "{level:#}");
}

#[test]
fn insecure_accepts_any_certificate() {
    let target = format!("https://localhost:{}", tls_server(SHORT).port());
    let level = over_tls(true).level("go.ts", &target, &[]);
    assert_eq!(level["checks"]["passed"], 2, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0);
}

#[test]
fn tls_against_a_port_without_it_says_so() {
    let bridge = Server::bridge(&[]);
    let ended = over_tls(true).run("go.ts", &bridge.url().replace("http", "https"), &[]);
    ended.refused(4, &["cannot reach the target", "TLS", "http://"]);
}
