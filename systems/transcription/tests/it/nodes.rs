//! Several workers that share a session table in Redis.

use std::process::Command;
use std::time::Duration;

use kit::testing::Redis;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::audio::{noise, silence};
use crate::served::{PATIENCE, Served, Stream};

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

async fn reconnect(stream: &mut Stream, previous: &str) {
    let message = json!({ "type": "reconnect", "previous_session_id": previous });
    stream.text(&message.to_string()).await;
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
    reconnect(&mut stream, &lost).await;
    let recovered = stream.event().await;
    assert_eq!(recovered["type"], "session_recovered");
    assert_eq!(recovered["text"], words);
    assert_eq!(recovered["previous_metrics"]["audio_bytes_received"], 6400);
    reconnect(&mut stream, &lost).await;
    assert_eq!(stream.event().await["code"], "SESSION_NOT_FOUND");
}

#[tokio::test]
async fn a_session_is_recovered_on_one_worker_even_if_all_try_at_the_same_time() {
    let redis = Redis::start();
    let workers = [(); 3].map(|()| worker(&redis, &[]));
    for is_open in [false, true, false, true] {
        let mut stream = workers[0].stream().await;
        stream.audio(&noise(200)).await;
        stream.event().await;
        let lost = stream.session.clone();
        let stream = is_open.then_some(stream);
        let mut fresh = Vec::new();
        for service in &workers {
            let mut stream = service.stream().await;
            reconnect(&mut stream, &lost).await;
            fresh.push(stream);
        }
        let mut recovered = 0;
        for stream in &mut fresh {
            let reply = stream.event().await;
            recovered += u32::from(reply["type"] == "session_recovered");
        }
        assert_eq!(recovered, 1, "{is_open}");
        if let Some(mut stream) = stream {
            let (events, code) = stream.until_close().await;
            assert_eq!(events.last().unwrap()["code"], "SESSION_CLOSING");
            assert_eq!(code, Some(1000));
        }
        drop(fresh);
        until_global(&workers[0], 0).await;
    }
}

#[tokio::test]
async fn replies_to_several_reconnects_keep_their_order() {
    let redis = Redis::start();
    let (here, there) = (worker(&redis, &[]), worker(&redis, &[]));
    let mut lost = Vec::new();
    for _ in 0..10 {
        lost.push(here.stream().await.session);
    }
    until_global(&there, 0).await;
    let mut stream = there.stream().await;
    let own = stream.session.clone();
    for id in &lost {
        reconnect(&mut stream, id).await;
        reconnect(&mut stream, &own).await;
    }
    stream.stop().await;
    let (events, code) = stream.until_close().await;
    assert_eq!(code, Some(1000));
    assert_eq!(events.len(), 20);
    for (pair, id) in events.chunks(2).zip(&lost) {
        assert_eq!(pair[0]["previous_session_id"], *id);
        assert_eq!(pair[1]["code"], "SESSION_NOT_FOUND");
    }
}

#[tokio::test]
async fn two_workers_with_one_id_keep_their_sessions() {
    let redis = Redis::start();
    // Each worker writes its sessions every 1.5 s, and removes those that it does not have.
    let same = ["--worker-id", "twin", "--worker-lease", "3"];
    let (here, there) = (worker(&redis, &same), worker(&redis, &same));
    let (mut near, mut far) = (here.stream().await, there.stream().await);
    for milliseconds in [20.0, 40.0] {
        near.audio(&noise(20)).await;
        far.audio(&noise(20)).await;
        until_listed(&here, &far.session, milliseconds).await;
        until_listed(&there, &near.session, milliseconds).await;
        for service in [&here, &there] {
            let metrics = service.get("/v1/metrics").await;
            assert_eq!(metrics["worker_id"], "twin");
            assert_eq!(metrics["global_sessions"], 2);
        }
    }
}

/// Polls until a worker lists a session with this much audio.
async fn until_listed(service: &Served, session: &str, milliseconds: f64) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let listed = service.get("/v1/sessions").await;
        let sessions = listed["sessions"].as_array().unwrap();
        let is_it = |one: &&Value| one["session_id"] == session;
        let found = sessions.iter().find(is_it).expect("the session is listed");
        if found["audio_duration_ms"] == milliseconds {
            return;
        }
        assert!(Instant::now() < deadline, "{listed}");
        sleep(Duration::from_millis(20)).await;
    }
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
    let metrics = service.get("/v1/metrics").await;
    assert_eq!(metrics["active_sessions"], 1);
    assert_eq!(metrics["global_sessions"], Value::Null);
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
