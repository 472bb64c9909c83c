//! `headcount bench --http2` against Node's own HTTP/2 server. The server counts requests itself, and curl fetches the
//! counts.

use rcgen::generate_simple_self_signed;
use serde_json::Value;

use crate::harness::{Ended, Lab, Server, ask_http2, http2_server};

fn bench(lab: &Lab, url: &str, more: &[&str]) -> Ended {
    let mut args = vec!["bench", url, "--quiet", "--http2"];
    args.extend(more);
    lab.headcount(&args)
}

/// Returns the only level, as `--json` reports it and from the record.
fn level_and_record(url: &str, more: &[&str]) -> (Value, Value) {
    let lab = Lab::new();
    let mut args = vec!["--json", "--out", "run"];
    args.extend(more);
    let level = bench(&lab, url, &args).summary()["levels"][0].take();
    (level, lab.record()["levels"][0].take())
}

/// Returns the server's own counts.
fn seen(server: &Server) -> Value {
    ask_http2(&format!("{}/seen", server.url()))
}

#[test]
fn streams_share_a_connection_and_the_count_is_exact() {
    for workers in ["1", "2"] {
        let server = http2_server(&[]);
        let more = [
            "-n",
            "1000",
            "-c",
            "4",
            "--streams",
            "5",
            "--workers",
            workers,
        ];
        let (level, record) = level_and_record(&format!("{}/delay?5", server.url()), &more);
        assert_eq!(level["requests"]["count"], 1000, "{level:#}");
        assert_eq!(level["requests"]["failed"], 0, "{level:#}");
        let connections = &record["measured"]["connections"][server.url()];
        assert_eq!(connections["count"], 4, "{connections:#}");
        let seen = seen(&server);
        assert_eq!(seen["requests"], 1000, "as the server counts: {seen:#}");
        assert_eq!(seen["peak"], 20, "connections × streams: {seen:#}");
    }
}

#[test]
fn one_connection_stays_one_whatever_the_workers() {
    let server = http2_server(&[]);
    let more = ["-n", "200", "-c", "1", "--streams", "50", "--workers", "2"];
    let (level, record) = level_and_record(&format!("{}/delay?5", server.url()), &more);
    assert_eq!(level["requests"]["count"], 200, "{level:#}");
    assert_eq!(record["measured"]["connections"][server.url()]["count"], 1);
    assert_eq!(seen(&server)["peak"], 50);
}

