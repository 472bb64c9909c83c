//! `URL` and `URLSearchParams`, compared with tables of the WHATWG URL standard and its tests.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "common/stage.rs"]
mod common;

use common::story;
use serde_json::{Value, json};

/// Evaluates an expression for each item of a list.
fn each(list: &Value, expression: &str) -> Vec<Value> {
    let mut stage = story(&format!(
        "for (const item of {list}) {{ let told; try {{ told = {expression}; }} catch (error) {{ told = error.name; }}\n\
         console.log(JSON.stringify(told)); }}"
    ));
    stage.start(1);
    stage.ends_well();
    let read = |line: &String| serde_json::from_str(line).unwrap();
    stage.logged().iter().map(read).collect()
}

/// Evaluates an expression.
fn value(expression: &str) -> Value {
    let mut stage = story(&format!("console.log(JSON.stringify({expression}));"));
    stage.start(1);
    stage.ends_well();
    serde_json::from_str(&stage.logged()[0]).unwrap()
}

const BASE: &str = "http://example.org/foo/bar";

#[test]
fn urls_are_parsed_like_in_a_browser() {
    let cases = [
        // Relative to the base
        ("", BASE, Some("http://example.org/foo/bar")),
        ("http:foo.com", BASE, Some("http://example.org/foo/foo.com")),
        ("\\x", BASE, Some("http://example.org/x")),
        ("../../a/./b", BASE, Some("http://example.org/a/b")),
        ("/a/%2e%2E/c", BASE, Some("http://example.org/c")),
        ("//x:81/y", "https://a/", Some("https://x:81/y")),
        ("?q#h", BASE, Some("http://example.org/foo/bar?q#h")),
        ("#β", BASE, Some("http://example.org/foo/bar#%CE%B2")),
        ("http://example\t.\norg", BASE, Some("http://example.org/")),
        (
            "file:c:\\foo\\bar",
            "file:///a/b",
            Some("file:///c:/foo/bar"),
        ),
        ("x", "mailto:a@b", None),
        ("x", "no base", None),
        // Absolute
        (" http://a/ ", "", Some("http://a/")),
        ("HTTP://ExAmPlE.CoM", "", Some("http://example.com/")),
        ("http://foo.com:80/", "", Some("http://foo.com/")),
        ("https://test:@test", "", Some("https://test@test/")),
        ("http://192.0x00A80001", "", Some("http://192.168.0.1/")),
        ("http://[::127.0.0.1]", "", Some("http://[::7f00:1]/")),
        ("http://Ｇｏ.com", "", Some("http://go.com/")),
        ("http://你好你好", "", Some("http://xn--6qqa088eba/")),
        (
            "http://a/foo bar%7a?\"'<>",
            "",
            Some("http://a/foo%20bar%7a?%22%27%3C%3E"),
        ),
        ("non-special://a/?'", "", Some("non-special://a/?'")),
        (
            "data:text/html,test#test",
            "",
            Some("data:text/html,test#test"),
        ),
        // Failures
        ("", "", None),
        ("/relative", "", None),
        ("http://f:c/b", "", None),
        ("http://f:65536/c", "", None),
        ("http://a b/", "", None),
        ("http://a<b", "", None),
        ("http://256.256.256.256", "", None),
        ("http://[1::2]:3:4", "", None),
        ("http://user@/www.example.com", "", None),
    ];
    let inputs = cases.map(|(url, base, _)| {
        if base.is_empty() {
            json!([url])
        } else {
            json!([url, base])
        }
    });
    let expected = cases.map(|(.., href)| json!(href.unwrap_or("TypeError")));
    assert_eq!(each(&json!(inputs), "new URL(...item).href"), expected);
    let valid = cases.map(|(.., href)| json!(href.is_some()));
    assert_eq!(each(&json!(inputs), "URL.canParse(...item)"), valid);
    assert_eq!(each(&json!(inputs), "URL.parse(...item) !== null"), valid);
}

