//! The first failure of each kind says enough to find its cause.

use crate::harness::Lab;
use crate::wire_errors::{answering, get, get_fails};

#[test]
fn a_failed_request_quotes_the_beginning_of_the_body() {
    let refusing = answering(
        b"HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 29\r\n\r\n{\n  \"error\": \"no such room\"\n}",
    );
    let said = get_fails(&get("", "/x"), &refusing.url(), "status");
    assert_eq!(
        said,
        r#"HTTP 422 Unprocessable Entity: { "error": "no such room" }"#
    );
}

#[test]
fn a_failed_check_names_its_line_and_user() {
    let lab = Lab::new().with(
        "go.ts",
        r#"export const options = { group: 2, load: { groups: 1, once: true } };
export default async function go({ users, check, everyone }) {
  await everyone(async (user) => {
    await user.think("1ms");
    check("ordered", user.index !== 1);
  });
}
"#,
    );
    let server = answering(b"");
    let level = lab.level("go.ts", &server.url(), &[]);
    assert_eq!(level["checks"]["failed"], 1, "{level:#}");
    let failure = lab.failure("target", "check", "ordered");
    let first = &failure["first"];
    assert_eq!(first["location"], "go.ts:5:5", "{first:#}");
    assert_eq!(first["user"], "u2", "{first:#}");
    let frame = first["frame"].as_str().unwrap();
    assert!(frame.contains("> 5 |     check("), "{frame}");
}
