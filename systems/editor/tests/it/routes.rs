//! Plain HTTP requests.

use std::fs;

use crate::served::{Served, e2e};

#[test]
fn what_is_no_route_is_the_page_by_any_method_as_in_the_original() {
    let editor = Served::start(&[]);
    // The original had no `/health` and served the page there.
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/health"),
        ("GET", "/editor/some-room"),
        ("POST", "/health"),
        ("DELETE", "/anything/else"),
    ] {
        let answer = editor.ask(method, path);
        assert!(
            answer.starts_with("HTTP/1.1 200"),
            "{method} {path}: {answer}"
        );
        assert!(
            answer.contains("content-type: text/html") && answer.contains("<div id=\"page\">"),
            "{method} {path}: {answer}"
        );
    }
    assert_eq!(editor.get("/healthz")["status"], "ok");
}

#[test]
fn the_official_client_is_served_where_the_official_server_serves_it() {
    let editor = Served::start(&[]);
    let official = fs::read_to_string(
        e2e().join("../systems/editor/page/node_modules/socket.io-client/dist/socket.io.min.js"),
    );
    let (official, _) = official.as_ref().unwrap().split_once("//# source").unwrap();
    for (path, words) in [
        ("/socket.io/socket.io.js", official),
        ("/socket.io/socket.io.min.js", official),
        ("/socket.io/socket.io.esm.min.js", "export{"),
    ] {
        let answer = editor.ask("GET", path);
        assert!(answer.contains("content-type: text/javascript"), "{path}");
        assert!(answer.contains(words), "{path}");
    }
}
