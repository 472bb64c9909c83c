//! Users with several local addresses, against servers that record the source address of each request.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufReader, Write as _};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use crate::harness::{Lab, Raw, read_request};

/// Source addresses by user, from `?user=` in the path. The preflight sends no request, so it is not included.
type Seen = Arc<Mutex<BTreeMap<String, BTreeSet<IpAddr>>>>;

/// Responds with 404 to everything, so no WebSocket or Socket.IO connection opens. Its source address is known all the
/// same.
fn server() -> (Raw, Seen) {
    let seen = Seen::default();
    let ours = Arc::clone(&seen);
    let raw = Raw::start(move |stream| {
        let address = stream.peer_addr().unwrap().ip();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        while let Some((head, _)) = read_request(&mut reader) {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let user = path
                .split_once("user=")
                .map_or("", |(_, user)| user.split('&').next().unwrap());
            let mut seen = ours.lock().unwrap();
            seen.entry(user.to_owned()).or_default().insert(address);
            drop(seen);
            let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
            if writer.write_all(answer).is_err() {
                return;
            }
        }
    });
    (raw, seen)
}

/// A scenario that each of twenty users runs once.
fn twenty(more: &str, story: &str) -> Lab {
    let text = format!(
        r#"import type {{ Group, Options }} from "headcount";
export const options: Options = {{ load: {{ users: 20, once: true, limit: "20s" }}{more} }};
export default async function go({{ users: [u] }}: Group) {{
  const user = u!, query = {{ user: user.number }};
  {story}
}}
"#
    );
    Lab::new().with("go.ts", &text)
}

/// Checks the distribution of twenty users over the addresses: each user has one address, and the loads differ by at
/// most one.
fn check_spread(seen: &Seen, addresses: usize) {
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 20, "{seen:?}");
    let mut users: HashMap<IpAddr, usize> = HashMap::new();
    for (user, from) in seen.iter() {
        assert_eq!(from.len(), 1, "user {user} came from {from:?}");
        *users.entry(*from.first().unwrap()).or_default() += 1;
    }
    assert_eq!(users.len(), addresses, "{users:?}");
    let fair = 20 / addresses..=20_usize.div_ceil(addresses);
    assert!(
        users.values().all(|count| fair.contains(count)),
        "{users:?}"
    );
}

#[test]
fn each_user_keeps_one_address_for_all_connections() {
    let (server, seen) = server();
    let lab = twenty(
        "",
        r#"await Promise.all([1, 2, 3, 4, 5, 6].map(() => user.get("/", { query })));"#,
    );
    let args = ["--source", "127.0.0.0/28", "--workers", "2"];
    lab.level("go.ts", &server.url(), &args);
    check_spread(&seen, 14);
    let record = lab.record();
    assert_eq!(
        record["sources"]["given"],
        serde_json::json!(["127.0.0.0/28"])
    );
    assert_eq!(record["sources"]["addresses"], 14);
    let report = std::fs::read_to_string(lab.path("run/report.md")).unwrap();
    assert!(
        report.contains("| source addresses | `14 (127.0.0.0/28)`"),
        "{report}"
    );
}

