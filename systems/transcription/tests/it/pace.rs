//! Streams at the pace of live speech.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::audio::{CHUNK, noise};
use crate::served::Served;

/// Sends chunks of 20 ms by the clock, whatever the replies do. Returns the time from each chunk to its reply.
pub(crate) async fn speak(service: &Served, chunks: usize) -> Vec<Duration> {
    let mut stream = service.stream().await;
    let audio = noise(chunks * 20);
    let mut clock = interval(Duration::from_millis(20));
    clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut chunks_left = audio.chunks(CHUNK);
    let (mut outstanding, mut times) = (VecDeque::new(), Vec::new());
    while times.len() < chunks {
        tokio::select! {
            due = clock.tick() => if let Some(chunk) = chunks_left.next() {
                stream.audio(chunk).await;
                outstanding.push_back(due);
            },
            event = stream.event(), if !outstanding.is_empty() => {
                assert_eq!(event["type"], "partial");
                times.extend(outstanding.pop_front().map(|due| due.elapsed()));
            }
        }
    }
    times
}

/// The time from the last chunk to its reply.
async fn lag_at_the_end(service: &Served, chunks: usize) -> Duration {
    *speak(service, chunks).await.last().unwrap()
}

#[tokio::test]
async fn a_stream_keeps_up_with_live_speech() {
    let service = Served::start(&[]);
    // Three chunks are in recognition at any time, because each takes 50 ms.
    let lag = lag_at_the_end(&service, 100).await;
    assert!(lag < Duration::from_millis(300), "{lag:?}");
}

#[tokio::test]
async fn serial_recognition_falls_behind_by_a_second_and_a_half_for_every_second() {
    let service = Served::start(&["--serial"]);
    assert_eq!(service.get("/healthz").await["recognition"], "serial");
    // 100 chunks of 20 ms arrive in 2 s and take 5 s.
    let lag = lag_at_the_end(&service, 100).await;
    assert!(lag >= Duration::from_millis(2950), "{lag:?}");
    assert!(lag < Duration::from_millis(3500), "{lag:?}");
}
