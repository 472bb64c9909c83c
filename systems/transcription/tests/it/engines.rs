//! The engines that do not simulate.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::audio::{CHUNK, noise, silence, spoken};
use crate::served::Served;

/// What an endpoint received.
type Requests = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// An endpoint with the transcription API, which returns this body with status 200, or fails. Returns its URL.
async fn endpoint(answer: Option<&'static str>) -> (String, Requests) {
    let requests = Requests::default();
    let handler = async move |State(seen): State<Requests>, headers: HeaderMap, body: Bytes| {
        seen.lock().unwrap().push((headers, body));
        match answer {
            Some(answer) => answer.into_response(),
            None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    };
    let router = Router::new()
        .route("/v1/audio/transcriptions", post(handler))
        .with_state(requests.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, requests)
}

fn remote(url: &str) -> Served {
    let environment = [("ASR_REMOTE_KEY", "secret"), ("ASR_REMOTE_URL", url)];
    Served::start_with(&["--engine", "remote"], &environment)
}

#[tokio::test]
async fn a_remote_engine_gets_whole_utterances_and_its_text_is_final() {
    let (url, requests) = endpoint(Some(r#"{"text":" hello world "}"#)).await;
    let service = remote(&url);
    let mut stream = service.stream().await;
    let mut finals = Vec::new();
    for chunk in [noise(400), silence(800)].concat().chunks(CHUNK) {
        stream.audio(chunk).await;
        let reply = stream.event().await;
        if reply["type"] == "final" {
            finals.push(reply);
        } else {
            assert_eq!(reply["text"], "");
        }
    }
    assert_eq!(finals.len(), 1);
    assert_eq!(finals[0]["text"], "hello world");
    let requests = requests.lock().unwrap();
    let (headers, body) = &requests[0];
    assert_eq!(headers["authorization"], "Bearer secret");
    assert!(
        headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("multipart/form-data")
    );
    let riff = body.windows(4).position(|four| four == b"RIFF").unwrap();
    let length = u32::from_le_bytes(body[riff + 40..riff + 44].try_into().unwrap());
    // The utterance, the pause that ends it, and no more.
    assert!((12_000..50_000).contains(&length), "{length}");
}

#[tokio::test]
async fn a_remote_engine_that_fails_is_reported_and_the_stream_goes_on() {
    for (answer, cause) in [
        (None, "status 500"),
        (Some("garbage"), "not a transcription"),
    ] {
        let (url, _) = endpoint(answer).await;
        let service = remote(&url);
        let mut stream = service.stream().await;
        stream.audio(&[noise(400), silence(800)].concat()).await;
        let error = stream.event().await;
        assert_eq!(error["code"], "RECOGNITION_FAILED");
        assert!(
            error["message"].as_str().unwrap().contains(cause),
            "{error}"
        );
        stream.audio(&silence(20)).await;
        assert_eq!(stream.event().await["type"], "partial");
        let recording = service.transcribe("", silence(100)).await;
        assert_eq!(recording.status(), 502);
        assert_eq!(service.metric("asr_engine_failures_total").await, 2);
    }
}

#[tokio::test]
async fn pocketsphinx_understands_speech_and_refuses_what_it_cannot_follow() {
    let service = Served::start(&["--engine", "pocketsphinx", "--recognisers", "1"]);
    let speech = spoken("The quick brown fox jumps over the lazy dog.");
    let mut stream = service.stream().await;
    let (events, code) = service.connect("").await.until_close().await;
    assert_eq!(events[0]["code"], "SESSION_LIMIT");
    assert_eq!(code, Some(1008));
    assert_eq!(service.transcribe("", speech.clone()).await.status(), 503);
    for chunk in speech.chunks(CHUNK) {
        stream.audio(chunk).await;
    }
    stream.stop().await;
    let (events, code) = stream.until_close().await;
    assert_eq!(code, Some(1000));
    let of = |kind: &str| -> Vec<&Value> { events.iter().filter(|e| e["type"] == kind).collect() };
    let texts: Vec<_> = of("final")
        .iter()
        .map(|e| e["text"].as_str().unwrap())
        .collect();
    let text = texts.join(" ");
    for word in ["quick", "brown", "fox", "lazy"] {
        assert!(text.contains(word), "{text}");
    }
    assert!(
        of("partial").iter().any(|partial| partial["text"] != ""),
        "no words before the end"
    );
    let words = of("final")[0]["words"].as_array().unwrap();
    assert!(words[0]["start_ms"].as_u64() < words[1]["start_ms"].as_u64());
    drop(stream);
    service.until_sessions(0).await;
    let recording: Value = service.transcribe("", speech).await.json().await.unwrap();
    assert!(
        recording["text"].as_str().unwrap().contains("brown"),
        "{recording}"
    );
}
