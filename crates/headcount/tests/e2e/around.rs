//! The record contains failures in `setup` and `teardown`, and such a run does not pass.

use std::io::{BufReader, Write as _};

use crate::harness::{Ended, Lab, Raw, read_request};

/// Responds with 404 to `/missing`, and with 200 to everything else.
fn server() -> Raw {
    Raw::start(|stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, _)) = read_request(&mut reader) {
            let missing = head.starts_with("GET /missing ");
            let status = if missing { "404 Not Found" } else { "200 OK" };
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

const SCENARIO: &str = r#"
export const options = { load: { users: 1, once: true }, thresholds: { requests: "failed == 0" } };
export async function PART({ user, check }) { WORK }
export default async function go({ users: [user] }) { await user.get("/x"); }
"#;

fn run(part: &str, work: &str) -> (Lab, Ended) {
    let server = server();
    let text = SCENARIO.replace("PART", part).replace("WORK", work);
    let lab = Lab::new().with("go.ts", &text);
    let ended = lab.run("go.ts", &server.url(), &[]);
    (lab, ended)
}

#[test]
fn what_fails_in_setup_or_teardown_is_in_the_record_and_no_run_passes_with_it() {
    for part in ["setup", "teardown"] {
        let (lab, ended) = run(part, r#"await user.get("/missing");"#);
        ended.refused(99, &["Failed", &format!("in {part} 1 request failed")]);
        let record = lab.record();
        assert_eq!(record["verdict"], "failed", "{part}");
        assert_eq!(record[part]["requests"]["GET /missing"]["failed"], 1);
        assert_eq!(record[part]["failures"][0]["kind"], "status");

        let (lab, ended) = run(part, r#"check("clean", false); check("clean", true);"#);
        ended.refused(99, &["Failed", &format!("in {part} 1 check failed")]);
        let record = lab.record();
        assert_eq!(record["verdict"], "failed", "{part}");
        assert_eq!(record[part]["checks"]["clean"]["failed"], 1, "{part}");

        let (lab, ended) = run(part, r#"throw new Error("cannot be done");"#);
        ended.refused(3, &["cannot be done"]);
        let record = lab.record();
        assert_eq!(record["verdict"], "failed", "{part}");
        let fault = &record["script_faults"][0];
        assert_eq!(fault["what"], part, "{fault:#}");
        assert_eq!(fault["side"], "script", "{fault:#}");
        let detail = fault["first"]["detail"].as_str().unwrap();
        assert!(detail.contains("cannot be done"), "{fault:#}");
        let location = fault["first"]["location"].as_str().unwrap();
        assert!(location.starts_with("go.ts:3:"), "{fault:#}");
        let levels = record["levels"].as_array().unwrap().len();
        assert_eq!(levels, usize::from(part == "teardown"), "{record:#}");
    }
}

#[test]
fn what_succeeds_in_setup_and_teardown_changes_nothing() {
    for part in ["setup", "teardown"] {
        let work = r#"await user.get("/missing", { expect: 404 }); check("clean", true);"#;
        let (lab, ended) = run(part, work);
        assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
        assert_ne!(lab.record()["verdict"], "failed", "{part}");
    }
}
