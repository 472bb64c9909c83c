use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use tokio::time::Instant;

use kit::testing::hostile::websocket;

use crate::audio::{CHUNK, noise};
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
