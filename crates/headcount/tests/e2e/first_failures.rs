//! The first failure of each kind says enough to find its cause, and bad test data is refused before the load.

use crate::harness::Lab;
use crate::wire_errors::{answering, get};

#[test]
fn a_failed_request_quotes_the_beginning_of_the_body() {
    let refusing = answering(
        b"HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 29\r\n\r\n{\n  \"error\": \"no such room\"\n}",
    );
    let lab = get("", "/x");
    lab.level("go.ts", &refusing.url(), &[]);
    let failure = lab.failure("target", "status", "GET /x");
    assert_eq!(
        failure["first"]["detail"],
        r#"HTTP 422 Unprocessable Entity: { "error": "no such room" }"#
    );
}

fn with_table(csv: &str, take: &str, users: u32) -> Lab {
    let text = format!(
        r#"import {{ csv }} from "headcount";
const people = csv("people.csv", {{ take: "{take}" }});
export const options = {{ load: {{ users: {users}, once: true }} }};
export default async function go({{ users: [u], check }}) {{ check("named", u.row(people).name !== undefined); }}
"#
    );
    Lab::new().with("go.ts", &text).with("people.csv", csv)
}

/// Nothing listens at the target, so the refusal comes before the first byte.
#[test]
fn a_table_with_too_few_unique_rows_is_refused_before_the_load() {
    let nobody = "http://127.0.0.1:9";
    let lab = with_table("name\nann\nbob\n", "unique", 3);
    let said = ["go.ts:2:", "people.csv has 2 rows", "3 users", "cycle"];
    lab.run("go.ts", nobody, &[]).refused(2, &said);

    let enough = lab.run("go.ts", nobody, &["--users", "2"]);
    enough.refused(4, &["cannot reach the target"]);
    let in_turn = with_table("name\nann\nbob\n", "cycle", 3);
    in_turn
        .run("go.ts", nobody, &[])
        .refused(4, &["cannot reach the target"]);
}

#[test]
fn a_table_with_another_separator_is_refused_before_the_load() {
    let lab = with_table("name;age\nann;3\n", "cycle", 1);
    let said = ["go.ts:2:", "people.csv: line 1", "separator: \";\""];
    lab.run("go.ts", "http://127.0.0.1:9", &[])
        .refused(3, &said);
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
    let location = first["location"].as_str().unwrap();
    assert!(location.starts_with("go.ts:5:"), "{first:#}");
    let tag = lab.record()["run_tag"].as_str().unwrap().to_owned();
    assert_eq!(first["user"], format!("u2-{tag}"), "{first:#}");
    let frame = first["frame"].as_str().unwrap();
    assert!(frame.contains("> 5 |     check("), "{frame}");
}
