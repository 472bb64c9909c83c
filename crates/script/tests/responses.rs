//! Deliveries in the bodies of responses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "functions around tests"
)]

#[path = "common/stage.rs"]
mod common;

use common::{Call, story};
use script::host::StampAt;

#[test]
fn a_user_follows_a_channel_in_responses_and_stops() {
    let mut stage = story(
        r#"const said = group.channel("said", { to: "others" });
           const stop = user.receives(said, { in: "GET /inbox", at: "/messages", only: { "/ok": true }, repeats: true });
           stop();"#,
    );
    stage.start(2);
    let calls = stage.take_calls();
    let [
        Call::Channel(..),
        Call::ReceivesInResponses(user, call),
        Call::Other(stopped),
    ] = calls.as_slice()
    else {
        panic!("{calls:?}")
    };
    assert_eq!((call.request.as_str(), call.repeats), ("GET /inbox", true));
    assert_eq!(
        call.place.at,
        Some(StampAt::Pointer("/messages".to_owned()))
    );
    assert_eq!(call.place.only, [("/ok".to_owned(), "true".to_owned())]);
    assert_eq!(*stopped, format!("stop responses {user:?} 3"));
}

#[test]
fn a_mistake_is_refused() {
    let check = |options: &str, words: &str| {
        let mut stage = story(&format!(
            r#"user.receives(group.channel("said", {{ to: "others" }}), {options});"#
        ));
        stage.start(2);
        let ended = stage.script.take_ended();
        let fault = ended[0].outcome.as_ref().unwrap_err();
        assert!(fault.fault.detail.contains(words), "{fault:?}");
    };
    check("{ at: '/a' }", "`in` is missing");
    check("{ im: 'GET /' }", "did you mean `in`");
    check("{ in: 'GET /', repeats: 1 }", "`repeats`");
}
