//! The study of the bridge, in whose rooms people talk.

mod field;
mod figures;
mod parts;
mod tables;

use engine::Stop;
use harness::{Harness, HarnessError, Notice, Part};

use crate::ceiling;
use crate::ceiling::{CeilingPart, Varied};
use crate::parts::{StudyOutcome, StudyPart, run_all};
use crate::templates::{self, Templates};
use parts::Parts;

const TEMPLATES: &Templates = &[
    ("report.md", include_str!("../templates/bridge/report.md")),
    (
        "headline.md",
        include_str!("../templates/bridge/headline.md"),
    ),
    (
        "sessions.md",
        include_str!("../templates/bridge/sessions.md"),
    ),
    (
        "findings.md",
        include_str!("../templates/bridge/findings.md"),
    ),
    (
        "terminal.md",
        include_str!("../templates/bridge/terminal.md"),
    ),
];

/// The parts of the study. The evidence refers to them by name.
const PARTS: [StudyPart; 4] = [
    StudyPart {
        must_be_valid: false,
        ..StudyPart::new(
            "short",
            "the field report's test: 20 messages per user, ten runs per size",
            "bridge-short.ts",
            include_str!("../scenarios/bridge-short.ts"),
        )
    },
    StudyPart {
        must_be_valid: false,
        ..StudyPart::new(
            "http",
            "the same workload, long enough to measure",
            "bridge-http.ts",
            include_str!("../scenarios/bridge-http.ts"),
        )
    },
    StudyPart::new(
        "rooms",
        "the same rooms over WebSocket, at human pace",
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

const CEILING: CeilingPart = CeilingPart {
    part: Part {
        name: "ceiling",
        title: "search for the largest number of users in these rooms",
        file: "bridge-rooms.ts",
        source: include_str!("../scenarios/bridge-rooms.ts"),
        modules: &[],
    },
    env: &[],
    varied: Varied::Users,
    words: ("The bridge holds", "users at human pace in five rooms"),
    first: 100.0,
    most: 20_000.0,
    budget_s: 60.0,
    limit_s: 0.02,
};

/// Runs the study of the bridge, in about five minutes, without a search with a quota.
pub fn bridge(
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, HarnessError> {
    let parts = run_all("bridge", |_| Vec::new(), &PARTS, 1, harness, stop, tell)?;
    let ceiling =
        ceiling::search_last(&CEILING, parts.len(), ("bridge", &[]), harness, stop, tell)?;
    Ok(StudyOutcome::told(parts, |parts| {
        let parts = Parts {
            ceiling: ceiling.as_ref(),
            ..Parts::of(parts)
        };
        templates::pages(TEMPLATES, &figures::figures(&parts))
    }))
}

#[cfg(test)]
mod tests;
