//! The study of the editor, in whose rooms people edit a shared document.

mod field;
mod figures;
mod page;
mod parts;
mod tables;

use engine::Stop;
use harness::{Harness, HarnessError, Notice, Part};

use crate::ceiling::{self, CeilingPart, Varied};
use crate::parts::{StudyOutcome, StudyPart, folder_of, run_all};
use crate::templates::{self, Templates};
use parts::Parts;

const TEMPLATES: &Templates = &[
    ("report.md", include_str!("../templates/editor/report.md")),
    (
        "headline.md",
        include_str!("../templates/editor/headline.md"),
    ),
    ("limit.md", include_str!("../templates/editor/limit.md")),
    (
        "findings.md",
        include_str!("../templates/editor/findings.md"),
    ),
    ("advice.md", include_str!("../templates/editor/advice.md")),
    (
        "terminal.md",
        include_str!("../templates/editor/terminal.md"),
    ),
];

const REPORT: &str = include_str!("../scenarios/editor-report.ts");
const ROOMS: &str = include_str!("../scenarios/editor-rooms.ts");

/// The parts of the study. The evidence refers to them by name.
const PARTS: [StudyPart; 9] = [
    StudyPart::new(
        "report",
        "the field report's four tests, at the report's pace",
        "editor-report.ts",
        REPORT,
    ),
    StudyPart {
        users: Some("10,50"),
        faults: Some("delay=1s"),
        ..StudyPart::new(
            "late",
            "two of the four tests on a server that is one second late",
            "editor-report.ts",
            REPORT,
        )
    },
    StudyPart {
        times: Some(("2s", "7s")),
        ..StudyPart::new(
            "rooms",
            "rooms of 5, up to 1,000 people",
            "editor-rooms.ts",
            ROOMS,
        )
    },
    StudyPart {
        users: Some("2000,5000,10000"),
        times: Some(("8s", "10s")),
        ..StudyPart::new(
            "crowd",
            "rooms of 5, up to 10,000 people",
            "editor-rooms.ts",
            ROOMS,
        )
    },
    StudyPart {
        users: Some("12500,15000"),
        times: Some(("8s", "8s")),
        must_be_valid: false,
        must_hold: false,
        ..StudyPart::new(
            "beyond",
            "rooms of 5 with more people, to find the limit",
            "editor-rooms.ts",
            ROOMS,
        )
    },
    StudyPart {
        group: Some(10),
        users: Some("100,1000,5000"),
        times: Some(("4s", "6s")),
        ..StudyPart::new("tens", "rooms of 10", "editor-rooms.ts", ROOMS)
    },
    StudyPart {
        group: Some(50),
        users: Some("50"),
        times: Some(("1s", "8s")),
        ..StudyPart::new("fifty", "one room of 50", "editor-rooms.ts", ROOMS)
    },
    StudyPart::new(
        "whole",
        "documents of 2 and 50 KB, with the whole text in each edit",
        "editor-whole.ts",
        include_str!("../scenarios/editor-whole.ts"),
    ),
    StudyPart::new(
        "crdt",
        "the same documents as a CRDT, with only the change in each edit",
        "editor-crdt.ts",
        include_str!("../scenarios/editor-crdt.ts"),
    ),
];

const CEILING: CeilingPart = CeilingPart {
    part: Part {
        name: "ceiling",
        title: "search for the largest number of rooms of 5",
        file: "editor-rooms.ts",
        source: ROOMS,
        modules: &[],
    },
    env: &[("CONVERGES", "no")],
    varied: Varied::Groups,
    words: ("The editor holds", "rooms of 5 people at the report's pace"),
    first: 100.0,
    most: 6000.0,
    budget_s: 60.0,
    limit_s: 0.02,
};

/// Runs the study of the editor, in less than seven minutes, without a search with a quota. Documents are stored in a
/// temporary folder, in a new file for each part.
pub fn editor(
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, HarnessError> {
    let folder = folder_of("editor")?;
    let flags = |part: &Part| {
        let file = folder.path().join(format!("{}.db", part.name));
        vec!["--store".to_owned(), format!("sqlite:{}", file.display())]
    };
    let parts = run_all("editor", flags, &PARTS, 1, harness, stop, tell)?;
    let flags = flags(&CEILING.part);
    let system = ("editor", flags.as_slice());
    let ceiling = ceiling::search_last(&CEILING, parts.len(), system, harness, stop, tell)?;
    Ok(StudyOutcome::told(parts, |parts| {
        let parts = Parts {
            ceiling: ceiling.as_ref(),
            ..Parts::of(parts)
        };
        templates::pages(TEMPLATES, &page::figures(&parts))
    }))
}

#[cfg(test)]
mod tests;
