//! Names and modules of the web and of Node that scenarios do not have: the error names the alternative.

#[path = "common/stage.rs"]
mod common;

use common::{story, try_stage};

fn fault_of(body: &str) -> String {
    let mut stage = story(body);
    stage.start(1);
    let fault = stage.fault();
    assert_eq!(fault.location.map(|place| place.line), Some(2), "{body}");
    fault.fault.detail
}

#[test]
fn calls_name_the_alternative() {
    for (code, alternative) in [
        ("await fetch('/')", "user.get(url)"),
        ("setTimeout(() => {}, 1)", "user.think(\"1s\")"),
        ("setInterval(() => {}, 1)", "user.every(\"1s\", fn)"),
        ("new XMLHttpRequest()", "user.get(url)"),
        ("new WebSocket('ws://a')", "user.websocket(url)"),
        ("require('fs')", "use `import`"),
        (
            "await crypto.subtle.digest('SHA-256', new Uint8Array(1))",
            "use `hash(algorithm, data)` from \"headcount\"",
        ),
        (
            "crypto.subtle.sign('HMAC')",
            "use `hmac(algorithm, key, data)` from \"headcount\"",
        ),
        ("crypto.subtle.encrypt()", "only `hash` and `hmac`"),
        ("globalThis.fetch('/')", "user.get(url)"),
        ("console.table([1])", "console.log"),
        ("console.time('a')", "user.step(name, fn)"),
        ("console.assert(false)", "check(name, ok)"),
        ("performance.mark('a')", "user.step(name, fn)"),
        ("crypto.createHash('md5')", "`hash(algorithm, data)`"),
        ("crypto.randomBytes(4)", "getRandomValues"),
    ] {
        let told = fault_of(code);
        assert!(
            told.starts_with("TypeError: ")
                && told.contains(" is not available in scenarios: ")
                && told.contains(alternative),
            "{code}: {told}"
        );
    }
}

#[test]
fn undefined_names_are_reported_with_the_alternative() {
    for (code, name, alternative) in [
        ("process.env.TOKEN", "process", "`env(name)`"),
        ("Buffer.from('a')", "Buffer", "Uint8Array"),
        ("localStorage.getItem('a')", "localStorage", "variable"),
        ("__dirname + '/a'", "__dirname", "csv(path)"),
        ("new FormData()", "FormData", "`multipart`"),
        ("new AbortController()", "AbortController", "`timeout`"),
        ("clearTimeout(1)", "clearTimeout", "no timers"),
        ("__ENV.TOKEN", "__ENV", "--env"),
        ("new Intl.NumberFormat()", "Intl", "toFixed"),
        ("sleep(1)", "sleep", "user.think(\"1s\")"),
        ("http.get('/')", "http", "user.get(url)"),
        ("open('a.csv')", "open", "csv(path)"),
        ("exec.vu.idInTest", "exec", "user.number"),
        ("new ReadableStream()", "ReadableStream", "response.body"),
        ("new SharedArray('a', () => [])", "SharedArray", "csv(path)"),
        ("indexedDB.open('a')", "indexedDB", "variable"),
    ] {
        let told = fault_of(code);
        let start = format!("ReferenceError: {name} is not available in scenarios: ");
        assert!(
            told.starts_with(&start) && told.contains(alternative),
            "{code}: {told}"
        );
    }
    assert_eq!(
        fault_of("nothing.at.all"),
        "ReferenceError: nothing is not defined"
    );
    assert_eq!(
        fault_of("toString.call(hasOwnProperty), constructors"),
        "ReferenceError: constructors is not defined"
    );
}

#[test]
fn names_of_headcount_that_are_not_in_scope_say_where_they_come_from() {
    for (code, origin) in [
        (
            "everyone()",
            "take it from the group: `export default async function scenario({ everyone }) {…}`",
        ),
        (
            "new Counter('a')",
            "write `import { Counter } from \"headcount\"`",
        ),
    ] {
        let told = fault_of(code);
        assert!(
            told.starts_with("ReferenceError: ") && told.ends_with(origin),
            "{told}"
        );
    }
}

#[test]
fn a_module_and_the_console_name_the_alternative_too() {
    let error = try_stage("\nconst token = process.env.TOKEN;\nexport default () => token;");
    let error = error.err().map(|error| error.to_string()).unwrap();
    assert!(
        error.contains("room.ts:2:") && error.contains("`env(name)`"),
        "{error}"
    );
    let mut stage = story("try { Buffer.from('a'); } catch (error) { console.log(error); }");
    stage.start(1);
    let told = stage.logged().join("\n");
    assert!(
        told.contains("Buffer is not available in scenarios: use Uint8Array"),
        "{told}"
    );
}

#[test]
fn libraries_can_find_out_where_they_run() {
    let mut stage = story(
        "console.log(typeof process, typeof Buffer, typeof window, typeof document, typeof localStorage, typeof module);\n\
         const { subtle } = crypto; const random = crypto.getRandomValues.bind(crypto); console.log(typeof subtle, typeof random);",
    );
    stage.start(1);
    assert_eq!(
        stage.logged(),
        [
            "undefined undefined undefined undefined undefined undefined",
            "object function"
        ]
    );
}

#[test]
fn imports_of_node_name_the_alternative() {
    for (module, alternative) in [
        ("fs", "csv(path)"),
        ("node:crypto", "hash, hmac"),
        ("axios", "user.get(url)"),
        ("k6/http", "headcount init"),
        ("lodash", "a path that begins with ./ or ../"),
    ] {
        let error = try_stage(&format!(
            "import x from '{module}';\nexport default () => x;"
        ));
        let error = error.err().map(|error| error.to_string()).unwrap();
        let start = format!("cannot import `{module}`: ");
        assert!(
            error.contains(&start) && error.contains(alternative),
            "{error}"
        );
        let mut stage = story(&format!("await import('{module}')"));
        stage.start(1);
        let told = stage.fault().fault.detail;
        assert!(
            told.contains(&start) && told.contains(alternative),
            "{told}"
        );
    }
}

#[test]
fn a_call_of_what_is_no_function_names_it_and_the_alternative() {
    for (code, told) in [
        (
            "const response = { json: {} }; response.json()",
            "TypeError: json is not a function: `response.json` is a value, not a call",
        ),
        (
            "await group.users[0].sleep(1)",
            "TypeError: sleep is not a function: use `await user.think(\"1s\")`",
        ),
        (
            "await group.get('/')",
            "TypeError: get is not a function: users have this call, and the argument of the scenario function is a group: \
             `group.users[0].get(…)`",
        ),
        (
            "const soup = {}; soup.stir()",
            "TypeError: stir is not a function",
        ),
        // What is called exists: its argument is no function.
        ("[1].map(5)", "TypeError: not a function"),
    ] {
        assert_eq!(fault_of(code), told, "{code}");
    }
}
