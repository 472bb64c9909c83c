//! Tables of refused options. Columns: the options as JSON, the beginning of the problem, the reason. `\n` is a line
//! break.

use serde_json::{Value, json};

use super::problems;

/// Each row gets a load of one user, unless it has its own.
fn check(table: &str) {
    for row in table.lines().filter(|row| !row.trim().is_empty()) {
        let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
        let [given, expected, why] = cells[..] else {
            panic!("three cells: {row}")
        };
        let given: Value = serde_json::from_str(given).unwrap_or_else(|e| panic!("{given}: {e}"));
        let mut options = json!({ "load": { "users": 1 } });
        for (key, value) in given.as_object().expect("an object") {
            options[key] = value.clone();
        }
        let found = problems(&options);
        assert_eq!(found.len(), 1, "{why}: {found:?}");
        assert!(
            found[0].starts_with(&expected.replace(r"\n", "\n")),
            "{why}: {}",
            found[0]
        );
    }
}

#[test]
fn loads_that_make_no_sense() {
    check(
        r#"
{ "load": {} }                                    | load: needs `users`, `groups` or `rate` | no load
{ "load": 5 }                                     | load: expected an object, got 5 | a number is no load
{ "load": { "users": 0 } }                        | load.users: must be 1 to 1,000,000, got 0 | nobody
{ "load": { "users": -3 } }                       | load.users: must be 1 to 1,000,000, got -3 | fewer than nobody
{ "load": { "users": 1.5 } }                      | load.users: expected a whole number, got 1.5 | half a person
{ "load": { "users": null } }                     | load.users: expected a whole number, got null | NaN
{ "load": { "users": 1000001 } }                  | load.users: must be 1 to 1,000,000 | too many
{ "load": { "users": 1e300 } }                    | load.users: must be 1 to 1,000,000 | far too many
{ "load": { "users": [] } }                       | load.users: is an empty list | no level
{ "load": { "users": 1, "groups": 1 } }           | load.groups: cannot be combined with | twice
{ "load": { "users": 1, "duration": 0 } }             | load.duration: must be more than zero | no time
{ "load": { "users": 1, "duration": "-1s" } }         | load.duration: expected a duration such as | negative
{ "load": { "users": 1, "duration": "10" } }          | load.duration: "10" has no unit: write `10ms` or `10s` | ambiguous
{ "load": { "users": 1, "ramp": "31 d" } }        | load.ramp: unknown unit in "31 d" | days
{ "load": { "users": 1, "warmup": 1e30 } }        | load.warmup: expected 0 to 30 days | a very long time
{ "load": { "users": 1, "limit": "1s" } }         | load.limit: applies only with `once: true` | no once
{ "load": { "users": 1, "once": 1 } }             | load.once: expected true or false, got 1 | not a flag
{ "load": { "users": 1, "once": true, "duration": "1s" } }   | load.duration: cannot be combined with `once: true` | ends by itself
{ "load": { "users": 1, "once": true, "ramp": "1s" } }   | load.ramp: cannot be combined with `once: true` | starts together
{ "load": { "users": 1, "once": true, "warmup": "1s" } } | load.warmup: cannot be combined with `once: true` | one iteration
"#,
    );
    let found = problems(&json!({ "load": { "users": vec![1; 65] } }));
    assert_eq!(found, ["load.users: has 65 levels, more than 64"]);
}

