use super::*;

use SourceKind::{Channel, Pattern};

fn names(all: &str) -> Vec<Vec<u8>> {
    all.split(' ')
        .map(|name| name.as_bytes().to_vec())
        .collect()
}

fn followers(of: &Subscriptions, kind: SourceKind, name: &str) -> Vec<u32> {
    of.followers(kind, name.as_bytes()).collect()
}

#[test]
fn each_follower_of_a_name_gets_its_messages() {
    let mut of = Subscriptions::default();
    of.add(1, Channel, &names("a b"));
    of.add(2, Channel, &names("b"));
    of.add(3, Pattern, &names("b"));
    assert_eq!(followers(&of, Channel, "a"), [1]);
    assert_eq!(followers(&of, Channel, "b"), [1, 2]);
    assert_eq!(followers(&of, Pattern, "b"), [3]);
    assert_eq!(followers(&of, Channel, "c"), [0; 0]);
    assert_eq!(of.keys(), [1, 2, 3]);
    of.remove(1, Channel, &names("a b"));
    assert_eq!(followers(&of, Channel, "b"), [2]);
    assert_eq!(of.keys(), [2, 3]);
}

#[test]
fn the_last_follower_of_a_name_ends_it_on_the_server() {
    let mut of = Subscriptions::default();
    of.add(1, Channel, &names("a b"));
    of.add(2, Channel, &names("b"));
    assert_eq!(of.leave(1, Channel, &names("a b")), names("a"));
    // The first one still gets messages until the server has confirmed its end.
    assert_eq!(followers(&of, Channel, "b"), [1, 2]);
    assert_eq!(of.leave(2, Channel, &names("b")), names("b"));
}

#[test]
fn changes_are_confirmed_in_order_and_only_expected_ends_are_ours() {
    let mut of = Subscriptions::default();
    let change = |subscription, ends| Change {
        subscription,
        kind: Channel,
        names: names("a"),
        ends,
    };
    of.note(4, change(1, false));
    of.note(9, change(1, true));
    assert!(of.expects_end(Channel, b"a"));
    assert!(!of.expects_end(Pattern, b"a") && !of.expects_end(Channel, b"b"));
    assert!(of.take_change(3).is_none() && of.take_change(9).is_none());
    assert!(of.take_change(4).is_some_and(|change| !change.ends));
    assert!(of.take_change(9).is_some_and(|change| change.ends));
    assert!(!of.expects_end(Channel, b"a"));
}
