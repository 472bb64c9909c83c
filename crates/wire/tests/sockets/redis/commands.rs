use model::FaultKind;

use super::*;

#[test]
fn a_client_logs_in_with_a_name_and_a_database() {
    let ada = ["--user", "ada", "on", ">secret", "~*", "&*", "+@all"];
    let server = Server::start(&[&["--requirepass", "pw"], ada.as_slice()].concat());
    let fault = server.login(&Login::default()).err().unwrap();
    assert_eq!(fault.kind, FaultKind::Denied);
    assert!(fault.detail.contains("NOAUTH"), "{fault}");
    let with = |user: Option<&str>, password: &str, database| Login {
        user: user.map(str::to_owned),
        password: Some(password.to_owned()),
        name: Some("bob".into()),
        database,
    };
    let fault = server.login(&with(None, "wrong", 0)).err().unwrap();
    assert!(
        fault.kind == FaultKind::Denied && fault.detail.contains("WRONGPASS"),
        "{fault}"
    );
    let fault = server.login(&with(None, "pw", 99)).err().unwrap();
    assert!(
        fault.kind == FaultKind::Denied && fault.detail.contains("out of range"),
        "{fault}"
    );
    let mut client = server.login(&with(None, "pw", 3)).unwrap();
    assert_eq!(client.call("ACL WHOAMI"), "default");
    let info = client.call("CLIENT INFO");
    assert!(
        info.contains(" name=bob ") && info.contains(" db=3 ") && info.contains(" resp=3"),
        "{info}"
    );
    let mut ada = server.login(&with(Some("ada"), "secret", 0)).unwrap();
    assert_eq!(ada.call("ACL WHOAMI"), "ada");
}

#[test]
fn a_pipeline_has_its_replies_in_order() {
    const COUNT: u64 = 5000;
    let server = Server::start(&[]);
    let mut client = server.client();
    for token in 0..COUNT {
        client.send(token, &[b"INCR", b"n"]);
    }
    assert_eq!(client.session.in_flight() as u64, COUNT);
    let replies = client.take(usize::try_from(COUNT).unwrap());
    let expected: Vec<_> = (0..COUNT)
        .map(|token| (token, (token + 1).to_string()))
        .collect();
    assert_eq!(replies, expected);
    assert_eq!(client.session.in_flight(), 0);
}

#[test]
fn large_values_pass_in_many_reads() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let value: Vec<u8> = (b' '..=b'~').cycle().take(3_000_000).collect();
    client.send(1, &[b"SET", b"k", &value]);
    client.send(2, &[b"GET", b"k"]);
    client.send(3, &[b"MGET", b"k", b"none", b"k"]);
    let replies = client.take(3);
    let value = String::from_utf8(value).unwrap();
    assert!(replies[1].1 == value);
    assert!(replies[2].1 == format!("[{value} null {value}]"));
}

#[test]
fn transactions_blocking_commands_and_scripts_have_one_reply_each() {
    let server = Server::start(&[]);
    let mut client = server.client();
    let calls = [
        ("MULTI", "OK"),
        ("SET a 1", "QUEUED"),
        ("INCR a", "QUEUED"),
        ("EXEC", "[OK 2]"),
        ("RPUSH l x", "1"),
        ("BLPOP l 1", "[l x]"),
        ("BLPOP l 0.01", "null"),
        ("EVAL return{err='MINE'} 0", "error MINE"),
    ];
    for (command, expected) in calls {
        assert!(client.call(command).starts_with(expected), "{command}");
    }
}

#[test]
fn a_group_of_consumers_shares_a_stream() {
    let server = Server::start(&[]);
    let mut client = server.client();
    assert_eq!(client.call("XGROUP CREATE s g 0 MKSTREAM"), "OK");
    for id in 1..=3 {
        assert_eq!(
            client.call(&format!("XADD s {id}-0 field value{id}")),
            format!("{id}-0")
        );
    }
    let read = |consumer: &str| format!("XREADGROUP GROUP g {consumer} COUNT 2 STREAMS s >");
    assert_eq!(
        client.call(&read("ada")),
        "map[s [[1-0 [field value1]] [2-0 [field value2]]]]"
    );
    assert_eq!(client.call(&read("bob")), "map[s [[3-0 [field value3]]]]");
    assert_eq!(client.call(&read("bob")), "null");
    assert_eq!(client.call("XACK s g 1-0 3-0"), "2");
    assert_eq!(client.call("XPENDING s g"), "[1 2-0 2-0 [[ada 1]]]");
    assert_eq!(
        client.call("XAUTOCLAIM s g bob 0 0"),
        "[0-0 [[2-0 [field value2]]] []]"
    );
    let info = client.call("XINFO STREAM s FULL");
    assert!(
        info.contains("entries-added 3") && info.contains("pel-count 1"),
        "{info}"
    );
}
