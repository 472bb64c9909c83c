//! Streams of audio as scenarios start them.

#[path = "common/stage.rs"]
mod common;

use std::fs;
use std::path::Path;

use common::{Call, Stage, try_stage_of};
use model::Nanos;
use script::host::{OpId, Pattern, Piece, SocketId, StreamCall, StreamReply, Template, Value};
use script::{Bundle, Limits, ScriptError};

const SOCKET: SocketId = SocketId(5);

/// A story with an open WebSocket. `source` is audio that the module makes at its top level.
fn opened(folder: &Path, source: &str, body: &str) -> Result<Stage, ScriptError> {
    let text = format!(
        "import {{ audio }} from \"headcount\";
const source = {source};
export default async function ({{ users: [user] }}) {{
const socket = await user.websocket(\"/\");
{body}
}}"
    );
    let bundle = Bundle::embedded("room.ts", &text)?;
    let mut stage = try_stage_of(&bundle, folder, Limits::default())?;
    stage.start(1);
    let calls = stage.take_calls();
    let [Call::Open(op, ..)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    stage.done(*op, Value::Socket(SOCKET, None));
    Ok(stage)
}

fn started(stage: &mut Stage) -> Result<(OpId, StreamCall), String> {
    match stage.take_calls().as_slice() {
        [Call::Stream(op, call)] => Ok((*op, call.clone())),
        _ => Err(stage.fault().fault.detail),
    }
}

/// The stream that starts with these options.
fn streams(source: &str, options: &str) -> Result<StreamCall, String> {
    let body = format!("await socket.stream(\"voice\", source, {options}).done;");
    let opened = opened(Path::new("."), source, &body);
    let mut stage = opened.map_err(|error| error.to_string())?;
    started(&mut stage).map(|(_, call)| call)
}

/// The reason why a module that makes this audio is refused.
fn refusal(folder: &Path, source: &str) -> String {
    match opened(folder, source, "") {
        Ok(_) => panic!("{source} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_defaults_are_binary_chunks_of_20_ms_without_replies() {
    let call = streams("audio.noise(\"1s\")", "undefined").unwrap();
    assert_eq!((&*call.name, call.every), ("voice", Nanos::from_millis(20)));
    assert_eq!((call.chunks.count(), call.repeat), (50, 1));
    assert_eq!((call.template, call.reply), (None, None));
    // 20 ms at 16 kHz, with two bytes per sample.
    assert_eq!(call.chunks.binary(49).len(), 640);
}

#[test]
fn options_describe_messages_replies_and_results() {
    let options = r#"{
        chunk: "100ms", every: "50ms", repeat: 3, inFlight: 9, timeout: "2s",
        as: { type: "audio", n: audio.number, data: audio.base64 },
        reply: { only: { "/type": ["partial", "final"], "/ok": true }, by: "/n" },
        results: { first: { only: { "/type": "partial" }, has: "/text" }, final: { only: { "/type": "final" } } },
    }"#;
    let call = streams("audio.silence(\"1s\", { rate: 8000 })", options).unwrap();
    let text = |text: &str| Piece::Text(text.to_owned());
    let expected = vec![
        text(r#"{"type":"audio","n":"#),
        Piece::Number,
        text(r#","data":""#),
        Piece::Chunk,
        text(r#""}"#),
    ];
    assert_eq!(call.template, Some(Template(expected)));
    // 800 samples are 1,600 bytes, which are 2,136 characters of base64.
    assert_eq!(
        (call.chunks.count(), call.chunks.base64(9).len()),
        (10, 2136)
    );
    assert_eq!(
        (call.every, call.repeat, call.in_flight),
        (Nanos::from_millis(50), 3, 9)
    );
    assert_eq!(call.timeout, Some(Nanos::from_secs(2)));
    let is = |at: &str, values: &[&str]| {
        let values = values.iter().map(|&value| value.to_owned());
        (at.to_owned(), values.collect::<Vec<_>>())
    };
    let reply = StreamReply {
        only: vec![
            is("/type", &["\"partial\"", "\"final\""]),
            is("/ok", &["true"]),
        ],
        by: Some("/n".to_owned()),
    };
    assert_eq!(call.reply, Some(reply));
    let first = Pattern {
        only: vec![is("/type", &["\"partial\""])],
        has: Some("/text".to_owned()),
    };
    assert_eq!(call.first, Some(first));
    assert!(call.last.is_some());
}

#[test]
fn a_stream_ends_when_the_engine_says_so_or_the_script_stops_it() {
    let body = "const voice = socket.stream(\"voice\", source); voice.stop(); await voice.done;";
    let mut stage = opened(Path::new("."), "audio.speech(1)", body).unwrap();
    let calls = stage.take_calls();
    let [Call::Stream(op, _), Call::Other(stopped)] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    assert_eq!(stopped, "stop stream 5");
    stage.done(*op, Value::Nothing);
    let ended = stage.ended();
    assert!(ended.len() == 1 && ended[0].outcome.is_ok(), "{ended:?}");
}

#[test]
fn files_of_the_scenarios_folder_are_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.pcm"), [1, 0].repeat(800)).unwrap();
    fs::write(folder.path().join("b.wav"), "no WAV file").unwrap();
    let body = "await socket.stream(\"voice\", source).done;";
    let source = r#"audio("a.pcm", { format: "s16le", rate: 8000 })"#;
    let mut stage = opened(folder.path(), source, body).unwrap();
    let (_, call) = started(&mut stage).unwrap();
    assert_eq!((call.chunks.count(), call.chunks.binary(0).len()), (5, 320));
    for (source, words) in [
        (
            r#"audio("a.pcm", { format: "s16le" })"#,
            "`rate` is missing",
        ),
        (
            r#"audio("a.pcm", { format: "mp3" })"#,
            "expected one of: wav, s16le",
        ),
        (r#"audio("b.wav")"#, "b.wav: not a WAV file"),
        (r#"audio("b.wav", { rate: 8000 })"#, "states its rate"),
        (r#"audio("c.wav")"#, "c.wav"),
        (r#"audio("a.txt")"#, "must end in .wav"),
    ] {
        let refused = refusal(folder.path(), source);
        assert!(refused.contains(words), "{source}: {refused}");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = Path::new(".");
    let stereo = "audio.speech(1).concat(audio.silence(\"1s\", { channels: 2 }))";
    let refused = refusal(folder, stereo);
    assert!(
        refused.contains("16000 Hz × 1 and 16000 Hz × 2"),
        "{refused}"
    );
    assert!(refusal(folder, "audio.speech(9)").contains("from 1 to 8"));
    assert!(refusal(folder, "audio.silence(\"0s\")").contains("empty"));
    for (options, words) in [
        ("{ evry: 1 }", "did you mean `every`?"),
        ("{ every: 0 }", "must be at least"),
        ("{ as: { type: \"audio\" } }", "`audio.base64`"),
        ("{ as: \"text\" }", "\"binary\""),
        ("{ reply: { by: \"n\" } }", "must begin with `/`"),
        ("{ results: { last: {} } }", "expected one of: first, final"),
    ] {
        let refused = streams("audio.noise(\"1s\")", options).unwrap_err();
        assert!(refused.contains(words), "{options}: {refused}");
    }
    let mut late = opened(folder, "null", "audio.silence(\"1s\");").unwrap();
    let detail = late.fault().fault.detail;
    assert!(detail.contains("at the top level"), "{detail}");
    let other = streams("\"speech.wav\"", "{}").unwrap_err();
    assert!(other.contains("must come from `audio`"), "{other}");
}

#[test]
fn the_shipped_speech_has_eight_utterances_in_chunks_that_all_workers_share() {
    let body = "await socket.stream(\"voice\", source).done;";
    let mut stage = opened(Path::new("."), "audio.speech()", body).unwrap();
    let (_, call) = started(&mut stage).unwrap();
    let utterances = call.chunks.utterances();
    assert!(utterances.len() >= 8, "{utterances:?}");
    // Each of the eight pauses of 0.7 s has 35 chunks. Pauses within a sentence are shorter.
    let ends = utterances.iter().map(|one| one.last);
    let next = utterances.iter().skip(1).map(|one| one.first);
    let next = next.chain([call.chunks.count()]);
    let long = ends.zip(next).filter(|(end, next)| next - end > 34);
    assert_eq!(long.count(), 8, "{utterances:?}");
}
