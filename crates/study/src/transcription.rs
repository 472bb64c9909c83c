//! The study of the transcription service, to which people speak.

mod field;
mod figures;
mod measured;
mod parts;
mod slow_clients;
mod tables;

use std::time::Duration;

use engine::Stop;
use harness::{Harness, HarnessError, Notice, Part, System};

use crate::ceiling;
use crate::ceiling::{CeilingPart, Varied};
use crate::parts::{PartRun, StudyOutcome, StudyPart, run_all};
use crate::templates::{self, Templates};
use parts::Parts;
use slow_clients::{Closed, SlowClients};

const TEMPLATES: &Templates = &[
    (
        "report.md",
        include_str!("../templates/transcription/report.md"),
    ),
    (
        "headline.md",
        include_str!("../templates/transcription/headline.md"),
    ),
    (
        "findings.md",
        include_str!("../templates/transcription/findings.md"),
    ),
    (
        "advice.md",
        include_str!("../templates/transcription/advice.md"),
    ),
    (
        "terminal.md",
        include_str!("../templates/transcription/terminal.md"),
    ),
];

const SYSTEM: &str = "transcription";
const LIVE: &str = include_str!("../scenarios/transcription-live.ts");

/// A part with live streams.
const fn live(name: &'static str, title: &'static str) -> StudyPart {
    StudyPart::new(name, title, "transcription-live.ts", LIVE)
}

/// The default limit of 1,000 sessions leaves no room for recordings beside 1,000 streams.
const MANY_SESSIONS: &[&str] = &["--max-sessions", "4000"];

/// The kernel's buffers are small and the replies long, so that slow clients are noticed within one part.
const SMALL_BUFFERS: &[&str] = &["--send-buffer", "4096", "--bytes-per-word", "64"];

/// The parts of the study before the slow clients. The evidence refers to them by name.
const PARTS: [StudyPart; 6] = [
    StudyPart {
        must_be_valid: false,
        ..StudyPart::new(
            "report",
            "the field report's tests: each chunk waits for the reply to the one before",
            "transcription-report.ts",
            include_str!("../scenarios/transcription-report.ts"),
        )
    },
    StudyPart {
        flags: MANY_SESSIONS,
        ..live("live", "100 to 1,000 live streams at the pace of speech")
    },
    StudyPart {
        must_be_valid: false,
        must_hold: false,
        users: Some("2000"),
        flags: MANY_SESSIONS,
        ..live("beyond", "2,000 live streams")
    },
    StudyPart {
        must_hold: false,
        users: Some("20"),
        times: Some(("0s", "5s")),
        flags: &["--serial"],
        ..live(
            "serial",
            "the report's service: 50 ms per chunk, one after another",
        )
    },
    StudyPart::new(
        "hour",
        "an hour of speech per session, at 125 times its pace",
        "transcription-hour.ts",
        include_str!("../scenarios/transcription-hour.ts"),
    ),
    StudyPart {
        users: Some(TWICE_450),
        times: Some(SHORT),
        flags: SMALL_BUFFERS,
        ..live("alone", "450 live streams, twice, for comparison")
    },
];

/// The same level twice, so that the difference between two runs without a cause is known.
const TWICE_450: &str = "450,450";
/// Ramp-up and duration of these levels.
const SHORT: (&str, &str) = ("1s", "8s");

const SLOW: StudyPart = StudyPart {
    users: Some(TWICE_450),
    times: Some(SHORT),
    flags: SMALL_BUFFERS,
    ..live("slow", "the same beside 50 slow or stuck clients")
};
/// Slow clients, and the chunks that they send before they read everything.
const SLOW_CLIENTS: usize = 50;
const SLOW_CHUNKS: usize = 400;

/// Number of times that the service is started to measure its start-up time.
const STARTS: usize = 5;

const CEILING: CeilingPart = CeilingPart {
    part: Part {
        name: "ceiling",
        title: "search for the largest number of live streams",
        file: "transcription-live.ts",
        source: LIVE,
        modules: &[],
    },
    env: &[],
    varied: Varied::Users,
    words: ("The service follows", "live streams"),
    first: 200.0,
    most: 4000.0,
    budget_s: 60.0,
    limit_s: 0.5,
};
/// Parts after `PARTS`: the slow clients and the search.
const FURTHER: usize = 2;

/// Runs the study of the transcription service, in less than six minutes, without a search with a quota.
pub fn transcription(
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, HarnessError> {
    let start_up = slowest_start(harness)?;
    let no_flags = |_: &Part| Vec::new();
    let mut parts = run_all(SYSTEM, no_flags, &PARTS, FURTHER, harness, stop, tell)?;
    let mut closed = None;
    if stop.asked() == 0 {
        tell(Notice::Part {
            number: PARTS.len() + 1,
            parts: PARTS.len() + FURTHER,
            title: SLOW.part.title,
        });
        let (part, ends) = beside_slow_clients(harness, stop, tell)?;
        parts.push(part);
        closed = Some(ends);
    }
    let flags = ["--max-sessions", "10000"].map(str::to_owned);
    let system = (SYSTEM, flags.as_slice());
    let ceiling = ceiling::search_last(&CEILING, parts.len(), system, harness, stop, tell)?;
    Ok(StudyOutcome::told(parts, |parts| {
        let parts = Parts {
            start_up: Some(start_up),
            closed,
            ceiling: ceiling.as_ref(),
            ..Parts::of(parts)
        };
        templates::pages(TEMPLATES, &figures::figures(&parts))
    }))
}

/// Starts the service several times, and returns the longest time until it listened.
fn slowest_start(harness: &Harness) -> Result<Duration, HarnessError> {
    let mut slowest = Duration::ZERO;
    for _ in 0..STARTS {
        let system = System::start(&harness.exe, SYSTEM, &[], &harness.system_cores)?;
        slowest = slowest.max(system.start_up());
    }
    Ok(slowest)
}

/// Runs the part with slow clients, which begin before its users.
fn beside_slow_clients(
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<(PartRun, Closed), HarnessError> {
    let flags: Vec<String> = SLOW.flags.iter().map(ToString::to_string).collect();
    let prepared = harness.prepare(&SLOW.part, (SYSTEM, &flags), SLOW.changes())?;
    let clients = SlowClients::start(prepared.system.url(), SLOW_CLIENTS, SLOW_CHUNKS);
    let ran = prepared.run(stop, tell);
    let closed = clients.end();
    let (record, _) = ran?;
    let part = PartRun {
        name: SLOW.part.name,
        must_be_valid: SLOW.must_be_valid,
        must_hold: SLOW.must_hold,
        record,
        after: None,
    };
    Ok((part, closed))
}

#[cfg(test)]
mod tests;
