//! Injected faults, and their exact counts.

use std::time::Duration;

use tokio::time::Instant;

use serde_json::Value;

use crate::audio::{CHUNK, noise, silence};
use crate::served::{Served, Stream};

const CHUNKS: usize = 100;

/// The words of the replies to `CHUNKS` chunks of speech.
async fn texts(stream: &mut Stream) -> Vec<Value> {
    for chunk in noise(CHUNKS * 20).chunks(CHUNK) {
        stream.audio(chunk).await;
    }
    stream.stop().await;
    stream.until_close().await.0
}

async fn counts(service: &Served) -> Value {
    service.get("/faults").await["counts"].clone()
}

#[tokio::test]
async fn dropped_and_duplicated_replies_are_counted_exactly() {
    let service = Served::start(&["--faults", "drop=10,duplicate=7", "--latency-ms", "1"]);
    let replies = texts(&mut service.stream().await).await;
    let counts = counts(&service).await;
    // With the final there are 101 deliveries: 10 are dropped, and of the 14 multiples of 7, one is a multiple of 10.
    assert_eq!(counts["deliveries"], CHUNKS + 1);
    assert_eq!(counts["dropped"], 10);
    assert_eq!(counts["duplicated"], 13);
    assert_eq!(replies.len(), CHUNKS + 1 - 10 + 13);
}

#[tokio::test]
async fn swapped_replies_change_places() {
    let service = Served::start(&["--faults", "swap=51", "--latency-ms", "1"]);
    let replies = texts(&mut service.stream().await).await;
    assert_eq!(counts(&service).await["reordered"], 1);
    assert_eq!(replies.len(), CHUNKS + 1);
    let partials = replies.iter().filter(|reply| reply["type"] == "partial");
    let heard: Vec<_> = partials
        .map(|reply| reply["text"].as_str().unwrap())
        .collect();
    let last = replies.last().unwrap()["text"].as_str().unwrap();
    let words: Vec<_> = last.split(' ').collect();
    let heard: Vec<_> = heard.into_iter().filter(|text| !text.is_empty()).collect();
    let moved = heard
        .iter()
        .zip(&words)
        .filter(|(heard, word)| heard != word)
        .count();
    assert_eq!(moved, 2, "one pair of words has changed places");
}

#[tokio::test]
async fn a_stray_reply_reaches_another_session() {
    let service = Served::start(&["--faults", "stray=50", "--latency-ms", "1"]);
    let mut other = service.stream().await;
    texts(&mut service.stream().await).await;
    assert_eq!(counts(&service).await["strayed"], 2);
    for _ in 0..2 {
        assert_eq!(other.event().await["type"], "partial");
    }
}

#[tokio::test]
async fn replies_and_recordings_are_delayed() {
    let service = Served::start(&["--faults", "delay=200ms", "--latency-ms", "1"]);
    let begin = Instant::now();
    service.transcribe("", silence(20)).await;
    assert!(begin.elapsed() >= Duration::from_millis(200));
    let mut stream = service.stream().await;
    let begin = Instant::now();
    stream.audio(&silence(20)).await;
    stream.event().await;
    assert!(begin.elapsed() >= Duration::from_millis(200));
    assert_eq!(counts(&service).await["delayed"], 2);
}