#[test]
fn values_that_make_no_sense() {
    check(
        r#"
{ "users": 5 }                                    | users: unknown option\n  hint: did you mean `load.users`? | misplaced
{ "vus": 5 }                                      | vus: unknown option\n  hint: did you mean `load.users`? | k6's word
{ "max_message": 5 }                              | max_message: unknown option\n  hint: did you mean `maxMessage`? | another spelling
{ "deadline": 0 }                                 | deadline: must be more than zero | nothing could be in time
{ "deadline": null }                              | deadline: expected a duration such as `2s` or a number of milliseconds, got null | NaN
{ "redirects": 101 }                              | redirects: must be 0 to 100, got 101 | for ever
{ "maxMessage": 0 }                               | maxMessage: must be 1 to | nothing could arrive
{ "maxMessage": "5GB" }                           | maxMessage: must be 1 to | a mistake
{ "insecure": "yes" }                             | insecure: expected true or false, got "yes" | not a flag
{ "ca": "" }                                      | ca: expected the path of a file | nothing
{ "cert": "own.pem" }                             | key: is missing: a client certificate needs `cert` and `key` | half of it
{ "key": "own.key" }                              | cert: is missing: a client certificate needs `cert` and `key` | half of it
{ "cert": 1, "key": "own.key" }                   | cert: expected | not a path
{ "seed": -1 }                                    | seed: expected a whole number from 0, got -1 | negative
{ "seed": 1e300 }                                 | seed: expected a whole number from 0 | beyond its digits
{ "timeouts": { "firstByte": "31s" } }            | timeouts.firstByte: 31 s is longer than `timeouts.total`, 30 s | would never end it
{ "timeouts": { "total": 0 } }                    | timeouts.total: must be more than zero | nothing could answer
{ "timeouts": { "first_byte": 1 } }               | timeouts.first_byte: unknown option\n  hint: did you mean `firstByte`? | spelling
{ "script": { "memory": "1kB" } }                 | script.memory: must be 1000000 to | no room
{ "leftovers": { "url": "/s" } }                  | leftovers.at: is missing | where to look
{ "leftovers": { "url": "s", "at": "/n" } }       | leftovers.url: "s" has no scheme | neither path nor URL
{ "leftovers": { "url": "/s", "at": "open" } }    | leftovers.at: expected a JSON pointer | no slash
{ "leftovers": { "url": "/s", "at": "/~2" } }     | leftovers.at: expected a JSON pointer | no such escape
"#,
    );
}

#[test]
fn groups_that_cannot_be_formed() {
    check(
        r#"
{ "group": 0 }                                    | group: must be 1 to | nobody
{ "group": "5" }                                  | group: expected a number of users or roles | a text
{ "group": 5, "load": { "users": 3 } }            | load.users: 3 users cannot be divided into groups of 5\n  hint: nearest possible numbers: 5 | none below
{ "group": 5, "load": { "users": [5, 13] } }      | load.users[1]: 13 users cannot be divided into groups of 5\n  hint: nearest possible numbers: 10 and 15 | remainder
{ "group": 1000, "load": { "groups": 1001 } }     | load.groups: 1001 groups of 1000 are more than 1,000,000 users | too many
{ "groups": 4, "load": { "users": 3 } }           | load.users: 3 users cannot fill 4 groups | an empty group
{ "groups": 4, "load": { "groups": 3 } }          | load.groups: 3 groups, but `groups` already sets the number of groups | twice
{ "group": 2, "groups": 2, "load": { "users": 2 } } | groups: cannot be combined with `group` | twice
"#,
    );
}

#[test]
fn roles_that_a_script_could_not_use() {
    check(
        r#"
{ "group": { "users": 1 } }                       | group.users: role `users` has the same name as a property | a member of every group
{ "group": { "then": 1 } }                        | group.then: role `then` has a special meaning in JavaScript | would be awaited
{ "group": { "class": 1 } }                       | group.class: role `class` has a special meaning in JavaScript | cannot be destructured
{ "group": { "sales man": 1 } }                   | group["sales man"]: role "sales man" is not an identifier | a space
{ "group": { "2nd": 1 } }                         | group.2nd: role "2nd" is not an identifier | a digit in front
{ "group": { "": 1 } }                            | group[""]: role "" is not an identifier | nothing
{ "group": {} }                                   | group: has no roles | empty
{ "group": { "a": 0 } }                           | group.a: must be 1 to | nobody plays it
{ "group": { "a": 600000, "b": 600000 } }         | group: has 1200000 users, more than 1,000,000 | too many together
"#,
    );
}