#[test]
fn the_parts_of_a_url_are_properties() {
    let parts = "(({ origin, protocol, username, password, host, hostname, port, pathname, search, hash }) => \
        [origin, protocol, username, password, host, hostname, port, pathname, search, hash])(new URL(item))";
    let cases = json!([
        "http://user:p%40ss@foo:21/bar;par?b#c",
        "https://a/?#",
        "data:text/html,test#x",
        "blob:https://example.com:443/",
        "file:///C:/x",
    ]);
    assert_eq!(
        each(&cases, parts),
        [
            json!([
                "http://foo:21",
                "http:",
                "user",
                "p%40ss",
                "foo:21",
                "foo",
                "21",
                "/bar;par",
                "?b",
                "#c"
            ]),
            json!(["https://a", "https:", "", "", "a", "a", "", "/", "", ""]),
            json!([
                "null",
                "data:",
                "",
                "",
                "",
                "",
                "",
                "text/html,test",
                "",
                "#x"
            ]),
            json!([
                "https://example.com",
                "blob:",
                "",
                "",
                "",
                "",
                "",
                "https://example.com:443/",
                "",
                ""
            ]),
            json!(["null", "file:", "", "", "", "", "", "/C:/x", "", ""]),
        ]
    );
}

/// A URL, the part that is set, its new value, and the resulting `href`.
const SET: &str = r"
| http://example.net | protocol | https:foo : bar | https://example.net/ |
| http://example.net | protocol | b | http://example.net/ |
| file:///x | protocol | http | file:///x |
| http://:secret@example.net | username | me | http://me:secret@example.net/ |
| file:///x | username | me | file:///x |
| http://example.net | password | secret | http://:secret@example.net/ |
| http://me:secret@example.net | password |  | http://me@example.net/ |
| http://example.net:8080 | host | example.com | http://example.com:8080/ |
| http://example.net | host | example.com:8080 | http://example.com:8080/ |
| http://example.net | host |  | http://example.net/ |
| mailto:me@example.net | host | example.com | mailto:me@example.net |
| http://example.net:8080 | hostname | example.com | http://example.com:8080/ |
| http://example.net:8080 | port |  | http://example.net/ |
| http://example.net:8080 | port | 80 | http://example.net/ |
| http://example.net/path | port | 8080stuff2 | http://example.net:8080/path |
| http://example.net:8080 | port | 65536 | http://example.net:8080/ |
| file://test/ | port | 12 | file://test/ |
| unix:/run/a?t=1 | pathname | /var/log/../b | unix:/var/b?t=1 |
| http://example.net | pathname | ?# | http://example.net/%3F%23 |
| mailto:me@example.net | pathname | /a | mailto:me@example.net |
| https://example.net#nav | search | lang=fr | https://example.net/?lang=fr#nav |
| https://example.net | search | ??lang=fr | https://example.net/??lang=fr |
| https://example.net/?a#b | search |  | https://example.net/#b |
| https://example.net#nav | hash | home | https://example.net/#home |
| https://example.net#nav | hash |  | https://example.net/ |
| https://example.net | href | http://a/b | http://a/b |
| https://example.net | href | no URL | TypeError |
";

#[test]
fn parts_are_set_like_in_a_browser() {
    let rows = SET.lines().filter(|line| !line.is_empty());
    let cases: Vec<Vec<&str>> = rows
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let inputs: Vec<Value> = cases.iter().map(|row| json!(row[1..4])).collect();
    let expected: Vec<Value> = cases.iter().map(|row| json!(row[4])).collect();
    let set =
        "(() => { const url = new URL(item[0]); url[item[1]] = item[2]; return url.href; })()";
    assert_eq!(each(&json!(inputs), set), expected);
}

#[test]
fn a_url_is_text_where_text_is_needed() {
    let told = value(
        "[`${new URL('/x', 'http://a')}`, { url: new URL('http://b?c') }, new URL(new URL('http://d')).href]",
    );
    assert_eq!(
        told,
        json!(["http://a/x", { "url": "http://b/?c" }, "http://d/"])
    );
    let mut stage =
        story("console.log(new URL('http://a'), new URLSearchParams('b=c'));\nnew URL('no URL');");
    stage.start(1);
    assert_eq!(
        stage.logged(),
        ["URL { href: \"http://a/\" } URLSearchParams { b: \"c\" }"]
    );
    let fault = stage.fault();
    assert_eq!(
        fault.fault.detail,
        "TypeError: Invalid URL \"no URL\": relative URL without a base"
    );
    assert_eq!(fault.location.map(|place| place.line), Some(3));
}

