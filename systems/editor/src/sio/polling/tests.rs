use std::sync::Mutex;
use std::time::Duration;

use axum::body::to_bytes;
use proptest::prelude::*;
use tokio::time::{advance, timeout};

use super::*;
use crate::line::{Bound, Frame};
use crate::sio::packet::Event;

/// Ignores events and records the recipients of its clients.
#[derive(Default)]
struct Quiet(Mutex<Vec<Recipient>>);

impl Handlers for Quiet {
    type Visitor = ();
    fn enter(self: &Arc<Self>, _: &Arc<str>, recipient: &Recipient) {
        self.0.lock().unwrap().push(recipient.clone());
    }
    fn event(&self, (): &mut (), _: Event<'_>) {}
}

fn polling(bound: Bound) -> Polling<Quiet> {
    let beat = Beat {
        every: Duration::from_secs(20),
        patience: Duration::from_secs(20),
        limit: 1000,
    };
    let terms = Terms { bound, limit: 1000 };
    Polling::new(&Arc::default(), beat, terms, 3)
}

const WIDE: Bound = Bound {
    frames: 16,
    bytes: 10_000,
};

async fn asked(
    polling: &Polling<Quiet>,
    method: &str,
    sid: Option<&str>,
    body: &str,
) -> (u16, String) {
    let request = Request::builder()
        .method(method)
        .body(Body::from(body.to_owned()))
        .unwrap();
    let response = polling
        .answer(sid.map(str::to_owned), request, &Arc::default())
        .await;
    let (head, body) = response.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    (
        head.status.as_u16(),
        String::from_utf8(body.to_vec()).unwrap(),
    )
}

async fn opened(polling: &Polling<Quiet>) -> String {
    let (status, opened) = asked(polling, "GET", None, "").await;
    assert_eq!(status, 200);
    let opened: serde_json::Value = serde_json::from_str(&opened[1..]).unwrap();
    opened["sid"].as_str().unwrap().to_owned()
}

/// Opens a session that has entered the namespace and fetched all packets. Returns its id and recipient.
async fn entered(polling: &Polling<Quiet>) -> (String, Recipient) {
    let sid = opened(polling).await;
    assert_eq!(asked(polling, "POST", Some(&sid), "40").await.0, 200);
    assert_eq!(asked(polling, "GET", Some(&sid), "").await.0, 200);
    (
        sid,
        polling.handlers.0.lock().unwrap().last().unwrap().clone(),
    )
}

/// Returns the status of a POST 46 s after a session began. The session responded to each ping.
async fn after_46_seconds(enters: bool) -> u16 {
    let polling = polling(WIDE);
    let sid = opened(&polling).await;
    let sid = Some(&*sid);
    if enters {
        asked(&polling, "POST", sid, "40").await;
    }
    for _ in 0..46 {
        advance(Duration::from_secs(1)).await;
        let heard = asked(&polling, "GET", sid, "");
        if let Ok((200, heard)) = timeout(Duration::ZERO, heard).await
            && heard.split('\u{1e}').any(|packet| packet == "2")
        {
            asked(&polling, "POST", sid, "3").await;
        }
    }
    asked(&polling, "POST", sid, "41").await.0
}

#[tokio::test(start_paused = true)]
async fn who_polls_and_never_enters_a_namespace_is_sent_away_as_by_websocket() {
    assert_eq!(after_46_seconds(true).await, 200);
    assert_eq!(after_46_seconds(false).await, 400);
}

#[tokio::test(start_paused = true)]
async fn one_who_answers_no_ping_is_gone_and_its_last_poll_says_so() {
    let polling = polling(WIDE);
    let (sid, _) = entered(&polling).await;
    assert_eq!(
        asked(&polling, "GET", Some(&sid), "").await,
        (200, "2".to_owned())
    );
    assert_eq!(
        asked(&polling, "GET", Some(&sid), "").await,
        (200, "1".to_owned())
    );
    assert_eq!(asked(&polling, "GET", Some(&sid), "").await.0, 400);
}

#[tokio::test(start_paused = true)]
async fn of_two_polls_the_first_is_ended_and_the_second_refused() {
    let polling = polling(WIDE);
    let (sid, _) = entered(&polling).await;
    let first = asked(&polling, "GET", Some(&sid), "");
    let second = asked(&polling, "GET", Some(&sid), "");
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first, second.0), ((200, "1".to_owned()), 400));
    assert_eq!(asked(&polling, "POST", Some(&sid), "3").await.0, 400);
}

