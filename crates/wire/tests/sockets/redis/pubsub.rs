use super::*;

#[test]
fn published_messages_arrive_between_replies() {
    let server = Server::start(&[]);
    let (mut ada, mut bob) = (server.client(), server.client());
    ada.send(1, &[b"SUBSCRIBE", b"room:1", b"room:2"]);
    ada.send(2, &[b"PSUBSCRIBE", b"room:*"]);
    ada.send(3, &[b"PING"]);
    assert_eq!(
        ada.take(3),
        [
            (1, "confirmed".into()),
            (2, "confirmed".into()),
            (3, "PONG".into())
        ]
    );
    assert_eq!(
        ada.pushed(3),
        [
            "subscribe room:1 1",
            "subscribe room:2 2",
            "psubscribe room:* 3"
        ]
    );
    assert_eq!(bob.call("PUBLISH room:1 hello"), "2");
    assert_eq!(bob.call("PUBLISH room:3 x"), "1");
    assert_eq!(bob.call("PUBLISH other x"), "0");
    let messages = [
        "message room:1 hello",
        "pmessage room:* room:1 hello",
        "pmessage room:* room:3 x",
    ];
    assert_eq!(ada.pushed(3), messages);
    ada.send(4, &[b"UNSUBSCRIBE", b"room:1", b"never"]);
    ada.send(5, &[b"GET", b"nothing"]);
    assert_eq!(ada.take(2), [(4, "confirmed".into()), (5, "null".into())]);
    assert_eq!(
        ada.pushed(2),
        ["unsubscribe room:1 2", "unsubscribe never 2"]
    );
}

#[test]
fn a_client_gets_its_own_messages_and_their_count() {
    const COUNT: u64 = 2000;
    let server = Server::start(&[]);
    let mut client = server.client();
    client.send(0, &[b"SUBSCRIBE", b"c"]);
    client.take(1);
    client.pushed(1);
    for token in 1..=COUNT {
        client.send(token, &[b"PUBLISH", b"c", token.to_string().as_bytes()]);
    }
    let count = usize::try_from(COUNT).unwrap();
    let replies = client.take(count);
    assert!(
        replies
            .iter()
            .zip(1..)
            .all(|((token, text), expected)| *token == expected && text == "1")
    );
    let pushes = client.pushed(count);
    assert!(
        pushes
            .iter()
            .zip(1..)
            .all(|(push, expected)| *push == format!("message c {expected}"))
    );
}

#[test]
fn the_official_client_publishes_to_ours() {
    let server = Server::start(&[]);
    let mut client = server.client();
    client.send(1, &[b"SSUBSCRIBE", b"shard"]);
    assert_eq!(client.take(1), [(1, "confirmed".into())]);
    assert_eq!(server.cli(&["SPUBLISH", "shard", "from the CLI"]), "1");
    assert_eq!(
        client.pushed(2),
        ["ssubscribe shard 1", "smessage shard from the CLI"]
    );
}

#[test]
fn changed_keys_are_announced_to_clients_that_track_them() {
    let server = Server::start(&[]);
    let (mut ada, mut bob) = (server.client(), server.client());
    assert_eq!(ada.call("CLIENT TRACKING ON"), "OK");
    assert_eq!(ada.call("GET k"), "null");
    assert_eq!(bob.call("SET k 1"), "OK");
    assert_eq!(ada.pushed(1), ["invalidate [k]"]);
    // A subscription that the user may not have is an ordinary reply.
    assert_eq!(bob.call("ACL SETUSER default resetchannels"), "OK");
    let mut denied = server.client();
    denied.send(9, &[b"SUBSCRIBE", b"c"]);
    denied.send(10, &[b"PING"]);
    let replies = denied.take(2);
    assert!(
        replies[0].0 == 9 && replies[0].1.starts_with("error NOPERM"),
        "{replies:?}"
    );
    assert_eq!(replies[1], (10, "PONG".into()));
}
