//! `headcount bench --http2` against the official gRPC server. A call with a gRPC status other than 0 is a failure,
//! although its HTTP status is 200.

use std::fs;

use serde_json::Value;

use crate::harness::{Lab, Server, grpc_server, http2_server};

/// An empty message: not compressed, of length 0.
const EMPTY: [u8; 5] = [0; 5];

/// Calls a method twenty times. Returns the request figures of the level, and the lab with the record.
fn twenty(server: &Server, path: &str) -> (Value, Lab) {
    let lab = Lab::new();
    fs::write(lab.path("empty"), EMPTY).unwrap();
    let url = format!("{}{path}", server.url());
    let mut args = vec!["bench", &url, "--http2", "-n", "20", "-c", "1"];
    args.extend(["-b", "@empty", "-H", "content-type: application/grpc"]);
    args.extend(["-H", "te: trailers", "--quiet", "--json", "--out", "run"]);
    let requests = lab.headcount(&args).summary()["levels"][0]["requests"].take();
    assert_eq!(requests["count"], 20, "{requests:#}");
    (requests, lab)
}

fn detail(failure: &Value) -> &str {
    failure["first"]["detail"].as_str().unwrap()
}

#[test]
fn a_grpc_call_that_succeeds_is_no_failure() {
    let (requests, _) = twenty(&grpc_server(), "/tea.Tea/Pour");
    assert_eq!(requests["failed"], 0, "{requests:#}");
}

#[test]
fn a_grpc_status_in_head_or_trailers_is_a_failure_of_its_own_kind() {
    let server = grpc_server();
    let says = [
        (
            "Refuse",
            "gRPC 5 NOT_FOUND: no tea left, 100 % gone: désolé",
        ),
        ("Spill", "gRPC 15 DATA_LOSS: spilled"),
        ("Missing", "gRPC 12 UNIMPLEMENTED: "),
    ];
    for (method, said) in says {
        let path = format!("/tea.Tea/{method}");
        let (requests, lab) = twenty(&server, &path);
        assert_eq!(requests["failed"], 20, "{method}: {requests:#}");
        let failure = lab.failure("target", "grpc", &format!("POST {path}"));
        assert_eq!(failure["count"], 20, "{failure:#}");
        assert!(detail(&failure).starts_with(said), "{failure:#}");
        // The server responded, so the latency counts.
        let timings = &lab.record()["levels"][0]["measured"]["requests"][format!("POST {path}")];
        assert_eq!(timings["response"]["count"], 20, "{timings:#}");
    }
}

#[test]
fn exactly_the_grpc_calls_that_failed_are_counted() {
    let (requests, lab) = twenty(&grpc_server(), "/tea.Tea/EveryFourth");
    assert_eq!(requests["failed"], 5, "{requests:#}");
    let failure = lab.failure("target", "grpc", "POST /tea.Tea/EveryFourth");
    assert_eq!(detail(&failure), "gRPC 14 UNAVAILABLE: busy");
}

#[test]
fn a_grpc_response_without_a_status_is_a_failure() {
    let (requests, lab) = twenty(&http2_server(&[]), "/grpc");
    assert_eq!(requests["failed"], 20, "{requests:#}");
    let failure = lab.failure("target", "protocol", "POST /grpc");
    assert!(
        detail(&failure).contains("without grpc-status"),
        "{failure:#}"
    );
}

#[test]
fn a_refused_grpc_call_is_a_failure_of_a_scenario_over_http_1_too() {
    let server = crate::harness::Raw::start(|stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = std::io::BufReader::new(stream);
        while crate::harness::read_request(&mut reader).is_some() {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/grpc-web\r\ngrpc-status: 7\r\ncontent-length: 0\r\n\r\n";
            let _ = std::io::Write::write_all(&mut writer, head.as_bytes()); // the peer may have closed the connection
        }
    });
    let text = r#"export const options = { load: { users: 1, once: true } };
export default async function go({ users: [u] }) { await u.post("/tea"); }
"#;
    let lab = Lab::new().with("go.ts", text);
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["requests"]["failed"], 1, "{level:#}");
    let failure = lab.failure("target", "grpc", "POST /tea");
    assert_eq!(detail(&failure), "gRPC 7 PERMISSION_DENIED");
}
