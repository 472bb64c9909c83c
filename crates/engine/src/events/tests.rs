//! Tests streams on real sockets, without a script.

mod lab;

use delivery::CutOff;
use model::FaultKind;
use script::host::{Audience, EventsHost as _, Host as _, NextCall, StampPlace, Value};

use super::*;
use crate::empty_world::GROUP;
use lab::{HEAD, Lab, OPENS, Reply, closes, stays};

#[test]
fn a_stream_stays_the_same_socket_and_follows_its_channels_on_every_connection() {
    let mut lab = Lab::new();
    let stream = lab.opened(closes("retry: 30\n\nid: 1\ndata: first\n\n"));
    let everyone = Audience::Everyone;
    let posts = lab.world.channel(GROUP, "posts", everyone, None).unwrap();
    let place = StampPlace {
        event: Some("post".to_owned()),
        ..StampPlace::default()
    };
    lab.world.receives(stream, posts, place).unwrap();
    let stamps = [lab.stamp(posts), lab.stamp(posts)];
    let post = |id: u32| {
        format!(
            "id: {id}\nevent: post\ndata: {}\n\n",
            stamps[id as usize - 2]
        )
    };
    lab.replies(closes(&post(2)));
    lab.replies(stays(&(post(3) + "data: last\n\n")));
    assert_eq!(lab.next(stream).unwrap(), "first");
    assert_eq!(lab.next(stream).unwrap(), "last");
    let ids: Vec<String> = lab.ids.try_iter().collect();
    assert_eq!(ids, ["", "1", "2"]);
    let state = StreamState {
        last_event_id: "3".to_owned(),
        reconnects: 2,
    };
    assert_eq!(lab.world.stream_state(stream), Some(state));
    let measured = lab.measured();
    let posts = &measured.deliveries["posts"];
    assert_eq!((posts.expected, posts.delivered), (2, 2), "{posts:?}");
    assert_eq!(lab.connections("/feed"), (1, 0));
    assert_eq!(lab.connections("/feed (reconnect)"), (2, 0));
    assert_eq!(lab.failures(), [], "each connection ended in order");
}

#[test]
fn broken_connections_and_failed_attempts_count_until_the_server_ends_the_stream() {
    let mut lab = Lab::new();
    lab.opened(closes("retry: 10\n\ndata: half"));
    lab.replies(Reply::Closes(String::new()));
    lab.replies(Reply::Closes("HTTP/1.1 200".to_owned()));
    lab.replies(closes("data: whole\n\n"));
    lab.replies(Reply::Closes("HTTP/1.1 204 No Content\r\n\r\n".to_owned()));
    let reason = lab.ends();
    assert!(reason.contains("204"), "{reason}");
    assert_eq!(lab.failures(), [(FaultKind::Closed, 3)]);
    assert_eq!(lab.connections("/feed"), (1, 0));
    let (all, failed) = lab.connections("/feed (reconnect)");
    assert_eq!((all, failed), (4, 3), "the last one got no stream");
}

#[test]
fn a_server_that_left_is_asked_again_and_each_refusal_counts() {
    let mut lab = Lab::new();
    let left = Reply::Leaves(format!("{HEAD}retry: 20\n\ndata: x\n\n"));
    let stream = lab.opened(left);
    let counted = lab.until(|world| {
        let failures = &world.base.level.recorder.measured.failures;
        let count = failures.first()?.count;
        (count == 4).then_some(count)
    });
    assert_eq!(lab.failures(), [(FaultKind::Refused, counted)]);
    assert_eq!(lab.connections("/feed (reconnect)"), (counted, counted));
    let state = lab.world.stream_state(stream).unwrap();
    assert_eq!(state.reconnects, 0);
}

#[test]
fn a_stream_that_gets_another_response_ends_with_a_failure() {
    let mut lab = Lab::new();
    lab.opened(closes("retry: 10\n\n"));
    lab.replies(Reply::Closes("HTTP/1.1 404 Not Found\r\n\r\n".to_owned()));
    assert!(lab.ends().contains("404"));
    assert_eq!(lab.failures(), [(FaultKind::Status, 1)]);
}

