//! HTTP against a server of the test itself, which counts its requests and responses.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::harness::{Lab, Raw, read_request};

/// The server's own counts.
#[derive(Debug, Default)]
struct Seen {
    connections: AtomicU64,
    requests: AtomicU64,
}

fn server() -> (Raw, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let ours = Arc::clone(&seen);
    let raw = Raw::start(move |stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        let mut first = true;
        while let Some((head, body)) = read_request(&mut reader) {
            // The preflight connects without a request, and is not counted.
            ours.connections
                .fetch_add(u64::from(std::mem::take(&mut first)), SeqCst);
            let number = ours.requests.fetch_add(1, SeqCst);
            if !answer(&mut writer, number, &head, &body) {
                return;
            }
        }
    });
    (raw, seen)
}

/// Returns whether the connection stays open.
fn answer(writer: &mut TcpStream, number: u64, head: &str, body: &[u8]) -> bool {
    let path = head.split(' ').nth(1).unwrap();
    let header = |name: &str| {
        let line = head
            .lines()
            .find(|line| line.to_ascii_lowercase().starts_with(name));
        line.map_or("", |line| line[name.len()..].trim()).to_owned()
    };
    match path.split('?').next().unwrap() {
        "/hop/0" => reply(writer, "200 OK", "", path.as_bytes()),
        hop if hop.starts_with("/hop/") => {
            let left: u32 = hop[5..].parse().unwrap();
            reply(
                writer,
                "302 Found",
                &format!("Location: /hop/{}\r\n", left - 1),
                b"",
            )
        }
        "/login" => reply(
            writer,
            "200 OK",
            "Set-Cookie: who=ada; Path=/\r\nSet-Cookie: b=2\r\n",
            b"",
        ),
        "/cookie" => reply(writer, "200 OK", "", header("cookie:").as_bytes()),
        "/gzip" => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all("grüße ".repeat(1000).as_bytes()).unwrap();
            reply(
                writer,
                "200 OK",
                "Content-Encoding: gzip\r\n",
                &gzip.finish().unwrap(),
            )
        }
        "/chunked" => {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            writer
                .write_all(format!("{head}5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n").as_bytes())
                .is_ok()
        }
        "/echo" => {
            let kind = format!("Content-Type: {}\r\n", header("content-type:"));
            reply(writer, "200 OK", &kind, body)
        }
        "/turns" => match number % 4 {
            0 => reply(writer, "429 Too Many Requests", "Retry-After: 1\r\n", b""),
            1 => reply(writer, "500 Internal Server Error", "", b"oops"),
            _ => reply(writer, "200 OK", "", b"fine"),
        },
        "/close" => {
            let _ = reply(writer, "200 OK", "Connection: close\r\n", b"bye");
            false
        }
        _ => reply(writer, "200 OK", "", b"fine"),
    }
}

