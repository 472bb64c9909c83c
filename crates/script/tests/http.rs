//! HTTP requests and responses.

#[path = "common/stage.rs"]
mod common;

use common::{Call, Stage, reply, story};
use model::{Fault, FaultKind, Nanos, Side};
use script::host::{Body, HttpCall, Part};

fn request(body: &str) -> HttpCall {
    let mut stage = story(body);
    stage.start(1);
    let mut calls = stage.take_calls();
    match calls.pop() {
        Some(Call::Http(_, _, call)) => call,
        other => panic!("{other:?} {:?}", stage.ended()),
    }
}

fn refused(body: &str) -> String {
    let mut stage = story(body);
    stage.start(1);
    let fault = stage.fault();
    assert_eq!(
        fault.location.map(|place| place.line),
        Some(2),
        "{:?}",
        fault.fault
    );
    fault.fault.detail
}

fn answered(body: &str, status: u16, text: &str) -> Stage {
    let mut stage = story(body);
    stage.start(1);
    stage.answer_all(&reply(status, text));
    stage
}

#[test]
fn a_request_carries_all_its_options() {
    let call = request(
        r#"await user.post("/offers/:id/select", { params: { id: "a b" }, query: { q: "1&2", n: 3 }, json: { price: 1.5 },
            headers: { "X-A": "b" }, timeout: "2s", redirects: 0, expect: [404, 409] });"#,
    );
    assert_eq!(
        (&*call.method, call.name.as_str()),
        ("POST", "POST /offers/:id/select")
    );
    assert_eq!(call.url, "/offers/a%20b/select?q=1%262&n=3");
    let body = Body::Bytes {
        content_type: Some("application/json"),
        bytes: br#"{"price":1.5}"#.to_vec(),
    };
    assert_eq!(call.body, body);
    assert_eq!(call.headers, [("X-A".to_owned(), "b".to_owned())]);
    assert_eq!(call.timeout, Some(Nanos::from_secs(2)));
    assert_eq!((call.redirects, call.expect), (Some(0), vec![404, 409]));
    assert_eq!(call.planned, None);
}

#[test]
fn names_leave_out_the_query_and_keep_a_foreign_host() {
    assert_eq!(request("user.get('/a?b=1#c')").name, "GET /a");
    assert_eq!(
        request("user.delete('http://other:1/a?b')").name,
        "DELETE http://other:1/a"
    );
    assert_eq!(
        request("user.request('options', '/x', { name: 'mine' })").name,
        "mine"
    );
    assert_eq!(request("user.request('options', '/x')").method, "OPTIONS");
}

#[test]
fn bodies_of_every_kind() {
    let form = request("user.put('/', { form: { a: 'x', b: 2, c: true } })").body;
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        form,
        Body::Form(vec![pair("a", "x"), pair("b", "2"), pair("c", "true")])
    );
    let bytes = |source: &str| match request(source).body {
        Body::Bytes { bytes, .. } => bytes,
        other => panic!("{other:?}"),
    };
    assert_eq!(bytes("user.patch('/', { body: 'äß' })"), "äß".as_bytes());
    assert_eq!(
        bytes("user.post('/', { body: new Uint8Array([0, 255, 7]).subarray(1) })"),
        [255, 7]
    );
    assert_eq!(
        bytes("user.post('/', { body: new Uint8Array([0, 255]).buffer })"),
        [0, 255]
    );
    let multipart = request(
        "user.post('/', { multipart: { a: 'x', f: { content: new Uint8Array([1]), filename: 'f.bin', type: 'a/b' } } })",
    );
    let part = |name: &str, filename: Option<&str>, kind: Option<&str>, bytes: &[u8]| Part {
        name: name.to_owned(),
        filename: filename.map(str::to_owned),
        content_type: kind.map(str::to_owned),
        bytes: bytes.to_vec(),
    };
    let parts = vec![
        part("a", None, None, b"x"),
        part("f", Some("f.bin"), Some("a/b"), &[1]),
    ];
    assert_eq!(multipart.body, Body::Multipart(parts));
}

#[test]
fn wrong_options_are_refused_in_words() {
    let check = |body: &str, expected: &str| {
        let detail = refused(body);
        assert!(detail.contains(expected), "{detail}");
    };
    check(
        "await user.post('/', { jsn: {} })",
        "unknown option `jsn`, did you mean `json`?",
    );
    check(
        "await user.post('/', { json: {}, body: '' })",
        "only one of json, form",
    );
    check(
        "await user.get(undefined)",
        "the URL must be a string, not undefined",
    );
    check(
        "await user.get('/', { timeout: '5 days' })",
        "`timeout` must be a time",
    );
    check("await user.get('/:id')", "no `params` value for `:id`");
    check("await user.get('/', { expect: 4 })", "100 to 599, not 4");
    check("await user.get('/', 5)", "options must be an object");
    check(
        "await user.post('/', { json: user.get('/x') })",
        "is an `await` missing?",
    );
    check("await user.get('/\\uD800')", "half a surrogate pair");
}

#[test]
fn an_answer_is_looked_at_lazily() {
    let mut stage = answered(
        r#"const r = await user.get("/");
        console.log(r.status, r.ok, r.url, r.time, r.json.a[1], r.text, new Uint8Array(r.body)[0], r.headers["x-a"], r.headers["content-type"]);
        console.log(r.json === r.json, r.headers === r.headers);"#,
        201,
        r#"{"a":[1,"ü"]}"#,
    );
    stage.ends_well();
    assert_eq!(
        stage.logged(),
        [
            r#"201 true http://host/x 1.5 ü {"a":[1,"ü"]} 123 1, 2 application/json"#,
            "true true"
        ]
    );
}

