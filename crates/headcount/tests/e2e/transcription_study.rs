//! The scenarios of the transcription study at a small scale, on the built-in service.

use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Lab, Server};

/// Runs a scenario without warm-up, so that all of its operations are measured. Returns the only level of its summary.
fn level(service: &Server, name: &str, arguments: &[&str]) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../study/scenarios");
    let lab = Lab::new();
    let always = ["--json", "--ramp", "0s", "--warmup", "0s"];
    let ended = lab.run(
        &folder.join(name).display().to_string(),
        &service.url(),
        &[&always, arguments].concat(),
    );
    let mut summary = ended.summary();
    let level = summary["levels"][0].take();
    assert!(level.is_object(), "{summary:#}\n{}", ended.stderr);
    level
}

#[test]
fn the_serial_service_of_the_report_has_a_real_time_factor_of_0_4() {
    let service = Server::transcription(&["--serial"]);
    let arguments = ["--users", "4", "--duration", "6s", "--env", "POSTING=1000"];
    let level = level(&service, "transcription-live.ts", &arguments);
    let streams = &level["streams"]["voice"];
    assert_eq!(streams["count"], 4, "{level:#}");
    for which in ["min", "mean"] {
        let factor = streams["real_time_factor"][which].as_f64().unwrap();
        assert!((factor - 0.4).abs() < 0.008, "{which} {factor}");
    }
}

#[test]
fn every_chunk_of_live_streams_is_answered_while_recordings_are_posted() {
    let service = Server::transcription(&[]);
    let arguments = ["--users", "6", "--duration", "5s", "--env", "POSTING=2"];
    let level = level(&service, "transcription-live.ts", &arguments);
    let streams = &level["streams"]["voice"];
    assert_eq!(streams["count"], 6, "{level:#}");
    assert_eq!(streams["answered"], streams["chunks"], "{level:#}");
    assert!(streams["final"]["count"].as_u64() >= Some(6), "{level:#}");
    let recordings = &level["requests"]["by_name"]["transcribe"];
    assert!(recordings["count"].as_u64() >= Some(6), "{level:#}");
    assert_eq!(recordings["failed"], 0, "{level:#}");
    assert_eq!(level["iterations"]["failed"], 0, "{level:#}");
}

#[test]
fn the_reports_tests_and_an_hour_of_speech_run_without_failures() {
    let service = Server::transcription(&["--latency-ms", "5"]);
    // With this seed, the first tasks of the users are of all kinds, however few iterations a busy machine makes.
    let arguments = ["--users", "40", "--duration", "6s", "--seed", "1"];
    let report = level(&service, "transcription-report.ts", &arguments);
    assert_eq!(report["iterations"]["failed"], 0, "{report:#}");
    for name in ["transcribe", "health"] {
        let count = &report["requests"]["by_name"][name]["count"];
        assert!(count.as_u64() > Some(0), "{name}: {report:#}");
    }
    let chunks = &report["round_trips"]["by_name"]["audio_chunk"];
    assert!(chunks["count"].as_u64() > Some(500), "{report:#}");
    let arguments = ["--users", "1", "--duration", "3s"];
    let hour = level(&service, "transcription-hour.ts", &arguments);
    let streams = &hour["streams"]["hour"];
    assert!(streams["chunks"].as_u64() > Some(500), "{hour:#}");
    assert_eq!(streams["unanswered"], 0, "{hour:#}");
}
