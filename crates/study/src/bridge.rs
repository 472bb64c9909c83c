//! The bridge: rooms that people talk in.

mod evidence;
mod field;
mod pages;

use engine::Stop;
use record::Run;
use stage::{Notice, Stage, StageError};

use crate::parts::{PartRun, StudyOutcome, StudyPart, named, run_all};

/// The parts, with the names under which the evidence finds them.
const PARTS: [StudyPart; 4] = [
    StudyPart {
        must_be_sound: false,
        ..StudyPart::new(
            "short",
            "what the field report did: 20 messages a user, each size ten times",
            "bridge-short.ts",
            include_str!("../scenarios/bridge-short.ts"),
        )
    },
    StudyPart {
        must_be_sound: false,
        ..StudyPart::new(
            "http",
            "the same workload, long enough to measure",
            "bridge-http.ts",
            include_str!("../scenarios/bridge-http.ts"),
        )
    },
    StudyPart::new(
        "rooms",
        "the same rooms by WebSocket at the pace of people",
        "bridge-rooms.ts",
        include_str!("../scenarios/bridge-rooms.ts"),
    ),
    StudyPart::new(
        "crowd",
        "ten thousand open sessions",
        "bridge-crowd.ts",
        include_str!("../scenarios/bridge-crowd.ts"),
    ),
];

/// The parts that were run; a part is missing when the study was stopped before it.
pub(crate) struct Parts<'a> {
    pub(crate) short: Option<&'a Run>,
    pub(crate) http: Option<&'a Run>,
    pub(crate) rooms: Option<&'a Run>,
    pub(crate) crowd: Option<&'a Run>,
}

impl<'a> Parts<'a> {
    fn of(parts: &'a [PartRun]) -> Self {
        Self {
            short: named(parts, "short"),
            http: named(parts, "http"),
            rooms: named(parts, "rooms"),
            crowd: named(parts, "crowd"),
        }
    }
}

/// The study of the bridge: about four minutes.
pub fn bridge(
    stage: &Stage,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, StageError> {
    let parts = run_all("bridge", |_| Vec::new(), &PARTS, stage, stop, tell)?;
    Ok(StudyOutcome::told(parts, |parts| {
        let parts = Parts::of(parts);
        (pages::markdown(&parts), pages::terminal(&parts))
    }))
}
