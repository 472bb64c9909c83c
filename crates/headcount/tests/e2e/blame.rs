//! The side of a failure. Unrequested or unreadable data from a server is the target's failure. Data that headcount
//! itself refuses to read is its own.

use crate::harness::{Lab, Raw};
use crate::wire_errors::{answering, get, get_fails};

#[test]
fn a_bench_can_raise_the_limit_of_bodies() {
    let body = "x".repeat(5000);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{body}");
    let server = answering(answer.leak().as_bytes());
    for (most, failed) in [("1kB", 4), ("10kB", 0)] {
        let url = server.url();
        let args = [
            "bench",
            &url,
            "-n",
            "4",
            "-c",
            "1",
            "--json",
            "--max-message",
            most,
        ];
        let ended = Lab::new().headcount(&args);
        let summary = ended.summary();
        assert_eq!(
            summary["levels"][0]["requests"]["failed"], failed,
            "{summary:#}"
        );
    }
}

#[test]
fn two_framings_of_one_response_are_refused() {
    let both = answering(
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    let said = get_fails(&get("", "/x"), &both.url(), "protocol");
    assert!(
        said.contains("both Content-Length and Transfer-Encoding"),
        "{said}"
    );
}

#[test]
fn a_response_that_nobody_asked_for_is_told_and_fails_no_request() {
    let twice = answering(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
    );
    let lab = get("", "/x");
    let level = lab.level("go.ts", &twice.url(), &[]);
    assert_eq!(level["requests"]["failed"], 0, "{level:#}");
    let failure = lab.failure("target", "protocol", &format!("connection {}", twice.url()));
    assert_eq!(failure["count"], 2, "{failure:#}");
    let said = failure["first"]["detail"].as_str().unwrap();
    assert!(
        said.starts_with("received data without a request: \"HTTP/1.1 200"),
        "{said}"
    );
}

/// A Socket.IO server that sends everybody an event with this argument.
fn telling(argument: String) -> Raw {
    Raw::start(move |stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else {
            return; // the preflight has disconnected
        };
        let open = r#"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}"#;
        let _ = socket.send(open.into());
        let _ = socket.read();
        let _ = socket.send(r#"40{"sid":"n"}"#.into());
        let _ = socket.send(format!(r#"42["tick",{argument}]"#).into());
        while socket.read().is_ok() {}
    })
}

#[test]
fn an_event_that_is_nested_too_deep_is_the_targets() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let server = telling(deep);
    for hear in [
        r#"socket.on("tick", () => {}); await user.stay();"#,
        r#"await socket.next("tick");"#,
    ] {
        let text = format!(
            r#"export const options = {{ load: {{ users: 1, duration: "500ms" }}, settle: "100ms" }};
export default async function go({{ users: [user] }}) {{ const socket = await user.socketio("/"); {hear} }}
"#
        );
        let lab = Lab::new().with("go.ts", &text);
        let _ = lab.run("go.ts", &server.url(), &[]);
        let failures = lab.failures();
        let sides: Vec<_> = failures.iter().map(|one| &one["side"]).collect();
        assert!(
            !sides.is_empty() && sides.iter().all(|side| *side == "target"),
            "{failures:#?}"
        );
        let said = failures[0]["first"]["detail"].as_str().unwrap();
        assert!(said.contains("JSON that cannot be parsed"), "{said}");
    }
}