#[test]
fn queries_are_parsed_and_written_like_in_a_browser() {
    let cases = [
        ("a=b&a=c", json!([["a", "b"], ["a", "c"]]), "a=b&a=c"),
        ("?a=b", json!([["a", "b"]]), "a=b"),
        ("??a=b", json!([["?a", "b"]]), "%3Fa=b"),
        (
            "&a&&& &a+b=c%20d",
            json!([["a", ""], [" ", ""], ["a b", "c d"]]),
            "a=&+=&a+b=c+d",
        ),
        ("=b&a==c", json!([["", "b"], ["a", "=c"]]), "=b&a=%3Dc"),
        (
            "a=%ff&b=%C3%BC&c=%zz%",
            json!([["a", "\u{fffd}"], ["b", "ü"], ["c", "%zz%"]]),
            "a=%EF%BF%BD&b=%C3%BC&c=%25zz%25",
        ),
        (
            "😀=~'!()*-._",
            json!([["😀", "~'!()*-._"]]),
            "%F0%9F%98%80=%7E%27%21%28%29*-._",
        ),
        ("", json!([]), ""),
    ];
    let inputs = json!(cases.clone().map(|(text, ..)| text));
    let pairs = cases.clone().map(|(_, pairs, _)| pairs);
    let written = cases.map(|(.., text)| json!(text));
    assert_eq!(each(&inputs, "[...new URLSearchParams(item)]"), pairs);
    assert_eq!(each(&inputs, "`${new URLSearchParams(item)}`"), written);
}

#[test]
fn queries_are_made_from_objects_lists_and_queries() {
    let list = "[{ a: 1, b: 'x y' }, [['a', 1], ['a', 2]], new Map([['m', true]]), new URLSearchParams('q=1'), undefined, null, 5, '\\uD800']";
    let told = value(&format!(
        "{list}.map((init) => `${{new URLSearchParams(init)}}`)"
    ));
    assert_eq!(
        told,
        json!([
            "a=1&b=x+y",
            "a=1&a=2",
            "m=true",
            "q=1",
            "",
            "",
            "5=",
            "%EF%BF%BD="
        ])
    );
    assert_eq!(
        each(
            &json!([[["a"]], [["a", "b", "c"]]]),
            "new URLSearchParams(item)"
        ),
        ["TypeError"; 2]
    );
}

#[test]
fn queries_are_changed_by_name() {
    for (change, text) in [
        ("p.append('a', 4)", "a=1&b=2&a=3&a=4"),
        ("p.delete('a')", "b=2"),
        ("p.delete('a', '3')", "a=1&b=2"),
        ("p.delete('a', undefined)", "b=2"),
        ("p.set('a', 9)", "a=9&b=2"),
        ("p.set('c', 9)", "a=1&b=2&a=3&c=9"),
        ("p.sort()", "a=1&a=3&b=2"),
        ("for (const [name] of p) p.delete(name)", "b=2"),
    ] {
        let told = value(&format!(
            "(() => {{ const p = new URLSearchParams('a=1&b=2&a=3'); {change}; return `${{p}}`; }})()"
        ));
        assert_eq!(told, text, "{change}");
    }
    let asked = "(p => [p.get('a'), p.get('x'), p.getAll('a'), p.has('b'), p.has('b', '3'), p.has('a', '3'), p.size, \
        [...p.keys()], [...p.values()]])(new URLSearchParams('a=1&b=2&a=3'))";
    assert_eq!(
        value(asked),
        json!([
            "1",
            null,
            ["1", "3"],
            true,
            false,
            true,
            3,
            ["a", "b", "a"],
            ["1", "2", "3"]
        ])
    );
    let order = "(p => { p.sort(); const told = []; p.forEach((value, name) => told.push(name + value)); return told; })\
        (new URLSearchParams('ﬃ=1&z=2&🌈=3&z=1'))";
    assert_eq!(
        value(order),
        json!(["z2", "z1", "🌈3", "ﬃ1"]),
        "by code units"
    );
}

#[test]
fn a_url_and_its_query_change_together() {
    let told = value(
        "(() => { const url = new URL('http://a/?b=c d#e'); const p = url.searchParams; const told = [p === url.searchParams];\n\
         p.append('f', 'ü'); told.push(url.href); p.delete('b'); p.delete('f'); told.push(url.href);\n\
         url.search = 'x=1'; told.push(p.get('x')); url.href = 'http://h/?y=2'; told.push(`${p}`); return told; })()",
    );
    assert_eq!(
        told,
        json!([
            true,
            "http://a/?b=c+d&f=%C3%BC#e",
            "http://a/#e",
            "1",
            "y=2"
        ])
    );
}
