use wire::resp::{RedirectKind, SlotMap, slot};

use super::*;
use crate::process::eventually;

/// A node of a cluster.
fn node() -> Server {
    Server::start(&["--cluster-enabled", "yes"])
}

/// Sends a command, and calls `read` with the reply.
fn ask<T>(server: &Server, arguments: &[&[u8]], read: impl Fn(&Value<'_>) -> T) -> T {
    let mut client = server.client();
    client.send(1, arguments);
    client.stream.write(&client.out).unwrap();
    loop {
        let bytes = received(&mut client.stream).unwrap();
        let mut found = None;
        let mut sink = |signal: Signal<'_>| {
            if let Signal::Reply { reply, .. } = signal {
                found = Some(read(&reply.value));
            }
        };
        client.session.on_bytes(&bytes, &mut sink).unwrap();
        if let Some(found) = found {
            return found;
        }
    }
}

/// Asks for a key that belongs to another node.
fn redirect(server: &Server, key: &str) -> (RedirectKind, u16, String, u16) {
    ask(server, &[b"GET", key.as_bytes()], |reply| {
        let Value::Error(error) = reply else {
            panic!("{reply:?}")
        };
        let redirect = error.redirect().unwrap();
        (
            redirect.kind,
            redirect.slot,
            redirect.host.to_owned(),
            redirect.port,
        )
    })
}

fn slots(server: &Server) -> SlotMap {
    ask(server, &[b"CLUSTER", b"SLOTS"], |reply| {
        SlotMap::parse(reply).unwrap()
    })
}

/// Two nodes that know each other. Each serves half of the slots.
fn cluster() -> (Server, Server) {
    let (first, second) = (node(), node());
    // Distinct epochs, so that the nodes need not agree on an order first.
    for (node, slots, epoch) in [(&first, "0 8191", 1), (&second, "8192 16383", 2)] {
        assert_eq!(
            node.client()
                .call(&format!("CLUSTER ADDSLOTSRANGE {slots}")),
            "OK"
        );
        assert_eq!(
            node.client()
                .call(&format!("CLUSTER SET-CONFIG-EPOCH {epoch}")),
            "OK"
        );
    }
    let bus = second.client().call("CONFIG GET cluster-port");
    let bus = bus.trim_matches(|char: char| !char.is_ascii_digit());
    let meet = format!("CLUSTER MEET 127.0.0.1 {} {bus}", second.address.port());
    assert_eq!(first.client().call(&meet), "OK");
    eventually("the cluster", || {
        let is_whole = |node: &Server| {
            let state = node.client().call("CLUSTER INFO");
            state.contains("cluster_state:ok") && slots(node).nodes().len() == 2
        };
        (is_whole(&first) && is_whole(&second)).then_some(())
    });
    (first, second)
}

#[test]
fn a_key_of_another_node_is_redirected_to_it() {
    let (first, second) = cluster();
    let map = slots(&first);
    for key in [
        "a",
        "b",
        "foo",
        "bar",
        "{tag}.1",
        "{tag}.2",
        "{}x",
        "user:1000",
    ] {
        let slot = slot(key.as_bytes());
        let owner = if slot < 8192 { &first } else { &second };
        let other = if slot < 8192 { &second } else { &first };
        assert_eq!(map.node(slot).unwrap().port, owner.address.port(), "{key}");
        assert_eq!(owner.client().call(&format!("SET {key} x")), "OK");
        let expected = (
            RedirectKind::Moved,
            slot,
            "127.0.0.1".into(),
            owner.address.port(),
        );
        assert_eq!(redirect(other, key), expected, "{key}");
    }
}

#[test]
fn a_slot_that_moves_is_redirected_for_keys_that_its_old_node_does_not_have() {
    let (first, second) = cluster();
    let (key, moving) = ("{a}.missing", slot(b"a"));
    assert!(moving >= 8192, "the slot belongs to the second node");
    assert_eq!(second.client().call("SET a x"), "OK");
    let (from, to) = (
        second.client().call("CLUSTER MYID"),
        first.client().call("CLUSTER MYID"),
    );
    let set = |node: &Server, state: &str| {
        assert_eq!(
            node.client()
                .call(&format!("CLUSTER SETSLOT {moving} {state}")),
            "OK"
        );
    };
    set(&first, &format!("IMPORTING {from}"));
    set(&second, &format!("MIGRATING {to}"));
    let expected = (
        RedirectKind::Ask,
        moving,
        "127.0.0.1".into(),
        first.address.port(),
    );
    assert_eq!(redirect(&second, key), expected);
    assert_eq!(second.client().call("GET a"), "x");
    let mut asking = first.client();
    assert_eq!(asking.call("ASKING"), "OK");
    assert_eq!(asking.call(&format!("GET {key}")), "null");
}

#[test]
fn slots_are_those_of_the_server() {
    let node = node();
    let mut client = node.client();
    let keys = (0..2000_u32).map(|number| {
        // Braces in all places, so that some keys have a tag, an empty one, or none.
        let text = format!("key{number}");
        let (open, close) = (
            number as usize % (text.len() + 1),
            (number / 7) as usize % (text.len() + 2),
        );
        let mut key = text;
        key.insert(open, '{');
        key.insert(close, '}');
        key
    });
    for key in keys {
        assert_eq!(
            client.call(&format!("CLUSTER KEYSLOT {key}")),
            slot(key.as_bytes()).to_string(),
            "{key}"
        );
    }
}