#[test]
fn more_streams_than_the_server_allows_wait_in_line_and_their_wait_is_measured() {
    let server = http2_server(&[("STREAMS", "2")]);
    let more = ["-n", "40", "-c", "1", "--streams", "10"];
    let (level, _) = level_and_record(&format!("{}/delay?20", server.url()), &more);
    assert_eq!(level["requests"]["count"], 40, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    assert_eq!(seen(&server)["peak"], 2);
    // Ten requests take turns in two slots of 20 ms.
    assert!(
        level["requests"]["p50_ms"].as_f64() >= Some(80.0),
        "{level:#}"
    );
}

#[test]
fn a_rate_over_http_2_starts_what_was_planned() {
    let server = http2_server(&[]);
    let more = ["--rate", "300/s", "-d", "2s", "-c", "4", "--streams", "50"];
    let (level, _) = level_and_record(&format!("{}/delay?20", server.url()), &more);
    assert_eq!(level["iterations"]["planned"], 600, "{level:#}");
    assert_eq!(level["iterations"]["dropped"], 0, "{level:#}");
    assert_eq!(level["requests"]["count"], 600, "{level:#}");
    let p50 = level["requests"]["p50_ms"].as_f64().unwrap();
    assert!((19.0..60.0).contains(&p50), "{level:#}"); // Node's timers may be a millisecond early
}

#[test]
fn method_headers_and_body_arrive_over_http_2() {
    let server = http2_server(&[]);
    let more = ["-n", "2", "-c", "1", "-b", "two teas", "-H", "X-Table: 7"];
    let (level, record) = level_and_record(&format!("{}/now", server.url()), &more);
    assert_eq!(level["requests"]["count"], 2, "{level:#}");
    let seen = seen(&server);
    assert_eq!(seen["last"][":method"], "POST", "{seen:#}");
    assert_eq!(seen["last"]["x-table"], "7");
    assert_eq!(seen["body"], "two teas");
    let timings = &record["measured"]["requests"]["POST /now"];
    assert!(timings["bytes_out"].as_u64() > Some(16), "{timings:#}");
    assert!(timings["bytes_in"].as_u64() > Some(6), "{timings:#}");
}

#[test]
fn every_request_over_http_2_has_its_headers_and_not_the_first_alone() {
    let server = http2_server(&[]);
    let more = ["--rate", "100/s", "-d", "1s", "-c", "1", "--streams", "4"];
    let all = [&more[..], &["-b", "two teas", "-H", "X-Table: 7"]].concat();
    let (level, _) = level_and_record(&format!("{}/now", server.url()), &all);
    // A machine that stalls while all four streams are busy drops starts. It must not drop headers.
    let dropped = level["iterations"]["dropped"].as_u64().unwrap();
    let sent = 100 - dropped;
    assert!(sent >= 50, "{level:#}");
    assert_eq!(level["requests"]["count"], sent, "{level:#}");
    let seen = seen(&server);
    assert_eq!(seen["last"]["x-table"], "7", "{seen:#}");
    assert_eq!(seen["body"], "two teas");
}

#[test]
fn failures_over_http_2_are_counted_by_kind() {
    let server = http2_server(&[]);
    let failed = |path: &str, kind: &str, more: &[&str]| {
        let mut all = vec!["-n", "20", "-c", "2", "--streams", "5"];
        all.extend(more);
        let (level, record) = level_and_record(&format!("{}{path}", server.url()), &all);
        assert_eq!(level["requests"]["count"], 20, "{path}: {level:#}");
        let failures = record["measured"]["failures"].as_array().unwrap();
        let of_kind = failures.iter().find(|failure| failure["kind"] == kind);
        let count = of_kind.map_or(&Value::Null, |failure| &failure["count"]);
        assert_eq!(count, &level["requests"]["failed"], "{path}: {failures:#?}");
        level["requests"]["failed"].as_u64().unwrap()
    };
    assert_eq!(failed("/error?4", "status", &[]), 5);
    assert_eq!(failed("/reset", "reset", &[]), 20);
    assert_eq!(failed("/hang", "timed_out", &["--timeout", "300ms"]), 20);
}

#[test]
fn connections_that_the_server_leaves_are_replaced_and_nothing_is_lost() {
    let server = http2_server(&[]);
    let more = ["-n", "300", "-c", "2", "--streams", "5"];
    let (level, record) = level_and_record(&format!("{}/leave", server.url()), &more);
    assert_eq!(level["requests"]["count"], 300, "{level:#}");
    let connections = &record["measured"]["connections"][server.url()];
    assert!(connections["count"].as_u64() > Some(2), "{connections:#}");
    // A request that is in flight when the server closes the connection is repeated once. The server closes so rarely
    // that no request is affected twice.
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
}

#[test]
fn over_tls_http_2_must_be_agreed_upon() {
    let certified = generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (key, cert) = (certified.signing_key.serialize_pem(), certified.cert.pem());
    let server = http2_server(&[("KEY", &key), ("CERT", &cert)]);
    let url = format!("https://localhost:{}/delay?5", server.port());
    let more = ["-n", "100", "-c", "2", "--streams", "5", "--insecure"];
    let (level, _) = level_and_record(&url, &more);
    assert_eq!(level["requests"]["count"], 100, "{level:#}");
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let older = http2_server(&[("KEY", &key), ("CERT", &cert), ("ONLY_HTTP1", "1")]);
    let url = format!("https://localhost:{}/", older.port());
    bench(&Lab::new(), &url, &["--insecure"]).refused(4, &["does not speak HTTP/2", "ALPN"]);
}

#[test]
fn a_server_of_http_1_is_named_as_such() {
    let truth = Server::truth(&[]);
    let lab = Lab::new();
    let ended = bench(
        &lab,
        &format!("{}/delay/1ms", truth.url()),
        &["-n", "4", "-c", "2"],
    );
    ended.says(&["it responded in HTTP/1"]);
    bench(&lab, "ws://127.0.0.1:1/", &[]).refused(2, &["--http2"]);
    lab.headcount(&["bench", "http://127.0.0.1:1/", "--streams", "3"])
        .refused(2, &["--http2"]);
}
