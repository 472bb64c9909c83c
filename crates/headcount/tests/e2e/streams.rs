//! Streams of audio, against servers whose speed and faults are known.

use serde_json::Value;

use crate::harness::{Lab, Server, ask, has_issue, is_invalid, speech_server};

/// A run is repeated at most this often if this machine was too busy to measure.
const ATTEMPTS: usize = 10;

/// Two users send 100 chunks of 20 ms, once. The server returns each chunk. `OPTIONS` are more options of the stream.
const VOICE: &str = r#"
import { audio, type Group, type Options } from "headcount";
export const options: Options = {
  load: { users: 2, once: true },
  thresholds: { "stream(voice)": [THRESHOLDS] },
};
const noise = audio.noise("2s");
export default async function speak({ users: [user] }: Group) {
  const socket = await user!.websocket("/echo?QUERY");
  const voice = socket.stream("voice", noise, {
    as: { type: "audio", number: audio.number, data: audio.base64 },
    reply: { only: { "/type": "audio" } OPTIONS },
    timeout: "4s",
  });
  await voice.done.catch((error) => { if (error.kind !== "timed_out") throw error; });
  await user!.think("700ms");
  await socket.close();
}
"#;

/// The level of a run against this behaviour of the truth server, and what the server did.
fn voice(query: &str, options: &str, thresholds: &[&str]) -> (Value, Value) {
    let thresholds: Vec<_> = thresholds.iter().map(|one| format!("{one:?}")).collect();
    let text = VOICE
        .replace("QUERY", query)
        .replace("OPTIONS", options)
        .replace("THRESHOLDS", &thresholds.join(", "));
    let (_, truth, mut summary) = measured(&text, || Server::truth(&[]));
    let level = summary["levels"][0].take();
    let done = ask(&format!("{}/truth", truth.url()))["websocket"]["sum"].take();
    (level, done)
}

/// Runs a scenario that must pass, against a new server. Repeats it if this machine was too busy, or its host was.
fn measured(scenario: &str, start: impl Fn() -> Server) -> (Lab, Server, Value) {
    for _ in 0..ATTEMPTS {
        let lab = Lab::alone().with("streams.ts", scenario);
        let server = start();
        let ended = lab.run("streams.ts", &server.url(), &["--json"]);
        let summary = ended.summary();
        let level = &summary["levels"][0];
        if ended.code != Some(0) && (is_invalid(level) || has_issue(level, "stolen_time")) {
            continue;
        }
        assert_eq!(ended.code, Some(0), "{summary:#}\n{}", ended.stderr);
        return (lab, server, summary);
    }
    panic!("this machine is too busy to measure")
}

#[test]
fn a_service_that_takes_50_ms_for_20_ms_has_a_real_time_factor_of_0_4() {
    // The last chunk is due after 1.98 s, and its reply arrives after 5 s: 1.5 s more for each second of audio.
    let thresholds = [
        "rtf max < 0.408",
        "rtf min > 0.392",
        "lag max < 3.1s",
        "lag min > 3.0s",
        "unanswered == 0",
        "surplus == 0",
        "count == 2",
    ];
    let (level, _) = voice("serial=50ms", "", &thresholds);
    assert_eq!(
        level["round_trips"]["by_name"]["voice"]["count"], 200,
        "{level:#}"
    );
    assert_eq!(level["streams"]["voice"]["answered"], 200, "{level:#}");
}

#[test]
fn a_constant_latency_of_50_ms_keeps_up() {
    let thresholds = [
        "rtf min > 0.98",
        "lag max < 100ms",
        "reordered == 0",
        "failed == 0",
    ];
    let (level, _) = voice("delay=50ms", "", &thresholds);
    let round_trips = &level["round_trips"]["by_name"]["voice"];
    assert_eq!(round_trips["count"], 200, "{level:#}");
    let p50 = round_trips["p50_ms"].as_f64().unwrap();
    assert!((50.0..60.0).contains(&p50), "{level:#}");
}

