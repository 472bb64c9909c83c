use serde_json::{Value, json};

use crate::audio::{noise, silence};
use crate::served::Served;

#[tokio::test]
async fn a_recording_is_transcribed_and_an_empty_one_is_refused() {
    let service = Served::start(&[]);
    let answer = service.transcribe("", silence(1000)).await;
    assert_eq!(answer.status(), 200);
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["text"].as_str().unwrap().split(' ').count(), 2);
    assert!(answer["duration_ms"].as_u64() >= Some(50), "{answer}");
    let empty = service.transcribe("", Vec::new()).await;
    assert_eq!(empty.status(), 400);
    assert_eq!(
        empty.json::<Value>().await.unwrap(),
        json!({ "detail": "Empty audio data" })
    );
}

#[tokio::test]
async fn rates_channels_and_wav_files_are_converted() {
    let service = Served::start(&[]);
    let second = 2 * 2 * 48_000;
    let stereo = service
        .transcribe("?sample_rate=48000&channels=2", vec![0; second])
        .await;
    let stereo: Value = stereo.json().await.unwrap();
    let duration = stereo["audio_duration_ms"].as_f64().unwrap();
    assert!((960.0..=1000.0).contains(&duration), "{duration}");

    let mut file = std::io::Cursor::new(Vec::new());
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for _ in 0..16_000 {
        writer.write_sample(0_i16).unwrap();
    }
    writer.finalize().unwrap();
    let wav: Value = service
        .transcribe("", file.into_inner())
        .await
        .json()
        .await
        .unwrap();
    let duration = wav["audio_duration_ms"].as_f64().unwrap();
    assert!((1950.0..=2000.0).contains(&duration), "{duration}");

    let unsupported = service.transcribe("?channels=6", silence(20)).await;
    assert_eq!(unsupported.status(), 400);
}

#[tokio::test]
async fn lists_and_sums_are_those_of_live_sessions() {
    let service = Served::start(&[]);
    let health = service.get("/v1/health").await;
    assert_eq!(health["status"], "ok");
    assert!(health["version"].is_string());
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(service.stream().await);
    }
    assert_eq!(service.get("/v1/health").await["active_sessions"], 3);
    streams[0].audio(&noise(400)).await;
    streams[0].event().await;
    let sums = service.get("/v1/sessions/metrics").await;
    let expected = json!({
        "active_sessions": 3, "total_sessions": 3, "total_audio_bytes": 12_800,
        "total_audio_duration_ms": 400.0, "total_chunks": 1, "total_transcripts": 1,
    });
    assert_eq!(sums, expected);
    let list = service.get("/v1/sessions").await;
    assert_eq!(list["count"], 3);
    let listed = list["sessions"].as_array().unwrap();
    let line = listed
        .iter()
        .find(|line| line["session_id"] == streams[0].session.as_str());
    let line = line.unwrap();
    assert_eq!(line["audio_duration_ms"], 400.0);
    assert!(line["created_at"].as_str().unwrap().ends_with("+00:00"));
    assert!(line["last_activity_at"].as_str() >= line["created_at"].as_str());
    let metrics = service.get("/v1/metrics").await;
    assert_eq!(
        metrics["sessions_by_state"],
        json!({ "created": 2, "active": 1, "closing": 0 })
    );
    assert_eq!(metrics["capacity_percent"], 0.3);
    assert_eq!(service.metric("asr_active_sessions").await, 3);
    drop(streams);
    service.until_sessions(0).await;
    assert_eq!(service.get("/v1/sessions/metrics").await["total_chunks"], 0);
    assert_eq!(service.metric("asr_sessions_total").await, 3);
}

#[tokio::test]
async fn unknown_routes_and_methods_answer_as_the_service_of_the_report() {
    let service = Served::start(&[]);
    let unknown = service.http.get(service.url("/v2")).send().await.unwrap();
    assert_eq!(unknown.status(), 404);
    assert_eq!(
        unknown.json::<Value>().await.unwrap(),
        json!({ "detail": "Not Found" })
    );
    let method = service
        .http
        .put(service.url("/v1/sessions"))
        .send()
        .await
        .unwrap();
    assert_eq!(method.status(), 405);
    assert_eq!(
        method.json::<Value>().await.unwrap(),
        json!({ "detail": "Method Not Allowed" })
    );
    let described = service.get("/openapi.json").await;
    assert_eq!(described["info"]["title"], "Transcription Service");
    for page in ["/docs", "/redoc"] {
        let page = service.http.get(service.url(page)).send().await.unwrap();
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    }
    let foreign = service
        .http
        .get(service.url("/v1/health"))
        .header("origin", "http://elsewhere.test");
    assert_eq!(foreign.send().await.unwrap().status(), 403);
}