#[test]
fn the_options_name_addresses_too_and_the_command_line_others() {
    let (server, seen) = server();
    let source = r#", source: ["127.0.0.3", "127.0.0.8/31"]"#;
    let lab = twenty(source, r#"await user.get("/", { query });"#);
    lab.level("go.ts", &server.url(), &[]);
    check_spread(&seen, 3);
    seen.lock().unwrap().clear();
    let lab = twenty(source, r#"await user.get("/", { query });"#);
    lab.level("go.ts", &server.url(), &["--source", "127.0.0.4,127.0.0.5"]);
    check_spread(&seen, 2);
}

#[test]
fn web_sockets_and_socket_io_come_from_their_users_address() {
    for story in [
        r#"await user.websocket("/ws", { query }).catch(() => {});"#,
        r#"await user.get("/", { query });
           await user.socketio({ query, transports: ["websocket"] }).catch(() => {});"#,
        r#"await user.socketio({ query, transports: ["polling"] }).catch(() => {});"#,
    ] {
        let (server, seen) = server();
        let lab = twenty("", story);
        lab.run(
            "go.ts",
            &server.url(),
            &["--source", "127.0.0.0/28", "--workers", "2"],
        );
        check_spread(&seen, 14);
    }
}

#[test]
fn who_shares_an_http2_connection_shares_its_address() {
    let addresses: Arc<Mutex<Vec<(IpAddr, String)>>> = Arc::default();
    let ours = Arc::clone(&addresses);
    let server = Raw::start(move |stream| {
        let address = stream.peer_addr().unwrap().ip();
        let mut reader = BufReader::new(stream);
        if let Some((preface, _)) = read_request(&mut reader) {
            ours.lock().unwrap().push((address, preface));
        }
    });
    let args = [
        "--http2",
        "-c",
        "10",
        "--streams",
        "4",
        "-n",
        "40",
        "-d",
        "2s",
    ];
    let source = ["--source", "127.0.0.0/28", "--json"];
    let url = server.url();
    Lab::new().headcount(&[&["bench", &url][..], &args, &source].concat());
    let seen = addresses.lock().unwrap();
    assert!(
        seen.iter()
            .all(|(_, preface)| preface.starts_with("PRI * HTTP/2.0")),
        "{seen:?}"
    );
    let distinct: BTreeSet<IpAddr> = seen.iter().map(|(address, _)| *address).collect();
    assert_eq!(distinct.len(), 10, "{seen:?}");
}

#[test]
fn an_address_that_is_not_this_machines_is_refused_before_anything_is_sent() {
    let (server, seen) = server();
    let lab = twenty("", r#"await user.get("/", { query });"#);
    for (source, told) in [
        (
            "198.51.100.7",
            "source address 198.51.100.7 does not belong to this machine",
        ),
        (
            "127.0.0.1,203.0.113.0/29",
            "source address 203.0.113.1 (and 5 others) does not belong to this machine",
        ),
        ("nowhere", r#"source[0]: "nowhere": expected an address"#),
        ("127.0.0.0/4", "network too large"),
    ] {
        let ended = lab.run("go.ts", &server.url(), &["--source", source]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains(told), "{source}: {}", ended.stderr);
    }
    if std::net::UdpSocket::bind("[::1]:0").is_ok() {
        let ended = lab.run("go.ts", &server.url(), &["--source", "::1"]);
        let told = "one is IPv4, the other IPv6";
        assert!(ended.stdout.contains(told), "{ended:?}");
    }
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn a_limiter_by_address_is_passed_with_enough_addresses_only() {
    // The limit is 20 requests per address. Each of the 20 users sends 10 requests.
    for (source, refused) in [
        ("127.0.0.1", 180),
        ("127.0.0.0/29", 80),
        ("127.0.1.0/28", 0),
    ] {
        let lab = twenty(
            "",
            r#"for (let n = 0; n < 10; n++) await user.get("/", { query });"#,
        );
        let counts: Arc<Mutex<HashMap<IpAddr, u32>>> = Arc::default();
        let server = Raw::start(move |stream| {
            let address = stream.peer_addr().unwrap().ip();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut writer = stream;
            while read_request(&mut reader).is_some() {
                let mut counts = counts.lock().unwrap();
                let count = counts.entry(address).or_default();
                *count += 1;
                let status = if *count > 20 {
                    "429 Too Many Requests"
                } else {
                    "200 OK"
                };
                drop(counts);
                let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                if writer.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        });
        let level = lab.level(
            "go.ts",
            &server.url(),
            &["--source", source, "--workers", "2"],
        );
        assert_eq!(level["requests"]["count"], 200, "{source}: {level:#}");
        assert_eq!(level["requests"]["failed"], refused, "{source}: {level:#}");
    }
}
