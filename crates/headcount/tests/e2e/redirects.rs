//! A redirect to another host carries no data meant for the target, and may not lead to a URL with credentials.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

use crate::harness::{Lab, Raw, read_request};

/// A server that sends this head in every response, and records the requests.
fn answering(head: String) -> (Raw, Receiver<(String, Vec<u8>)>) {
    let (tell, asked) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some(request) = read_request(&mut reader) {
            let _ = tell.send(request);
            let _ = write!(writer, "HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (server, asked)
}

fn once(call: &str) -> Lab {
    let text = format!(
        r#"export const options = {{ load: {{ users: 1, once: true }}, headers: {{ "x-api-key": "KEY" }} }};
export default async function go({{ users: [user] }}) {{ await user.{call}; }}
"#
    );
    Lab::new().with("go.ts", &text)
}

#[test]
fn no_header_of_the_scenario_goes_to_another_origin() {
    let (other, asked) = answering("200 OK".to_owned());
    let (target, _) = answering(format!("302 Found\r\nLocation: {}/there", other.url()));
    let lab =
        once(r#"get("/x", { headers: { authorization: "Bearer SECRET", "x-tenant": "T1" } })"#);
    let level = lab.level("go.ts", &target.url(), &[]);
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let (head, _) = asked.recv().unwrap();
    assert!(head.starts_with("GET /there HTTP/1.1\r\n"), "{head}");
    for secret in ["KEY", "SECRET", "T1"] {
        assert!(!head.contains(secret), "{head}");
    }
}

#[test]
fn a_body_goes_to_no_other_origin() {
    let (other, asked) = answering("200 OK".to_owned());
    let there = other.url();
    let (target, _) = answering(format!("307 Temporary Redirect\r\nLocation: {there}/"));
    let lab = once(r#"post("/x", { json: { card: "4111" } })"#);
    let level = lab.level("go.ts", &target.url(), &[]);
    assert_eq!(level["requests"]["failed"], 1, "{level:#}");
    let failure = lab.failure("target", "not_allowed", "POST /x");
    let detail = failure["first"]["detail"].as_str().unwrap();
    assert!(
        detail.contains(&there) && detail.contains("redirects: 0"),
        "{detail}"
    );
    assert!(asked.try_recv().is_err(), "the other host was asked");
}

#[test]
fn a_redirect_to_the_credentials_of_a_cloud_is_not_followed() {
    let there = "http://169.254.169.254/latest/meta-data/";
    let (target, _) = answering(format!("302 Found\r\nLocation: {there}"));
    for more in [&[][..], &["--target-is-mine"]] {
        let lab = once(r#"get("/x")"#);
        let level = lab.level("go.ts", &target.url(), more);
        assert_eq!(level["requests"]["failed"], 1, "{level:#}");
        let failure = lab.failure("target", "not_allowed", "GET /x");
        let detail = failure["first"]["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("redirected to 169.254.169.254"),
            "{detail}"
        );
    }
}

#[test]
fn redirects_to_ever_new_servers_do_not_pile_up_connections() {
    const SERVERS: usize = 100;
    let open = Arc::new(AtomicUsize::new(0));
    let servers: Vec<Raw> = (0..SERVERS)
        .map(|_| {
            let open = Arc::clone(&open);
            Raw::start(move |stream| {
                open.fetch_add(1, Ordering::Relaxed);
                respond(stream, |_| "200 OK\r\nContent-Length: 0\r\n\r\n".to_owned());
                open.fetch_sub(1, Ordering::Relaxed);
            })
        })
        .collect();
    let asked = AtomicUsize::new(0);
    let target = Raw::start(move |stream| {
        respond(stream, |path| {
            if path == "/go" {
                let there = servers[asked.fetch_add(1, Ordering::Relaxed)].url();
                format!("302 Found\r\nLocation: {there}/\r\nContent-Length: 0\r\n\r\n")
            } else {
                let open = open.load(Ordering::Relaxed).to_string();
                format!("200 OK\r\nContent-Length: {}\r\n\r\n{open}", open.len())
            }
        });
    });
    // Requests in flight at once keep their connections. A later redirect closes those that are no longer used.
    let body = format!(
        r#"await Promise.all(Array.from({{ length: {SERVERS} - 1 }}, () => user.get("/go")));
await user.get("/go");
const open = Number((await user.get("/open")).text);
if (open < 1 || open > 80) throw new Error(`${{open}} connections are open`);"#
    );
    let lab = Lab::once("", &body);
    let level = lab.level("once.ts", &target.url(), &[]);
    assert_eq!(level["iterations"]["succeeded"], 1, "{level:#}");
    assert_eq!(level["requests"]["count"], SERVERS + 1, "{level:#}");
}

/// Responds to each request of a connection with what `response` returns for its path.
fn respond(stream: TcpStream, mut response: impl FnMut(&str) -> String) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while let Some((head, _)) = read_request(&mut reader) {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let _ = write!(writer, "HTTP/1.1 {}", response(path));
    }
}