#[test]
fn lost_and_repeated_replies_are_counted_exactly() {
    let (level, done) = voice("drop=10", ", by: \"/number\"", &["unanswered == 20"]);
    assert_eq!(done["dropped"], 20);
    let voice_of = |level: &Value, key: &str| level["streams"]["voice"][key].clone();
    assert_eq!(voice_of(&level, "answered"), 180, "{level:#}");
    // Every 10th reply may always be one of the same stream.
    let failed = voice_of(&level, "failed");
    assert!(matches!(failed.as_u64(), Some(1 | 2)), "{level:#}");
    assert_eq!(
        level["round_trips"]["by_name"]["voice"]["failed"], 20,
        "{level:#}"
    );
    // Without numbers, the replies after a lost one answer the chunk before. The number of missing replies is the same.
    let (level, _) = voice("drop=10", "", &["unanswered == 20", "reordered == 0"]);
    assert_eq!(voice_of(&level, "answered"), 180, "{level:#}");
    let (level, done) = voice("duplicate=10", "", &["surplus == 20", "unanswered == 0"]);
    assert_eq!(done["duplicated"], 20);
    assert_eq!(voice_of(&level, "answered"), 200, "{level:#}");
}

#[test]
fn swapped_replies_are_counted_exactly() {
    let (level, done) = voice(
        "swap=10",
        ", by: \"/number\"",
        &["reordered > 0", "unanswered == 0"],
    );
    assert!(done["swapped"].as_u64() >= Some(18), "{done:#}");
    assert_eq!(
        level["streams"]["voice"]["reordered"], done["swapped"],
        "{level:#}"
    );
}

/// Streams without an end, of which the measured time contains a part. The server freezes after half a second.
const FROZEN: &str = r#"
import { audio, type Group, type Options } from "headcount";
export const options: Options = { load: { users: 2, duration: "3s" }, settle: "300ms", timeouts: { total: "1s", connect: "1s" } };
const second = audio.noise("1s");
export default async function speak({ users: [user] }: Group) {
  const socket = await user!.websocket("/echo?stall=1h/2h/500ms");
  await socket.stream("voice", second, { repeat: 1000, reply: {} }).done;
}
"#;

#[test]
fn a_service_that_freezes_does_not_keep_up() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("frozen.ts", FROZEN);
    let level = lab.level(
        "frozen.ts",
        &truth.url(),
        &["--ramp", "0s", "--warmup", "0s"],
    );
    let voice = &level["streams"]["voice"];
    assert_eq!(voice["cut_off"], 2, "{level:#}");
    let answered = voice["answered"].as_u64().unwrap();
    // 25 of 150 chunks for each user.
    assert!((40..=54).contains(&answered), "{level:#}");
    let unanswered = voice["unanswered"].as_u64().unwrap();
    assert!((240..=262).contains(&unanswered), "{level:#}");
    assert!(
        voice["real_time_factor"]["min"].as_f64().unwrap() < 0.25,
        "{level:#}"
    );
    let record = lab.record();
    let round_trips = &record["levels"][0]["measured"]["round_trips"]["voice"];
    let open =
        round_trips["timed_out"].as_u64().unwrap() + round_trips["unfinished"].as_u64().unwrap();
    assert_eq!(open, unanswered, "{round_trips:#}");
}

/// A sentence and a pause, sent as JSON to the transcription service on Python's `websockets`.
const SPEECH: &str = r#"
import { audio, type Group, type Options } from "headcount";
export const options: Options = {
  load: { users: 5, once: true },
  thresholds: {
    "stream(voice)": [
      "rtf min > 0.95", "unanswered == 0", "surplus == 0",
      "first count == 10", "first failed == 0", "first max < 150ms", "first min >= 49ms",
      "final count == 10", "final failed == 0", "final max < 450ms", "final min >= 345ms",
    ],
    "roundTrip(voice)": "min >= 49ms",
  },
};
const speech = audio.speech(1).concat(audio.silence("600ms"), audio.noise("200ms"), audio.silence("600ms"));
export default async function speak({ users: [user], check }: Group) {
  const socket = await user!.websocket("/");
  check("the words are known", speech.text.startsWith("The quick brown fox"));
  const voice = socket.stream("voice", speech, {
    as: { type: "audio", data: audio.base64 },
    reply: { only: { "/type": ["partial", "final"] } },
    results: { first: { only: { "/type": "partial" }, has: "/text" }, final: { only: { "/type": "final" } } },
  });
  await voice.done;
  socket.send({ type: "stop" });
  await socket.close();
}
"#;

#[test]
fn results_are_timed_from_the_end_of_their_audio() {
    let (lab, ..) = measured(SPEECH, speech_server);
    let report = lab.headcount(&["report", "run"]).stdout;
    for word in ["Streams", "rtf min", "final p95"] {
        assert!(report.contains(word), "{report}");
    }
}
