//! Streams at the pace of live speech.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::audio::{CHUNK, noise};
use crate::served::Served;

/// Sends chunks of 20 ms by the clock, whatever the replies do. Returns the time from the last chunk to its reply.
async fn lag_at_the_end(service: &Served, chunks: usize) -> Duration {
    let mut stream = service.stream().await;
    let audio = noise(chunks * 20);
    let mut clock = interval(Duration::from_millis(20));
    clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut chunks_left = audio.chunks(CHUNK);
    let (mut outstanding, mut ended) = (0, None);
    loop {
        tokio::select! {
            _ = clock.tick(), if ended.is_none() => match chunks_left.next() {
                Some(chunk) => {
                    stream.audio(chunk).await;
                    outstanding += 1;
                }
                None => ended = Some(Instant::now()),
            },
            event = stream.event(), if outstanding > 0 => {
                assert_eq!(event["type"], "partial");
                outstanding -= 1;
            }
        }
        if let (Some(ended), 0) = (ended, outstanding) {
            return ended.elapsed();
        }
    }
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
