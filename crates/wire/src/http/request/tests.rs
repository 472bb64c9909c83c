use model::Side;

use super::*;

fn request(method: &str, url: &str) -> Request {
    Request::new(method.to_owned(), Arc::new(Url::parse(url).unwrap()))
}

fn encoded(request: &Request) -> String {
    let mut out = Vec::new();
    request.encode_into(None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_plain_get_carries_the_defaults() {
    let expected = format!(
        "GET /a%20b?x=1 HTTP/1.1\r\nHost: a.test:81\r\nUser-Agent: {USER_AGENT}\r\n\
         Accept: */*\r\nAccept-Encoding: gzip, br\r\n\r\n"
    );
    assert_eq!(
        encoded(&request("GET", "http://a.test:81/a b?x=1#part")),
        expected
    );
}

#[test]
fn the_host_is_written_as_in_the_url() {
    let check = |url: &str, host: &str| {
        let text = encoded(&request("GET", url));
        assert!(text.contains(&format!("\r\nHost: {host}\r\n")), "{text}");
    };
    check("http://a.test:80/", "a.test");
    check("https://a.test:443/", "a.test");
    check("http://[::1]:8080/", "[::1]:8080");
    check("http://127.0.0.1/", "127.0.0.1");
}

#[test]
fn own_headers_override_and_appear_once() {
    let mut request = request("POST", "http://a.test/");
    request.body = Body::json("{}");
    for (name, value) in [
        ("host", "other"),
        ("CONTENT-TYPE", "text/x"),
        ("accept-encoding", "identity"),
    ] {
        request.headers.push((name.into(), value.into()));
    }
    let text = encoded(&request).to_ascii_lowercase();
    for line in [
        "host: other",
        "content-type: text/x",
        "accept-encoding: identity",
        "content-length: 2",
    ] {
        let name = line.split(':').next().unwrap();
        assert_eq!(text.matches(&format!("\r\n{name}:")).count(), 1, "{text}");
        assert!(text.contains(line), "{text}");
    }
    assert!(text.ends_with("\r\n\r\n{}"));
}

#[test]
fn a_length_is_sent_where_a_body_is_expected() {
    let has_length = |method: &str| {
        encoded(&request(method, "http://a.test/")).contains("Content-Length: 0\r\n")
    };
    assert!(has_length("POST") && has_length("PUT") && has_length("PATCH"));
    assert!(!has_length("GET") && !has_length("DELETE") && !has_length("HEAD"));
}

#[test]
fn cookies_and_credentials_come_from_jar_and_url_unless_given() {
    let mut request = request("GET", "http://us%40er:p%3Aw@a.test/");
    let mut out = Vec::new();
    request.encode_into(Some("a=1; b=2"), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("\r\nCookie: a=1; b=2\r\n"));
    // `printf 'us@er:p:w' | base64`
    assert!(
        text.contains("\r\nAuthorization: Basic dXNAZXI6cDp3\r\n"),
        "{text}"
    );
    assert!(text.contains("\r\nHost: a.test\r\n"));
    request.headers.push(("cookie".into(), "own=1".into()));
    request
        .headers
        .push(("authorization".into(), "Bearer x".into()));
    let mut out = Vec::new();
    request.encode_into(Some("a=1"), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains("a=1") && !text.contains("Basic"), "{text}");
}

#[test]
fn what_would_break_the_framing_is_the_scripts_fault() {
    let refuses = |method: &str, name: &str, value: &str| {
        let mut request = request(method, "http://a.test/");
        request.headers.push((name.into(), value.into()));
        let mut out = Vec::new();
        let fault = request.encode_into(None, &mut out).err();
        fault.is_some_and(|fault| fault.side == Side::Script)
    };
    assert!(refuses("GET", "X-A", "1\r\nX-B: 2"));
    assert!(refuses("GET", "X-A", "1\nX"));
    assert!(refuses("GET", "X-A\r\nX-B", "1"));
    assert!(refuses("GET", "X A", "1"));
    assert!(refuses("GET", "", "1"));
    assert!(refuses("GET / HTTP/1.1\r\nX: 1\r\n\r\nGET", "X-A", "1"));
    assert!(refuses("POST", "Content-Length", "5"));
    assert!(refuses("POST", "Transfer-Encoding", "chunked"));
    assert!(!refuses("POST", "X-A", "any text, \"quoted\" — even this"));
    assert!(!refuses("POST", "Content-Length", "0"));
}
