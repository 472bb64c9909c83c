use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use kit::testing::hostile::websocket;

use crate::audio::{CHUNK, noise};
use crate::pace::speak;
use crate::served::{PATIENCE, Served, message};

/// A text frame of a client, whose mask is 0.
fn frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let mut frame = vec![0x81, 0x80 | 0x7e];
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    frame.extend_from_slice(text.as_bytes());
    frame
}

/// Sends audio without reading the replies, until the service counts a slow client.
fn send_without_reading(socket: &mut TcpStream, closed: impl Fn() -> bool) {
    let burst = frame(&message(&noise(20))).repeat(100);
    let deadline = Instant::now() + 3 * PATIENCE;
    socket
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    while !closed() {
        assert!(
            Instant::now() < deadline,
            "the client is not found to be slow"
        );
        if socket.write_all(&burst).is_err() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The code of the close frame at the end of what the service sent.
fn close_code(mut socket: TcpStream) -> Option<u16> {
    // After the close frame, the service waits for ours.
    socket
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    let mut bytes = Vec::new();
    // The connection may end with a reset, because the service did not read all audio.
    let _ = socket.read_to_end(&mut bytes);
    let at = bytes.windows(2).rposition(|pair| pair[0] == 0x88)?;
    Some(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_closed_with_1008_and_nobody_else_is_hurt() {
    let service = Served::start(&["--latency-ms", "1", "--send-buffer", "4096"]);
    let mut healthy = service.stream().await;
    let mut stuck = websocket(service.address(), "/v1/transcribe/stream");
    let metrics = service.url("/metrics");
    let http = service.http.clone();
    let runtime = tokio::runtime::Handle::current();
    let stuck = tokio::task::spawn_blocking(move || {
        let is_closed = || {
            runtime.block_on(async {
                let text = http
                    .get(&metrics)
                    .send()
                    .await
                    .unwrap()
                    .text()
                    .await
                    .unwrap();
                text.contains("asr_slow_clients_total 1")
            })
        };
        send_without_reading(&mut stuck, is_closed);
        stuck
    });
    let mut slowest = Duration::ZERO;
    while !stuck.is_finished() {
        let sent = Instant::now();
        healthy.audio(&noise(20)[..CHUNK]).await;
        assert_eq!(healthy.event().await["type"], "partial");
        slowest = slowest.max(sent.elapsed());
    }
    let stuck = stuck.await.unwrap();
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    service.until_sessions(1).await;
    let code = tokio::task::spawn_blocking(move || close_code(stuck))
        .await
        .unwrap();
    assert_eq!(code, Some(1008));
    assert!(service.metric("asr_replies_dropped_total").await >= 9);
}

/// Clients at the pace of live speech, and those among them that read slowly or not at all.
const HEALTHY: usize = 40;
const SLOW: usize = 10;
/// Chunks of a healthy client: four seconds.
const CHUNKS: usize = 200;
/// Chunks of a slow client. Its queue of 100 replies is full after about three seconds.
const SLOW_CHUNKS: usize = 400;

/// The 99th percentile of the times from chunks to their replies, over all healthy clients.
async fn p99_of_healthy(service: &Arc<Served>) -> Duration {
    let mut clients = JoinSet::new();
    for _ in 0..HEALTHY {
        let service = service.clone();
        clients.spawn(async move { speak(&service, CHUNKS).await });
    }
    let mut times = clients.join_all().await.concat();
    times.sort();
    times[times.len() * 99 / 100]
}

/// Sends live audio and reads the reply to every tenth chunk, or none. Returns the close code.
async fn slow_client(service: Arc<Served>, reads: bool) -> Option<u16> {
    let mut stream = service.connect_with_buffer(4096).await;
    let mut clock = interval(Duration::from_millis(20));
    for (number, chunk) in noise(SLOW_CHUNKS * 20).chunks(CHUNK).enumerate() {
        clock.tick().await;
        if !stream.try_audio(chunk).await {
            break;
        }
        if reads && number % 10 == 0 {
            stream.event().await;
        }
    }
    stream.until_close().await.1
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_and_stuck_clients_are_closed_with_1008_and_the_others_keep_their_pace() {
    // Long replies soon fill the kernel's buffers.
    let arguments = ["--send-buffer", "4096", "--bytes-per-word", "16"];
    let service = Arc::new(Served::start(&arguments));
    let alone = p99_of_healthy(&service).await;
    let mut slow = JoinSet::new();
    for number in 0..SLOW {
        slow.spawn(slow_client(service.clone(), number % 2 == 0));
    }
    let beside = p99_of_healthy(&service).await;
    assert_eq!(slow.join_all().await, [Some(1008); SLOW]);
    assert_eq!(service.metric("asr_slow_clients_total").await, SLOW as u64);
    // Other tests run at the same time. Without protection, healthy clients would wait for seconds.
    let limit = alone + Duration::from_secs(1);
    assert!(beside < limit, "{beside:?} beside them, {alone:?} alone");
}