#[test]
fn a_stream_that_never_opens_fails_once_and_is_not_tried_again() {
    let mut lab = Lab::new();
    lab.replies(Reply::Closes(String::new()));
    let call = lab.call();
    lab.world.open_events(OPENS, lab.user, call).unwrap();
    let fault = lab.result_of(OPENS).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Closed, "{fault}");
    assert_eq!(lab.world.base.net.conns.iter_mut().count(), 0);
    assert_eq!(lab.connections("/feed"), (1, 1));
    assert_eq!(lab.failures(), [(FaultKind::Closed, 1)]);
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up_after_the_time_limit_and_tried_again() {
    let mut lab = Lab::new();
    lab.replies(closes("retry: 10\n\n"));
    let call = EventsCall {
        timeout: Some(Nanos::from_millis(200)),
        ..lab.call()
    };
    lab.world.open_events(OPENS, lab.user, call).unwrap();
    let Ok(Value::Socket(stream, _)) = lab.result_of(OPENS) else {
        panic!("it did not open");
    };
    lab.replies(Reply::Stays(String::new()));
    lab.replies(stays("data: back\n\n"));
    assert_eq!(lab.next(stream).unwrap(), "back");
    assert_eq!(lab.failures(), [(FaultKind::TimedOut, 1)]);
    assert_eq!(lab.connections("/feed (reconnect)").0, 2);
}

#[test]
fn a_stream_is_closed_while_it_waits_and_while_it_connects() {
    for (retry, connects) in [("retry: 60000\n\n", false), ("retry: 10\n\n", true)] {
        let mut lab = Lab::new();
        let stream = lab.opened(closes(retry));
        lab.replies(Reply::Stays(String::new()));
        if connects {
            lab.is_asked(2);
        } else {
            lab.waits_to_reconnect(stream);
        }
        let close = OpId(5);
        lab.world.close_socket(close, stream, 1000, "").unwrap();
        assert!(matches!(lab.result_of(close), Ok(Value::Nothing)));
        assert!(lab.ends().contains("closed"));
        assert_eq!(lab.failures(), [], "the script closed it");
        let fault = lab.next(stream).unwrap_err();
        assert_eq!(fault.side, model::Side::Script, "{fault}");
    }
}

#[test]
fn deliveries_of_a_stream_that_reconnects_at_the_end_are_cut_off_and_not_lost() {
    let mut lab = Lab::new();
    let stream = lab.opened(closes("retry: 60000\n\n"));
    let everyone = Audience::Everyone;
    let posts = lab.world.channel(GROUP, "posts", everyone, None).unwrap();
    lab.world
        .receives(stream, posts, StampPlace::default())
        .unwrap();
    lab.waits_to_reconnect(stream);
    lab.stamp(posts);
    lab.world
        .lend(|base| Sockets { base }.close_all_of(lab.user, CutOff::LevelEnded));
    let (group, _, recorder) = lab.world.base.level.group_of(lab.user).unwrap();
    group.ledger.close(&mut recorder.tallies);
    let posts = &lab.measured().deliveries["posts"];
    assert_eq!((posts.expected, posts.lost_count()), (1, 0), "{posts:?}");
    assert_eq!(lab.world.base.net.conns.iter_mut().count(), 0);
}

#[test]
fn each_wait_on_a_stream_ends_at_its_own_time_limit() {
    let mut lab = Lab::new();
    let stream = lab.opened(stays(""));
    let began = lab.world.base.clock.now();
    let waits = [(OpId(2), 40), (OpId(3), 120)];
    for (op, limit) in waits {
        let call = NextCall {
            timeout: Some(Nanos::from_millis(limit)),
            ..NextCall::default()
        };
        lab.world.next_message(op, stream, call).unwrap();
    }
    for (op, limit) in waits {
        let fault = lab.result_of(op).unwrap_err();
        assert_eq!(fault.kind, FaultKind::TimedOut, "{fault}");
        assert!(lab.world.base.clock.now() >= began + Nanos::from_millis(limit));
    }
}
