//! Several workers that share a session table in Redis.

use std::process::Command;
use std::time::Duration;

use kit::testing::Redis;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::audio::{noise, silence};
use crate::served::{PATIENCE, Served};

/// A worker whose sessions are removed ten seconds after its last sign of life.
fn worker(redis: &Redis, arguments: &[&str]) -> Served {
    let url = redis.url();
    let shared = ["--redis", &url];
    Served::start(&[&shared, arguments].concat())
}

/// Polls until all workers together have this number of sessions.
async fn until_global(service: &Served, expected: u64) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let metrics = service.get("/v1/metrics").await;
        if metrics["global_sessions"] == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{metrics}");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_global_limit_counts_the_sessions_of_all_workers() {
    let redis = Redis::start();
    let limit = ["--max-global-sessions", "3"];
    let (here, there) = (worker(&redis, &limit), worker(&redis, &limit));
    let mut kept = vec![
        here.stream().await,
        there.stream().await,
        here.stream().await,
    ];
    for service in [&here, &there] {
        let (events, code) = service.connect("").await.until_close().await;
        let text = "Global session limit reached";
        assert_eq!(
            events,
            [json!({ "type": "error", "message": text, "code": "SESSION_LIMIT" })]
        );
        assert_eq!(code, Some(1008));
        let refused = service.transcribe("", silence(20)).await;
        assert_eq!(refused.status(), 503);
    }
    let metrics = there.get("/v1/metrics").await;
    assert_eq!(metrics["active_sessions"], 1);
    assert_eq!(metrics["global_sessions"], 3);
    assert_eq!(metrics["max_global_sessions"], 3);
    kept.pop();
    until_global(&there, 2).await;
    there.stream().await;
}

#[tokio::test]
async fn a_session_is_listed_and_ended_by_every_worker() {
    let redis = Redis::start();
    let (here, there) = (worker(&redis, &[]), worker(&redis, &[]));
    let mut stream = here.stream().await;
    let listed = there.get("/v1/sessions").await;
    assert_eq!(listed["count"], 1);
    assert_eq!(listed["sessions"][0]["session_id"], stream.session);
    let url = there.url(&format!("/v1/sessions/{}", stream.session));
    let ended = there.http.delete(&url).send().await.unwrap();
    assert_eq!(ended.status(), 200);
    let (events, code) = stream.until_close().await;
    assert_eq!(events[0]["code"], "SESSION_CLOSING");
    assert_eq!(code, Some(1000));
    until_global(&there, 0).await;
    let again = there.http.delete(&url).send().await.unwrap();
    assert_eq!(again.status(), 404);
}

#[tokio::test]
async fn sessions_of_a_worker_that_was_killed_are_removed_and_no_others() {
    let redis = Redis::start();
    let limit = ["--max-global-sessions", "2"];
    // This lease ends three seconds after the worker's last sign of life.
    let limit = [&limit[..], &["--worker-lease", "3"]].concat();
    let (mut killed, left) = (worker(&redis, &limit), worker(&redis, &limit));
    let (_orphan, mut stream) = (killed.stream().await, left.stream().await);
    killed.kill();
    until_global(&left, 1).await;
    left.stream().await;
    stream.audio(&noise(20)).await;
    assert_eq!(stream.event().await["type"], "partial");
}

#[tokio::test]
async fn a_worker_that_stops_leaves_the_table_at_once() {
    let redis = Redis::start();
    let url = redis.url();
    let shared = ["--redis", &url, "--worker-lease", "600"];
    let (mut stopped, left) = (Served::start(&shared), Served::start(&shared));
    let mut stream = stopped.stream().await;
    stopped.terminate();
    stream.until_close().await;
    drop(stream);
    assert_eq!(stopped.exit().await.code(), Some(0));
    assert_eq!(left.get("/v1/metrics").await["global_sessions"], 0);
}

#[tokio::test]
async fn a_lost_connection_is_recovered_on_another_worker() {
    let redis = Redis::start();
    let (here, there) = (worker(&redis, &[]), worker(&redis, &[]));
    let mut stream = here.stream().await;
    stream.audio(&noise(200)).await;
    let words = stream.event().await["text"].clone();
    let lost = stream.session.clone();
    drop(stream);
    until_global(&there, 0).await;
    let mut stream = there.stream().await;
    let reconnect = json!({ "type": "reconnect", "previous_session_id": lost });
    stream.text(&reconnect.to_string()).await;
    let recovered = stream.event().await;
    assert_eq!(recovered["type"], "session_recovered");
    assert_eq!(recovered["text"], words);
    assert_eq!(recovered["previous_metrics"]["audio_bytes_received"], 6400);
    stream.text(&reconnect.to_string()).await;
    assert_eq!(stream.event().await["code"], "SESSION_NOT_FOUND");
}

#[tokio::test]
async fn streams_continue_without_redis_and_new_ones_wait_for_it() {
    let mut redis = Redis::start();
    let service = worker(&redis, &[]);
    let mut stream = service.stream().await;
    redis.kill();
    stream.audio(&noise(20)).await;
    assert_eq!(stream.event().await["type"], "partial");
    let (events, code) = service.connect("").await.until_close().await;
    assert_eq!(events[0]["message"], "Session table is not available");
    assert_eq!(code, Some(1008));
    redis.restart();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let mut fresh = service.connect("").await;
        if fresh.event().await["type"] == "session_start" {
            break;
        }
        assert!(Instant::now() < deadline, "new streams are still refused");
        sleep(Duration::from_millis(100)).await;
    }
    until_global(&service, 1).await;
    let listed: Value = service.get("/v1/sessions").await;
    assert_eq!(listed["sessions"][0]["session_id"], stream.session);
}

#[test]
fn the_password_in_a_refused_url_of_redis_is_not_shown() {
    let url = "rediss://:geheim@127.0.0.1:6379";
    let ran = Command::new(env!("CARGO_BIN_EXE_headcount-transcription"))
        .args(["--listen", "127.0.0.1:0", "--redis", url])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("redis://127.0.0.1:6379"), "{said}");
    assert!(!said.contains("geheim"), "{said}");
}
