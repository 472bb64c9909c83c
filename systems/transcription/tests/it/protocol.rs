use serde_json::{Value, json};

use crate::audio::{CHUNK, noise, silence};
use crate::served::{Served, Stream};

/// Sends audio in chunks of 20 ms, and returns the reply to each.
async fn replies(stream: &mut Stream, audio: &[u8]) -> Vec<Value> {
    let mut replies = Vec::new();
    for chunk in audio.chunks(CHUNK) {
        stream.audio(chunk).await;
        replies.push(stream.event().await);
    }
    replies
}

fn words(reply: &Value) -> usize {
    let text = reply["text"].as_str().unwrap();
    text.split_whitespace().count()
}

fn count(replies: &[Value], kind: &str) -> usize {
    replies.iter().filter(|reply| reply["type"] == kind).count()
}

#[tokio::test]
async fn silence_before_the_first_speech_has_no_words_and_no_end() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    let replies = replies(&mut stream, &silence(1000)).await;
    assert!(
        replies
            .iter()
            .all(|reply| *reply == json!({ "type": "partial", "text": "" }))
    );
    let listed = service.get("/v1/sessions").await;
    assert_eq!(listed["sessions"][0]["state"], "created");
}

#[tokio::test]
async fn speech_has_a_word_per_chunk_and_its_final_has_all_of_them() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    let speech = replies(&mut stream, &noise(1000)).await;
    assert_eq!(count(&speech, "partial"), 50);
    assert!(
        speech.iter().filter(|reply| words(reply) == 1).count() >= 30,
        "{speech:?}"
    );
    let pause = replies(&mut stream, &silence(800)).await;
    assert_eq!(count(&pause, "final"), 1);
    let all: Vec<_> = speech.iter().chain(&pause).collect();
    let partials = all.iter().filter(|reply| reply["type"] == "partial");
    let heard: Vec<_> = partials
        .map(|reply| reply["text"].as_str().unwrap())
        .filter(|text| !text.is_empty())
        .collect();
    let last = pause.iter().find(|reply| reply["type"] == "final").unwrap();
    assert_eq!(last["text"], heard.join(" "));
    let (start, end) = (
        last["start_ms"].as_u64().unwrap(),
        last["end_ms"].as_u64().unwrap(),
    );
    assert!(
        start < 300 && (950..1400).contains(&end),
        "{start} to {end}"
    );
    let listed = service.get("/v1/sessions").await;
    assert_eq!(listed["sessions"][0]["state"], "active");
}

#[tokio::test]
async fn every_frame_of_a_long_chunk_is_judged() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    // The last 20 ms of this chunk are silent, and so is the pause that ends the utterance.
    let chunk = [noise(800), silence(900)].concat();
    stream.audio(&chunk).await;
    let reply = stream.event().await;
    assert_eq!(reply["type"], "final");
    assert!(words(&reply) > 0);
}

#[tokio::test]
async fn stop_flushes_the_last_words_and_closes() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    for chunk in noise(400).chunks(CHUNK) {
        stream.audio(chunk).await;
    }
    stream.stop().await;
    let (events, code) = stream.until_close().await;
    assert_eq!(code, Some(1000));
    assert_eq!(count(&events, "partial"), 20);
    let last = events.last().unwrap();
    assert_eq!(last["type"], "final");
    assert!(words(last) > 5);
    service.until_sessions(0).await;
    let mut silent = service.stream().await;
    silent.stop().await;
    assert_eq!(silent.until_close().await, (vec![], Some(1000)));
}

#[tokio::test]
async fn errors_keep_the_stream_open() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    let table = [
        ("{", "INVALID_JSON", "Invalid JSON"),
        (
            r#"{"type":"audio","data":"A"}"#,
            "INVALID_AUDIO",
            "Invalid base64 audio data",
        ),
        (
            r#"{"type":"pause"}"#,
            "UNKNOWN_TYPE",
            "Unknown message type: pause",
        ),
        (r#"{"x":1}"#, "UNKNOWN_TYPE", "Unknown message type: None"),
        (
            r#"{"type":"reconnect","previous_session_id":"x"}"#,
            "SESSION_NOT_FOUND",
            "Session not found",
        ),
    ];
    for (text, code, message) in table {
        stream.text(text).await;
        let error = json!({ "type": "error", "message": message, "code": code });
        assert_eq!(stream.event().await, error, "{text}");
    }
    // Empty audio has no reply, so the next one belongs to the chunk.
    stream.text(r#"{"type":"audio","data":""}"#).await;
    stream.text(r#"{"type":"audio"}"#).await;
    stream.audio(&silence(20)).await;
    assert_eq!(stream.event().await["type"], "partial");
    assert_eq!(service.metric("asr_errors_total").await, 5);
}

#[tokio::test]
async fn binary_messages_are_audio_too() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    stream.binary(&noise(500)).await;
    let reply = stream.event().await;
    assert_eq!(reply["type"], "partial");
    assert!(words(&reply) > 0);
}

#[tokio::test]
async fn a_session_closed_by_request_tells_its_client() {
    let service = Served::start(&[]);
    let mut stream = service.stream().await;
    let url = service.url(&format!("/v1/sessions/{}", stream.session));
    let answer: Value = service
        .http
        .delete(&url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(
        answer,
        json!({ "status": "closed", "session_id": stream.session })
    );
    let (events, code) = stream.until_close().await;
    assert_eq!(
        events,
        [json!({ "type": "error", "message": "Session is closing", "code": "SESSION_CLOSING" })]
    );
    assert_eq!(code, Some(1000));
    let again = service.http.delete(&url).send().await.unwrap();
    assert_eq!(again.status(), 404);
}

#[tokio::test]
async fn a_lost_connection_is_recovered_with_its_figures_and_words() {
    let service = Served::start(&[]);
    let mut lost = service.stream().await;
    let heard = replies(&mut lost, &noise(400)).await;
    let id = lost.session.clone();
    drop(lost);
    service.until_sessions(0).await;
    let mut stream = service.stream().await;
    stream
        .text(&json!({ "type": "reconnect", "previous_session_id": id }).to_string())
        .await;
    let recovered = stream.event().await;
    assert_eq!(recovered["type"], "session_recovered");
    assert_eq!(recovered["previous_session_id"], id);
    assert_eq!(
        recovered["previous_metrics"]["audio_bytes_received"],
        20 * CHUNK
    );
    assert_eq!(recovered["previous_metrics"]["transcripts_sent"], 20);
    assert_eq!(recovered["previous_metrics"]["audio_duration_ms"], 400.0);
    let texts = heard.iter().map(|reply| reply["text"].as_str().unwrap());
    let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
    assert_eq!(recovered["text"], texts.join(" "));
}
