//! Requests that the script fails by their content, and tags of requests.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, reply, story};

/// Runs a script that gets this status for each request, and returns the calls that are not requests.
fn calls(body: &str, status: u16) -> (Stage, Vec<String>) {
    let mut stage = story(body);
    stage.start(1);
    let mut others = Vec::new();
    loop {
        let calls = stage.take_calls();
        let mut ops = Vec::new();
        for call in calls {
            match call {
                Call::Http(op, ..) => ops.push(op),
                Call::Other(text) => others.push(text),
                other => panic!("{other:?}"),
            }
        }
        if ops.is_empty() {
            return (stage, others);
        }
        for op in ops {
            stage.done(op, reply(status, "{}"));
        }
    }
}

/// The message of the error that the script throws.
fn refused(body: &str) -> String {
    let (mut stage, _) = calls(body, 200);
    let fault = stage.fault();
    assert_eq!(fault.location.map(|place| place.line), Some(2));
    fault.fault.detail
}

#[test]
fn a_response_is_failed_once_and_does_not_throw() {
    let (mut stage, failed) = calls(
        "const r = await user.get('/'); console.log(r.fail('sold out'), r.fail('again'), Object.keys(r)); (await user.get('/')).fail('late');",
        200,
    );
    assert_eq!(failed, ["fail 100 200 sold out", "fail 100 200 late"]);
    assert_eq!(stage.logged(), ["undefined undefined []"]);
    stage.ends_well();
}

#[test]
fn a_request_that_has_failed_by_its_status_is_not_failed_again() {
    let (mut stage, failed) = calls("(await user.get('/')).fail('sold out');", 500);
    assert_eq!(failed, [""; 0]);
    stage.ends_well();
}

#[test]
fn a_reason_must_be_a_text() {
    let check = |call: &str, expected: &str| {
        let told = refused(&format!("const r = await user.get('/'); {call};"));
        assert!(told.contains(expected), "{told}");
    };
    let the = "response.fail(reason): the reason must";
    check("r.fail()", &format!("{the} be a string, not undefined"));
    check("r.fail({})", &format!("{the} be a string, not object"));
    check("r.fail(' ')", &format!("{the} not be empty"));
    check(
        "const { fail } = r; fail('x')",
        "write response.fail(reason)",
    );
}

#[test]
fn a_request_and_a_user_have_tags() {
    let mut stage = story(
        "user.tag('role', 'buyer'); user.tag('paid', true); user.tag('role', undefined); user.get('/', { tags: { region: 'eu', size: 3, no: undefined } });",
    );
    stage.start(1);
    let mut calls = stage.take_calls();
    let Some(Call::Http(_, _, call)) = calls.pop() else {
        panic!("{calls:?}");
    };
    let tag = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(call.tags, [tag("region", "eu"), tag("size", "3")]);
    assert_eq!(call.name, "GET /");
    let calls = format!("{calls:?}");
    for set in [
        r#"role=Some(\"buyer\")"#,
        r#"paid=Some(\"true\")"#,
        "role=None",
    ] {
        assert!(calls.contains(&format!("tag 100 {set}")), "{calls}");
    }
}

#[test]
fn wrong_tags_are_refused_in_words() {
    let check = |call: &str, expected: &str| {
        let told = refused(call);
        assert!(told.contains(expected), "{told}");
    };
    check(
        "await user.get('/', { tags: { region: 'a,b' } });",
        "user.get(url, options): `tags`.region must have 1 to 50 characters, without `{`, `}`, `=`, `,`",
    );
    check(
        "await user.get('/', { tags: { 'a=b': 1 } });",
        "`tags`: a key must have",
    );
    check(
        "await user.get('/', { tags: { a: '' } });",
        "`tags`.a must have",
    );
    check(
        "await user.get('/', { tags: { a: {} } });",
        "`tags`.a must be a string, number or boolean",
    );
    check(
        "await user.get('/', { tags: 'a' });",
        "`tags` must be an object, not string",
    );
    check(
        "user.tag('a{', 1);",
        "user.tag(key, value): the key must have",
    );
    check(
        "user.tag('a', 'x '.repeat(30));",
        "user.tag(key, value): the value must have",
    );
    check(
        "user.tag('a', null);",
        "the value must be a string, number or boolean, not null",
    );
}