#[tokio::test(start_paused = true)]
async fn of_a_poll_that_was_given_up_nothing_is_lost_and_the_next_is_the_only_one() {
    let polling = polling(WIDE);
    let (sid, recipient) = entered(&polling).await;
    let given_up = asked(&polling, "GET", Some(&sid), "");
    assert!(timeout(Duration::from_secs(1), given_up).await.is_err());
    assert!(recipient.post(&Frame::text("4kept"), None));
    assert_eq!(
        asked(&polling, "GET", Some(&sid), "").await,
        (200, "4kept".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_frames_or_too_many_bytes_end_a_session_at_once_and_once() {
    for (bytes, fit) in [(10_000, 4), (350, 3)] {
        let polling = polling(Bound { frames: 4, bytes });
        let (sid, recipient) = entered(&polling).await;
        let frame = Frame::text(&format!("4{}", "x".repeat(97)));
        let posted: Vec<bool> = (0..fit + 2).map(|_| recipient.post(&frame, None)).collect();
        let refused: Vec<usize> = (0..fit + 2).filter(|n| !posted[*n]).collect();
        assert_eq!(refused, [fit]);
        tokio::task::yield_now().await;
        assert_eq!(asked(&polling, "GET", Some(&sid), "").await.0, 400);
        let Recipient::Polled(mailbox) = recipient else {
            unreachable!()
        };
        // Only the handlers' state and this test still hold a reference.
        drop(polling);
        tokio::task::yield_now().await;
        assert_eq!(Arc::strong_count(&mailbox), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn of_the_carets_that_wait_for_one_who_does_not_poll_only_the_newest_is_kept() {
    let polling = polling(Bound {
        frames: 4,
        bytes: 10_000,
    });
    let (sid, recipient) = entered(&polling).await;
    for n in 0..50 {
        assert!(recipient.post(&Frame::text(&format!("4a{n}")), Some(7)));
        assert!(recipient.post(&Frame::text(&format!("4b{n}")), Some(8)));
    }
    assert_eq!(
        asked(&polling, "GET", Some(&sid), "").await,
        (200, "4a49\u{1e}4b49".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_no_payload_or_too_large_ends_the_session() {
    let large = "4".repeat(1001);
    for (payload, status) in [
        ("", 400),
        ("abc", 400),
        ("42[]", 400),
        ("b?", 400),
        ("3\u{1e}4nothing", 400),
        ("1", 200),
        ("41\u{1e}41", 200), // the second disconnect leaves a namespace that the client has left already
        (&large, 413),
    ] {
        let polling = polling(WIDE);
        let (sid, _) = entered(&polling).await;
        let said = asked(&polling, "POST", Some(&sid), payload).await;
        assert_eq!(said.0, status, "{payload}");
        let after = asked(&polling, "POST", Some(&sid), "3").await;
        assert_eq!(after.0, 400, "after {payload}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_sends_half_a_payload_is_waited_for_for_a_while_only() {
    use futures_util::stream::{StreamExt, once, pending};
    let polling = polling(WIDE);
    let (sid, _) = entered(&polling).await;
    let half = once(async { Ok::<_, std::convert::Infallible>("42[") });
    let body = Body::from_stream(half.chain(pending()));
    let request = Request::builder().method("POST").body(body).unwrap();
    let response = polling.answer(Some(sid), request, &Arc::default()).await;
    assert_eq!(response.status(), 400);
}

#[tokio::test(start_paused = true)]
async fn there_are_so_many_sessions_at_most_and_none_after_the_stop() {
    let polling = polling(WIDE);
    let (sid, _) = entered(&polling).await;
    opened(&polling).await;
    opened(&polling).await;
    assert_eq!(asked(&polling, "GET", None, "").await.0, 503);
    assert_eq!(asked(&polling, "POST", Some(&sid), "1").await.0, 200);
    tokio::task::yield_now().await;
    let sid = opened(&polling).await;
    let (heard, ()) = tokio::join!(asked(&polling, "GET", Some(&sid), ""), async {
        polling.stop();
    });
    assert_eq!(heard, (200, "1".to_owned()));
    tokio::task::yield_now().await;
    assert_eq!(asked(&polling, "GET", None, "").await.0, 503);
}

proptest! {
    #[test]
    fn packets_large_and_small_are_one_body_of_the_length_it_tells(
        sizes in prop::collection::vec(prop_oneof![0usize..40, 16_000usize..17_000], 1..8),
    ) {
        let packets: Vec<String> = sizes.iter().map(|size| "p".repeat(*size)).collect();
        let payload = Payload::new(packets.iter().cloned().map(Bytes::from));
        let told = hyper::body::Body::size_hint(&payload).exact();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let body = runtime.block_on(to_bytes(Body::new(payload), 1 << 20)).unwrap();
        prop_assert_eq!(told, Some(body.len() as u64));
        prop_assert_eq!(body, packets.join("\u{1e}"));
    }
}
