use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use tokio::time::Instant;

use crate::audio::{CHUNK, noise, silence};
use crate::served::Served;

const SIGABRT: i32 = 6;

#[tokio::test]
async fn a_stop_loses_no_results_and_flushes_the_last_words() {
    let mut service = Served::start(&["--latency-ms", "300"]);
    let mut stream = service.stream().await;
    for chunk in noise(400).chunks(CHUNK) {
        stream.audio(chunk).await;
    }
    while service.get("/v1/sessions/metrics").await["total_chunks"] != 20 {}
    service.terminate();
    let (events, code) = stream.until_close().await;
    assert_eq!(events.len(), 21);
    assert_eq!(events.last().unwrap()["type"], "final");
    assert_eq!(code, Some(1012));
    drop(stream);
    assert_eq!(service.exit().await.code(), Some(0));
}

#[tokio::test]
async fn a_client_that_does_not_answer_cannot_hold_up_a_stop() {
    let mut service = Served::start(&["--stop-limit", "200ms"]);
    let _silent = service.stream().await;
    service.terminate();
    assert_eq!(service.exit().await.code(), Some(0));
}

#[tokio::test]
async fn a_crash_on_order_comes_at_its_chunk() {
    let mut service = Served::start(&["--faults", "crash=3"]);
    let mut stream = service.stream().await;
    for _ in 0..3 {
        stream.audio(&silence(20)).await;
    }
    assert_eq!(service.exit().await.signal(), Some(SIGABRT));
}

#[test]
fn invalid_settings_end_the_program_with_2_and_are_named() {
    for (arguments, named) in [
        (
            ["--vad-aggressiveness", "4"].as_slice(),
            "--vad-aggressiveness",
        ),
        (&["--endpointing-ms", "50"], "--endpointing-ms"),
        (&["--send-timeout", "0"], "--send-timeout"),
        (&["--engine", "remote"], "--remote-url"),
        (
            &["--engine", "remote", "--remote-url", "ftp://x"],
            "--remote-url",
        ),
        (
            &["--engine", "pocketsphinx", "--python", "/nowhere"],
            "python3-pocketsphinx",
        ),
        (&["--engine", "pocketsphinx", "--serial"], "--serial"),
    ] {
        let program = env!("CARGO_BIN_EXE_headcount-transcription");
        let output = Command::new(program).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(named), "{text}");
    }
}

#[tokio::test]
async fn the_service_starts_within_three_seconds() {
    let begin = Instant::now();
    let service = Served::start(&[]);
    service.stream().await;
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
}
