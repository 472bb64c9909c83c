use std::sync::Arc;

use record::Streams;
use script::Chunks;
use script::host::{Pattern, StreamReply};

use super::*;
use crate::level::Span;

const EVERY: Nanos = Nanos::from_millis(20);
const TIMEOUT: Nanos = Nanos::from_secs(1);
const OP: OpId = OpId(7);

fn recorder() -> Recorder {
    let mut recorder = Recorder::default();
    recorder.hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    recorder
}

/// Chunks of which those marked `#` have sound.
fn chunks(sounds: &str) -> Arc<Chunks> {
    let samples = sounds.chars().flat_map(|sign| {
        let sample: i16 = if sign == '#' { 1000 } else { 0 };
        sample.to_le_bytes()
    });
    // One sample per chunk.
    Arc::new(Chunks::from_samples(samples.collect(), 50, EVERY, false))
}

fn call(sounds: &str, by: Option<&str>) -> StreamCall {
    let is = |kind: &str| vec![("/type".to_owned(), vec![format!("\"{kind}\"")])];
    let reply = StreamReply {
        only: vec![(
            "/type".to_owned(),
            vec!["\"partial\"".to_owned(), "\"final\"".to_owned()],
        )],
        by: by.map(str::to_owned),
    };
    StreamCall {
        name: "voice".into(),
        chunks: chunks(sounds),
        template: None,
        every: EVERY,
        repeat: 1,
        in_flight: 1000,
        reply: Some(reply),
        first: Some(Pattern {
            only: is("partial"),
            has: Some("/text".to_owned()),
        }),
        last: Some(Pattern {
            only: is("final"),
            has: None,
        }),
        timeout: None,
    }
}

/// A stream whose chunks are sent when they are due, and the replies to it.
struct Trial {
    stream: PacedStream,
    recorder: Recorder,
    wakes: VecDeque<Wake>,
}

impl Trial {
    fn of(call: StreamCall) -> Self {
        let mut recorder = recorder();
        let name = recorder.name(Family::RoundTrip, &call.name);
        let begun = Nanos::from_secs(5);
        let stream = PacedStream::new(OP, call, (begun, TIMEOUT), name).unwrap();
        Self {
            stream,
            recorder,
            wakes: VecDeque::new(),
        }
    }

    /// Sends the chunks that are due at this time after the start.
    fn send_until(&mut self, millis: u64) {
        while let Some(due) = self.stream.next_due()
            && due <= at(millis)
        {
            self.stream.flight.push(due);
        }
    }

    fn hear(&mut self, millis: u64, message: &str) -> bool {
        self.send_until(millis);
        let now = at(millis);
        let consumed = self
            .stream
            .receive(message.as_bytes(), now, &mut self.recorder);
        self.stream
            .complete(&mut self.recorder, &mut self.wakes, now);
        consumed
    }

    fn figures(self) -> Streams {
        let mut measured = self.recorder.into_measured(&[]);
        measured.streams.remove("voice").unwrap_or_default()
    }
}

/// The time this long after the start of a stream.
fn at(millis: u64) -> Nanos {
    Nanos::from_secs(5) + Nanos::from_millis(millis)
}

const PARTIAL: &str = r#"{"type":"partial","text":""}"#;

fn is_near(timings: &record::Timings, millis: f64) {
    let mean = timings.response.mean().unwrap().as_millis_f64();
    assert!(
        (mean - millis).abs() < millis * 0.002,
        "{mean} and not {millis}"
    );
}

#[test]
fn a_serial_service_falls_behind_by_what_it_takes_too_long() {
    let mut trial = Trial::of(call(&".".repeat(100), None));
    for chunk in 0..100 {
        assert!(trial.hear(50 * (chunk + 1), PARTIAL));
    }
    assert_eq!(trial.wakes.len(), 1, "it is complete");
    let figures = trial.figures();
    let factor = figures.real_time_factor.min().unwrap();
    assert!((factor - 0.4).abs() < 0.001, "{factor}");
    assert_eq!(
        (figures.count, figures.answered, figures.chunks),
        (1, 100, 100)
    );
    // The last of 100 chunks is due after 1.98 s, and its reply arrives after 5 s.
    is_near(&figures.lag, 3020.0);
}

#[test]
fn a_constant_latency_does_not_lower_the_real_time_factor() {
    let mut trial = Trial::of(call(&".".repeat(50), None));
    for chunk in 0..50 {
        trial.hear(20 * chunk + 500, PARTIAL);
    }
    let figures = trial.figures();
    assert_eq!(figures.real_time_factor.min(), Some(1.0));
    is_near(&figures.lag, 500.0);
}

#[test]
fn a_service_that_freezes_has_answered_a_part_of_the_audio() {
    let mut trial = Trial::of(call(&".".repeat(100), None));
    for chunk in 0..25 {
        trial.hear(20 * chunk, PARTIAL);
    }
    trial.send_until(1980);
    let ended = trial
        .stream
        .end(&mut trial.recorder, at(2980), Finish::Left);
    assert_eq!(ended, Some((OP, 0)));
    let measured = trial.recorder.into_measured(&[]);
    let round_trips = &measured.round_trips["voice"];
    assert_eq!((round_trips.count, round_trips.unfinished), (25, 75));
    // The oldest chunk without a reply was due after 0.5 s, the youngest after 1.98 s.
    let ages = [round_trips.open.min(), round_trips.open.max()];
    let ages = ages.map(|age| age.unwrap().as_millis_f64());
    assert!(
        (ages[0] - 1000.0).abs() < 2.0 && (ages[1] - 2480.0).abs() < 5.0,
        "{ages:?}"
    );
    let figures = &measured.streams["voice"];
    assert_eq!((figures.unanswered, figures.cut_off), (75, 1));
    assert_eq!((figures.lag.count, figures.lag.unfinished), (0, 1));
    let factor = figures.real_time_factor.min().unwrap();
    assert!((factor - 25.0 * 20.0 / 1980.0).abs() < 0.001, "{factor}");
}

