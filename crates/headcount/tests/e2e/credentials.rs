//! Credentials in a URL or in headers reach only the server. They appear neither on the terminal nor in the record.

use std::fs;
use std::io::{BufReader, Write as _};
use std::path::Path;

use crate::harness::{Ended, Lab, Raw, read_request};

/// `ann:s3cr3t` in Base64.
const BASIC: &str = "Authorization: Basic YW5uOnMzY3IzdA==";

/// Responds with 200 to requests with credentials, and with 401 to all others. `/away` redirects to another URL with
/// credentials.
fn guarded() -> Raw {
    Raw::start(|stream| {
        let address = stream.local_addr().unwrap();
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, _)) = read_request(&mut reader) {
            let status = match &head {
                head if head.contains("/away") => "302 Found",
                head if head.contains(BASIC) => "200 OK",
                _ => "401 Unauthorized",
            };
            let answer = format!(
                "HTTP/1.1 {status}\r\nLocation: ftp://bob:s3cr3t@{address}/\r\nContent-Length: 0\r\n\r\n"
            );
            if writer.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    })
}

fn with_credentials(server: &Raw, scheme: &str) -> String {
    format!("{scheme}://ann:s3cr3t@127.0.0.1:{}", server.port())
}

/// Asserts that neither the terminal nor a file of the folder contains a secret.
fn nobody_knows(ended: &Ended, folder: &Path) {
    let mut seen = vec![ended.stdout.clone(), ended.stderr.clone()];
    let files = fs::read_dir(folder).into_iter().flatten();
    seen.extend(files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()));
    for text in seen {
        for secret in ["s3cr3t", "ann:", "bob", "YW5uOnMzY3IzdA", "sesame"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[test]
fn credentials_in_the_url_of_a_bench_are_sent_and_not_shown() {
    let server = guarded();
    for more in [&[][..], &["--json"]] {
        let lab = Lab::new();
        let url = with_credentials(&server, "http") + "/x";
        let mut args = vec!["bench", &url, "-n", "3", "-c", "1", "--out", "run"];
        args.extend(["-H", "X-Token: sesame"]);
        args.extend(more);
        let ended = lab.headcount(&args);
        nobody_knows(&ended, &lab.path("run"));
        let measured = &lab.record()["levels"][0]["measured"]["requests"]["GET /x"];
        assert_eq!(measured["count"], 3, "{measured:#}");
        assert_eq!(measured["failed"], 0, "it worked as Basic: {measured:#}");
        let title = lab.record()["script"]["path"].take();
        assert!(title.as_str().unwrap().contains("//***@"), "{title}");
        nobody_knows(&lab.headcount(&["report", "run"]), &lab.path("run"));
    }
}

#[test]
fn errors_do_not_repeat_the_credentials_of_a_url() {
    let nobody = Path::new("/nowhere");
    let cases = [
        ("http://ann:s3cr3t@127.0.0.1:1/", 4),
        ("ws://ann:s3cr3t@127.0.0.1:1/", 4),
        ("http://ann:s3cr3t@127.0.0.1:1:1/", 2),
        ("ftp://ann:s3cr3t@127.0.0.1/", 2),
    ];
    for (url, code) in cases {
        let ended = Lab::new().headcount(&["bench", url, "-n", "1"]);
        assert_eq!(ended.code, Some(code), "{url}: {ended:#?}");
        nobody_knows(&ended, nobody);
    }
    let unknown = "--proxy=http://ann:s3cr3t@127.0.0.1/";
    let ended = Lab::new().headcount(&["bench", "http://127.0.0.1:1/", unknown]);
    assert_eq!(ended.code, Some(2));
    nobody_knows(&ended, nobody);
    let lab = Lab::new().with("go.ts", "export default async function go() {}");
    let ended = lab.run("go.ts", "http://ann:s3cr3t@127.0.0.1:1", &["--users", "1"]);
    ended.refused(2, &["target", "user name or password"]);
    nobody_knows(&ended, nobody);
}

#[test]
fn a_scenarios_credentials_are_in_no_name_failure_log_or_source() {
    let server = guarded();
    let text = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 1, once: true }, headers: { "X-Api-Key": "sesame" } };
export default async function go({ users: [user] }: Group) {
  const there = "BASE";
  await user!.get("BASE/open");
  await user!.get(`${there}/items/:id`, { params: { id: 7 } });
  try { await user!.get("BASE/away"); } catch (why) { console.log(`${why}`); }
  try { await user!.websocket("WS/live"); } catch (why) { console.warn(`${why}`); }
  console.log(`asked ${there}`);
  throw new Error(`cannot go on with ${there}/`); // BASE
}
"#
    .replace("BASE", &with_credentials(&server, "http"))
    .replace("WS", &with_credentials(&server, "ws"));
    let lab = Lab::new().with("go.ts", &text);
    let ended = lab.run("go.ts", &server.url(), &[]);
    assert_eq!(ended.code, Some(3), "{ended:#?}");
    ended.says(&[
        "cannot go on with http://***@127.0.0.1",
        "asked http://***@",
    ]);
    let record = lab.record();
    let requests = &record["levels"][0]["measured"]["requests"];
    let open = format!("GET http://***@127.0.0.1:{}/open", server.port());
    assert_eq!(requests[&open]["failed"], 0, "{requests:#}");
    assert_eq!(record["options"]["headers"]["X-Api-Key"], "***");
    assert!(!record.to_string().contains("ann:"), "{record:#}");
    // The scenario's source is kept, without the credentials in its URLs.
    let source = record["script"]["source"].as_str().unwrap();
    assert!(source.contains("//***@127.0.0.1"), "{source}");
    assert!(!source.contains("ann:s3cr3t"), "{source}");
    nobody_knows(&ended, Path::new("/nowhere"));
}