fn reply(writer: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> bool {
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    writer
        .write_all(head.as_bytes())
        .and_then(|()| writer.write_all(body))
        .is_ok()
}

/// A scenario that each of three users runs once.
fn once(story: &str) -> Lab {
    let text = format!(
        r#"import type {{ Group, Options }} from "headcount";
export const options: Options = {{ load: {{ users: 3, once: true }} }};
export default async function go({{ users: [u], check }}: Group) {{
  const user = u!;
  {story}
}}
"#
    );
    Lab::new().with("go.ts", &text)
}

#[test]
fn one_connection_carries_all_requests_of_a_user() {
    let (server, seen) = server();
    let lab = once(r#"for (let n = 0; n < 20; n++) await user.get("/n", { query: { n } });"#);
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(
        level["requests"]["by_name"]["GET /n"]["count"], 60,
        "{level:#}"
    );
    assert_eq!(level["requests"]["failed"], 0);
    assert_eq!(seen.requests.load(SeqCst), 60);
    assert_eq!(seen.connections.load(SeqCst), 3);
    let connections = &lab.record()["levels"][0]["measured"]["connections"];
    assert_eq!(connections[server.url()]["count"], 3, "{connections:#}");
}

#[test]
fn a_server_that_closes_after_each_answer_gets_a_new_connection_each() {
    let (server, seen) = server();
    let lab = once(
        r#"for (let n = 0; n < 5; n++) check("bye", (await user.get("/close")).text === "bye");"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["requests"]["count"], 15);
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    assert_eq!(level["checks"]["passed"], 15);
    assert_eq!(seen.connections.load(SeqCst), 15);
}

#[test]
fn redirects_are_followed_within_one_measured_request() {
    let (server, seen) = server();
    let lab = once(
        r#"const end = await user.get("/hop/3");
  check("at the end", end.status === 200 && end.url.endsWith("/hop/0"));
  const stays = await user.get("/hop/2", { redirects: 0 });
  check("stays", stays.status === 302 && stays.headers["location"] === "/hop/1");"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["passed"], 6, "{level:#}");
    assert_eq!(level["requests"]["by_name"]["GET /hop/3"]["count"], 3);
    assert_eq!(level["requests"]["count"], 6);
    assert_eq!(seen.requests.load(SeqCst), 3 * (4 + 1));
}

#[test]
fn too_many_redirects_are_a_failure_of_the_target() {
    let (server, _) = server();
    let lab = once(r#"await user.get("/hop/99");"#);
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["requests"]["failed"], 3, "{level:#}");
    let failure = lab.failure("target", "protocol", "GET /hop/99");
    assert_eq!(failure["count"], 3);
    assert!(
        failure["first"]["detail"]
            .as_str()
            .unwrap()
            .contains("redirect"),
        "{failure:#}"
    );
}

#[test]
fn cookies_are_kept_and_sent_back() {
    let (server, _) = server();
    let lab = once(
        r#"check("none yet", (await user.get("/cookie")).text === "");
  await user.get("/login");
  const sent = (await user.get("/cookie")).text.split("; ").sort().join();
  check("both", sent === "b=2,who=ada");
  check("known", user.cookie("who") === "ada");"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["passed"], 9, "{level:#}");
}

#[test]
fn what_stands_in_line_takes_a_cookie_along_that_came_meanwhile() {
    let (server, _) = server();
    let lab = once(
        r#"const before = await user.get("/cookie");
  const login = user.get("/login");
  const line = Array.from({ length: 2000 }, () => user.get("/cookie"));
  await login;
  const sent = (await Promise.all(line)).map((answer) => answer.text.includes("who=ada"));
  check("not before", before.text === "");
  check("in the end", sent.at(-1));"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["passed"], 6, "{level:#}");
}

#[test]
fn bodies_arrive_whole_however_they_are_packed() {
    let (server, _) = server();
    let lab = once(
        r#"check("gzip", (await user.get("/gzip")).text === "grüße ".repeat(1000));
  check("chunked", (await user.get("/chunked")).text === "hello world");"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["passed"], 6, "{level:#}");
}

#[test]
fn bodies_go_out_as_forms_multipart_json_and_bytes() {
    let (server, _) = server();
    let lab = once(
        r#"const form = await user.post("/echo", { form: { a: "1 & 2", b: true } });
  check("form", form.text === "a=1+%26+2&b=true" && form.headers["content-type"] === "application/x-www-form-urlencoded");
  const parts = await user.post("/echo", { multipart: { a: "one", f: { content: "two", filename: "f.txt", type: "text/plain" } } });
  const boundary = /boundary=(.*)$/.exec(parts.headers["content-type"]!)![1]!.replaceAll('"', "");
  const pieces = parts.text.split("--" + boundary);
  check("parts", pieces.length === 4 && pieces[3]!.startsWith("--"));
  check("field", /name="a"[^]*\r\n\r\none\r\n$/.test(pieces[1]!));
  check("file", /name="f"; filename="f.txt"[^]*text\/plain[^]*\r\n\r\ntwo\r\n$/i.test(pieces[2]!));
  const json = await user.post("/echo", { json: { name: "grüße" } });
  check("json", json.json.name === "grüße" && json.headers["content-type"] === "application/json");
  const bytes = await user.post("/echo", { body: new Uint8Array([0, 255, 7]) });
  check("bytes", new Uint8Array(bytes.body).join() === "0,255,7");"#,
    );
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["failed"], 0, "{:#?}", lab.failures());
    assert_eq!(level["checks"]["passed"], 18, "{level:#}");
}

#[test]
fn error_answers_are_counted_by_kind() {
    let (server, seen) = server();
    let lab = once(r#"for (let n = 0; n < 20; n++) await user.get("/turns");"#);
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(seen.requests.load(SeqCst), 60);
    assert_eq!(level["requests"]["count"], 60);
    assert_eq!(level["requests"]["failed"], 30, "{level:#}");
    assert_eq!(
        level["iterations"]["succeeded"], 3,
        "a bad status does not throw"
    );
    let limited = lab.failure("target", "rate_limited", "GET /turns");
    let broken = lab.failure("target", "status", "GET /turns");
    assert_eq!([&limited["count"], &broken["count"]], [15, 15]);
    assert!(
        broken["first"]["detail"].as_str().unwrap().contains("500"),
        "{broken:#}"
    );
}

#[test]
fn an_expected_status_is_no_failure() {
    let (server, _) = server();
    let lab =
        once(r#"for (let n = 0; n < 4; n++) await user.get("/turns", { expect: [429, 500] });"#);
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["requests"]["count"], 12);
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
}