#[test]
fn missing_replies_count_when_the_time_limit_has_passed() {
    let mut trial = Trial::of(call("...", None));
    trial.hear(30, PARTIAL);
    trial.send_until(40);
    assert_eq!(trial.stream.limit(), at(40) + TIMEOUT);
    let fault = trial.stream.took_too_long(at(1040));
    assert!(
        fault.detail.starts_with("2 of 3 chunks had no reply"),
        "{}",
        fault.detail
    );
    let ended = trial
        .stream
        .end(&mut trial.recorder, at(1040), Finish::RanOut);
    assert_eq!(ended, Some((OP, 2)));
    assert_eq!(trial.stream.limit(), Nanos::MAX);
    let figures = trial.figures();
    assert_eq!((figures.failed, figures.unanswered), (1, 2));
    assert_eq!(figures.lag.timed_out, 1);
}

#[test]
fn numbers_tell_which_chunk_a_reply_answers() {
    let mut trial = Trial::of(call(".....", Some("/n")));
    let reply = |number: u64| format!(r#"{{"type":"partial","text":"","n":{number}}}"#);
    for (millis, number) in [
        (10, 0),
        (50, 2),
        (51, 1),
        (52, 1),
        (90, 3),
        (95, 9),
        (100, 4),
    ] {
        assert!(trial.hear(millis, &reply(number)), "{number}");
    }
    assert!(!trial.stream.is_running());
    assert!(!trial.hear(110, r#"{"type":"error"}"#), "it is no reply");
    assert!(trial.stream.is_reply(reply(4).as_bytes()));
    trial.stream.surplus(at(120), &mut trial.recorder);
    let figures = trial.figures();
    assert_eq!((figures.answered, figures.reordered), (5, 1));
    assert_eq!(
        figures.surplus, 3,
        "one twice, one that was never sent, and one afterwards"
    );
}

#[test]
fn results_count_from_the_end_of_their_audio() {
    // Two utterances: chunks 2 to 4, and 30 to 31. A pause of 15 chunks ends an utterance.
    let sounds = format!("..###{}##{}", ".".repeat(25), ".".repeat(20));
    let mut trial = Trial::of(call(&sounds, None));
    let said = |chunk: u64| match chunk {
        2..5 | 30..32 => r#"{"type":"partial","text":"word"}"#,
        // The second final result of a pause belongs to no utterance.
        19 | 28 | 46 => r#"{"type":"final"}"#,
        _ => PARTIAL,
    };
    for chunk in 0..52 {
        trial.hear(chunk * 20 + 70, said(chunk));
    }
    let figures = trial.figures();
    assert_eq!((figures.first.count, figures.last.count), (2, 2));
    is_near(&figures.first, 70.0);
    // 15 chunks of silence, and the latency of the reply.
    is_near(&figures.last, 370.0);
}

#[test]
fn an_utterance_without_a_final_result_is_slower_than_all_others() {
    let mut trial = Trial::of(call("##....", None));
    for chunk in 0..6 {
        trial.hear(chunk * 20 + 10, PARTIAL);
    }
    let figures = trial.figures();
    assert_eq!((figures.first.timed_out, figures.last.timed_out), (1, 1));
}

#[test]
fn only_chunks_of_the_measured_time_count() {
    let mut trial = Trial::of(call(&".".repeat(100), None));
    trial.recorder.hold = Span {
        start: at(1000),
        end: at(1500),
    };
    for chunk in 0..100 {
        trial.hear(50 * (chunk + 1), PARTIAL);
    }
    let figures = trial.figures();
    // Chunks 50 to 74 are due in the measured time. Chunks 29 to 49 are in flight during all of it.
    assert_eq!((figures.chunks, figures.answered), (46, 46));
    let factor = figures.real_time_factor.min().unwrap();
    assert!((factor - 0.4).abs() < 0.001, "{factor}");
    // Chunk 74 is due after 1.48 s, and answered after 3.75 s.
    is_near(&figures.lag, 2270.0);
}

#[test]
fn chunks_beyond_the_bound_are_dropped() {
    let mut bounded = call("....", None);
    bounded.in_flight = 2;
    let mut trial = Trial::of(bounded);
    trial.send_until(20);
    assert_eq!(trial.stream.flight.open(), 2);
    trial.stream.flight.skip();
    trial.stream.tally.dropped(at(40), true);
    trial.hear(60, PARTIAL);
    trial.hear(61, PARTIAL);
    trial.hear(62, PARTIAL);
    let figures = trial.figures();
    assert_eq!(
        (figures.chunks, figures.answered, figures.dropped),
        (4, 3, 1)
    );
}

#[test]
fn digits_are_those_of_the_number() {
    for number in [0, 7, 10, 1_234_567, u64::MAX] {
        assert_eq!(decimal(number, &mut [0; 20]), number.to_string());
    }
}
