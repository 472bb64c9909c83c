//! Memory of sessions that listen for hours.

use kit::testing::hostile::resident;

use crate::audio::{noise, silence};
use crate::served::Served;

/// Sessions at the same time.
const SESSIONS: usize = 4;
/// Audio of each session: an hour.
const MINUTES: usize = 60;

#[tokio::test]
async fn an_hour_of_speech_takes_less_than_a_megabyte_per_session() {
    let service = Served::start(&["--latency-ms", "1"]);
    let mut streams = Vec::new();
    for _ in 0..SESSIONS {
        streams.push(service.stream().await);
    }
    let minute = [noise(20_000), silence(400), noise(39_200), silence(400)].concat();
    let before = resident(service.pid());
    let mut most = 0;
    for _ in 0..MINUTES {
        for stream in &mut streams {
            for chunk in minute.chunks(60_000) {
                stream.binary(chunk).await;
            }
        }
        for stream in &mut streams {
            for _ in minute.chunks(60_000) {
                stream.event().await;
            }
        }
        most = most.max(resident(service.pid()).saturating_sub(before));
    }
    let each = most / SESSIONS;
    assert!(each < 1 << 20, "{each} bytes per session");
    let sums = service.get("/v1/sessions/metrics").await;
    let hours = sums["total_audio_duration_ms"].as_f64().unwrap() / 3_600_000.0;
    assert!((hours - SESSIONS as f64).abs() < 0.01, "{hours} hours");
}