#[test]
fn targets_that_nothing_can_be_sent_to() {
    check(
        r#"
{ "target": "localhost:5000" }                    | target: "localhost:5000" has no scheme\n  hint: write `http://localhost:5000` | no scheme
{ "target": "ws://h:1/x" }                        | target: scheme `ws` is not http or https\n  hint: write `http://h:1/x` | WebSocket
{ "target": "wss://h" }                           | target: scheme `wss` is not http or https\n  hint: write `https://h` | WebSocket
{ "target": "file:///etc/passwd" }                | target: unknown scheme "file"; expected one of: http, https, nats, tls, redis, rediss | a file
{ "target": "http://" }                           | target: "http://" has no valid host | no host
{ "target": "http://:80" }                        | target: "http://:80" has no valid host | no host
{ "target": "http://h:" }                         | target: "http://h:" has no valid host | no port
{ "target": "http://h:0" }                        | target: "http://h:0" has no valid host | port 0
{ "target": "http://h:99999" }                    | target: "http://h:99999" has no valid host | port too large
{ "target": "http://h:+80" }                      | target: "http://h:+80" has no valid host | sign
{ "target": "http://[::1" }                       | target: "http://[::1" has no valid host | open bracket
{ "target": "http://[::1]x" }                     | target: "http://[::1]x" has no valid host | behind the bracket
{ "target": "http://h x" }                        | target: a URL cannot contain ' ' | space
{ "target": "http://h?a=1" }                      | target: "http://h?a=1" has a query or a fragment | query
{ "target": "http://h/#a" }                       | target: "http://h/#a" has a query or a fragment | fragment
"#,
    );
}

#[test]
fn headers_that_would_smuggle_others_in() {
    check(
        r#"
{ "headers": { "X-A": "1\r\nX-B: 2" } }           | headers["X-A"]: has the control character '\r' | a line break
{ "headers": { "X A": "1" } }                     | headers["X A"]: "X A" is not the name of a header | a space
{ "headers": { "": "1" } }                        | headers[""]: "" is not the name of a header | nothing
{ "headers": { "Content-Length": "1" } }          | headers["Content-Length"]: headcount sets `Content-Length` itself | framing
{ "headers": { "X-A": 1 } }                       | headers["X-A"]: expected a string, got 1 | a number
{ "headers": { "x-a": "1", "X-A": "2" } }         | headers["X-A"]: is given twice | case
"#,
    );
}

#[test]
fn thresholds_are_reported_with_key_place_and_caret() {
    check(
        r#"
{ "thresholds": { "delivery(said)": ["lost == 0", "p95 < 100"] } } | thresholds["delivery(said)"][1]: expected a duration such as `100ms`, got `100`\n    p95 < 100\n          ^^^\n  hint: | no unit
{ "thresholds": { "request": "p95 < 1s" } }       | thresholds.request: unknown subject | no name
{ "thresholds": { "http_req_duration": "p95 < 1s" } } | thresholds.http_req_duration: unknown subject\n    http_req_duration\n    ^^^^^^^^^^^^^^^^^\n  hint: did you mean `requests`? | k6's word
{ "thresholds": { "requests": "p(95) < 1s" } }    | thresholds.requests: unknown aggregate `p(95)`\n    p(95) < 1s\n    ^^^^^\n  hint: did you mean `p95`? | k6's word
{ "load": { "users": 1, "vus": 5 } }              | load.vus: unknown option\n  hint: did you mean `users`? | k6's word
{ "thresholds": { "steps": [] } }                 | thresholds.steps: is an empty list | nothing
{ "thresholds": { "steps": [5] } }                | thresholds.steps[0]: expected a threshold | a number
{ "thresholds": ["p95 < 1s"] }                    | thresholds: expected an object, got a list | no subject
"#,
    );
}