#[test]
fn a_body_that_is_no_json_says_what_it_is() {
    let mut stage = answered(
        "const r = await user.get('/');\nr.json;",
        502,
        "<html>Bad Gateway",
    );
    let fault = stage.fault();
    assert!(
        fault.fault.detail.contains("status 502") && fault.fault.detail.contains("<html>"),
        "{fault}"
    );
    assert_eq!(fault.location.map(|place| place.line), Some(3));
    assert_eq!(fault.fault.side, Side::Target);
    let empty = answered("(await user.get('/')).json;", 204, "").fault();
    assert!(empty.fault.detail.contains("no body"), "{empty}");
    assert_eq!(empty.fault.side, Side::Script);
    let nested = "[".repeat(100_000);
    let nested = answered("(await user.get('/')).json;", 200, &nested).fault();
    assert_eq!(nested.fault.side, Side::Target, "{nested}");
}

#[test]
fn a_failed_transport_rejects_with_side_and_kind() {
    let mut stage = story(
        "try { await user.get('/'); } catch (e) { console.log(e instanceof Error, e.side, e.kind, e.message); }\nawait user.get('/b');",
    );
    stage.start(1);
    for _ in 0..2 {
        let op = stage.ops()[0].0;
        stage.fails(
            op,
            Fault::target(FaultKind::TimedOut, "no answer within 30 s"),
        );
    }
    assert_eq!(
        stage.logged(),
        ["true target timed_out no answer within 30 s"]
    );
    let fault = stage.fault();
    assert_eq!(
        (fault.fault.side, fault.fault.kind),
        (Side::Target, FaultKind::TimedOut)
    );
    assert_eq!(fault.fault.detail, "no answer within 30 s");
    assert_eq!(fault.user.map(|user| user.0), Some(100));
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

#[test]
fn a_failed_transport_names_the_line_that_awaited_it() {
    for (line, call) in [
        (2, "await user.get('/');"),
        (3, "const asked = user.get('/');\nawait asked;"),
        (3, "const go = () => user.get('/');\nawait go();"),
        (
            3,
            "await group.everyone(async (u) => {\n await u.get('/'); });",
        ),
        (2, "await group.together(users,\n (u) => u.get('/'));"),
        (3, "await\n user.step('ask', () => user.get('/'));"),
        (
            3,
            "await user.step('ask', async () => {\n await user.get('/'); });",
        ),
        (3, "await Promise.all([\n user.get('/')]);"),
        (
            5,
            "const ask = async () => {\n return user.get('/'); }; await\n\n ask();",
        ),
    ] {
        let mut stage = story(call);
        stage.start(1);
        let op = stage.ops()[0].0;
        stage.fails(op, Fault::target(FaultKind::Refused, "refused"));
        let fault = stage.fault();
        assert_eq!(fault.fault.kind, FaultKind::Refused, "{call}");
        assert_eq!(fault.location.map(|place| place.line), Some(line), "{call}");
    }
}

#[test]
fn a_failure_after_a_failed_transport_has_a_stack_of_its_own() {
    let mut stage = story(
        "await user.get('/').catch((e) => console.log(e.stack === undefined, Error.stackTraceLimit, Error.prepareStackTrace === undefined));\nthrow new Error('x');",
    );
    stage.start(1);
    let op = stage.ops()[0].0;
    stage.fails(op, Fault::target(FaultKind::Refused, "refused"));
    assert_eq!(stage.logged(), ["true 10 true"]);
    assert_eq!(stage.fault().location.map(|place| place.line), Some(3));
}

#[test]
fn what_the_engine_refuses_at_once_rejects_too() {
    let mut stage =
        story("await user.get('/').catch(e => console.log(e.kind)); user.header('bad name', 'x');");
    stage.host.borrow_mut().refuse = Some(Fault::script(FaultKind::NotAllowed, "no"));
    stage.start(1);
    assert_eq!(stage.logged(), ["not_allowed"]);
    stage.ends_well();
}

#[test]
fn headers_and_cookies_of_a_user() {
    let mut stage = story(
        "user.header('X-A', 'b'); user.header('X-A', undefined); console.log(user.cookie('sid'), user.cookie('no'));",
    );
    stage.start(1);
    let calls = format!("{:?}", stage.take_calls());
    assert!(
        calls.contains(r#"header 100 X-A=Some(\"b\")"#) && calls.contains("header 100 X-A=None"),
        "{calls}"
    );
    assert_eq!(stage.logged(), ["s1 undefined"]);
}

#[test]
fn urls_and_queries_of_the_web_are_accepted() {
    let call = request(
        "await user.get(new URL('/a?b=c', 'http://host'), { query: new URLSearchParams('d=1&d=2 3') });",
    );
    assert_eq!(call.url, "http://host/a?b=c&d=1&d=2%203");
    assert_eq!(call.name, "GET http://host/a");
    let form = request(
        "await user.post('/', { form: new URLSearchParams({ a: 'ü' }), query: new Map([['b', 5]]) });",
    );
    assert_eq!(
        form.body,
        Body::Form(vec![("a".to_owned(), "ü".to_owned())])
    );
    assert_eq!(form.url, "/?b=5");
    assert_eq!(request("await user.get('/', { query: {} });").url, "/");
    let told = refused("await user.get({ url: '/' });");
    assert!(
        told.contains("the URL must be a string, not object"),
        "{told}"
    );
    let told = refused("await user.get('/', { query: new Map([['a', {}]]) });");
    assert!(
        told.contains("query`.a must be a string, number or boolean"),
        "{told}"
    );
}
