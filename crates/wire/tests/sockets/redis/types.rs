use super::*;

#[test]
fn every_type_of_the_protocol_is_read() {
    let server = Server::start(&[]);
    let mut client = server.client();
    // The expected values are those in the server's source, `debugCommand`.
    for (kind, expected) in [
        ("string", "Hello World"),
        ("integer", "12345"),
        ("double", "3.141"),
        ("null", "null"),
        ("array", "[0 1 2]"),
        ("set", "{0 1 2}"),
        ("map", "map[0 false 1 true 2 false]"),
        (
            "attrib",
            "|key-popularity [key:123 90]| Some real reply following the attribute",
        ),
        ("true", "true"),
        ("false", "false"),
        ("verbatim", "txt:This is a verbatim\nstring"),
        ("bignum", "(1234567999999999999999999999999999999"),
    ] {
        assert_eq!(
            client.call(&format!("DEBUG PROTOCOL {kind}")),
            expected,
            "{kind}"
        );
    }
    client.send(1, &[b"DEBUG", b"PROTOCOL", b"push"]);
    assert_eq!(client.pushed(1), ["server-cpu-usage 42"]);
    // The command itself has a reply too.
    assert_eq!(client.take(1)[0].0, 1);
}

#[test]
fn numbers_nesting_and_errors_of_commands_are_read() {
    let server = Server::start(&[]);
    let mut client = server.client();
    assert_eq!(client.call("ZADD z 1.5 a inf b -inf c"), "3");
    assert_eq!(
        client.call("ZRANGE z 0 -1 WITHSCORES"),
        "[[c -inf] [a 1.5] [b inf]]"
    );
    assert_eq!(client.call("HSET h f v"), "1");
    assert_eq!(client.call("HGETALL h"), "map[f v]");
    assert_eq!(client.call("SADD s x"), "1");
    assert_eq!(client.call("SMEMBERS s"), "{x}");
    assert_eq!(client.call("GET nothing"), "null");
    assert!(client.call("INCR h").starts_with("error WRONGTYPE "));
    assert!(
        client
            .call("NONSENSE")
            .starts_with("error ERR unknown command")
    );
    // The deepest reply of the server itself.
    assert!(client.call("COMMAND DOCS").contains("summary"));
    let nested = "return {1,{2,{3,{4,{5,{6,{7,{8}}}}}}}}";
    client.send(1, &[b"EVAL", nested.as_bytes(), b"0"]);
    assert_eq!(client.take(1)[0].1, "[1 [2 [3 [4 [5 [6 [7 [8]]]]]]]]");
}

#[test]
fn the_official_client_reads_what_we_wrote() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let value = "line\r\nline \u{e9} \"quoted\"";
    client.send(1, &[b"SET", b"key", value.as_bytes()]);
    assert_eq!(client.take(1)[0].1, "OK");
    assert_eq!(server.cli(&["--raw", "GET", "key"]), value);
    assert_eq!(server.cli(&["SET", "theirs", "x y"]), "OK");
    assert_eq!(client.call("GET theirs"), "x y");
    assert!(
        server
            .cli(&["--raw", "INFO", "server"])
            .contains(&format!("redis_version:{}", client.version))
    );
}
