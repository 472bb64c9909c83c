use serde_json::{Value, json};

use crate::audio::{noise, silence};
use crate::served::Served;

#[tokio::test]
async fn a_session_beyond_the_limit_is_accepted_told_and_closed() {
    let service = Served::start_with(&[], &[("ASR_MAX_SESSIONS", "3")]);
    let mut kept = Vec::new();
    for _ in 0..3 {
        kept.push(service.stream().await);
    }
    let (events, code) = service.connect("").await.until_close().await;
    let text = "Maximum 3 concurrent sessions reached";
    assert_eq!(
        events,
        [json!({ "type": "error", "message": text, "code": "SESSION_LIMIT" })]
    );
    assert_eq!(code, Some(1008));
    let refused = service.transcribe("", silence(20)).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(
        refused.json::<Value>().await.unwrap(),
        json!({ "detail": text })
    );
    assert_eq!(service.metric("asr_sessions_refused_total").await, 2);
    kept.pop();
    service.until_sessions(2).await;
    service.stream().await;
}

#[tokio::test]
async fn a_chunk_that_is_too_large_is_refused_and_the_stream_stays_open() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    stream.audio(&vec![0; 65_537]).await;
    let error = stream.event().await;
    assert_eq!(error["code"], "CHUNK_TOO_LARGE");
    assert_eq!(error["message"], "Chunk too large: 65537 > 65536");
    stream.audio(&vec![0; 65_536]).await;
    assert_eq!(stream.event().await["type"], "partial");
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_stream_with_1009() {
    let service = Served::start(&["--max-message", "100000"]);
    let mut stream = service.stream().await;
    stream.audio(&vec![0; 100_000]).await;
    assert_eq!(stream.until_close().await.1, Some(1009));
}

#[tokio::test]
async fn audio_beyond_the_rate_is_refused() {
    let service = Served::start(&["--max-audio-rate", "64000"]);
    let mut stream = service.stream().await;
    stream.audio(&noise(2000)).await;
    stream.audio(&noise(20)).await;
    let events = [stream.event().await, stream.event().await];
    let error = events
        .iter()
        .find(|event| event["type"] == "error")
        .unwrap();
    assert_eq!(error["code"], "RATE_LIMITED");
    assert!(events.iter().any(|event| event["type"] == "partial"));
}

#[tokio::test]
async fn an_idle_session_is_closed() {
    let service = Served::start(&["--start-timeout", "0.2", "--cleanup-interval", "0.05"]);
    let mut stream = service.stream().await;
    let (events, code) = stream.until_close().await;
    assert_eq!(events[0]["code"], "SESSION_CLOSING");
    assert_eq!(code, Some(1000));
    assert_eq!(service.metric("asr_sessions_expired_total").await, 1);
}

#[tokio::test]
async fn unsupported_audio_in_a_stream_is_named() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    let eight_bits = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\x80\x3e\0\0\x01\0\x08\0data\0\0\0\0";
    stream.audio(eight_bits).await;
    let error = stream.event().await;
    assert_eq!(error["code"], "UNSUPPORTED_AUDIO");
}
