//! The study of the marketplace. A buyer trades with three sellers, and the ledger must add up afterwards.

mod field;
mod figures;
mod hashing;
mod page;
mod parts;
mod rate;
mod tables;

use engine::Stop;
use harness::{Harness, HarnessError, Notice, Part};

use crate::ceiling::{self, CeilingPart, Varied};
use crate::parts::{StudyOutcome, StudyPart, folder_of, run_all};
use crate::templates::{self, Templates};
use parts::Parts;

const TEMPLATES: &Templates = &[
    (
        "report.md",
        include_str!("../templates/marketplace/report.md"),
    ),
    (
        "headline.md",
        include_str!("../templates/marketplace/headline.md"),
    ),
    (
        "macros.md",
        include_str!("../templates/marketplace/macros.md"),
    ),
    (
        "books.md",
        include_str!("../templates/marketplace/books.md"),
    ),
    ("fix.md", include_str!("../templates/marketplace/fix.md")),
    ("full.md", include_str!("../templates/marketplace/full.md")),
    (
        "limiter.md",
        include_str!("../templates/marketplace/limiter.md"),
    ),
    ("lost.md", include_str!("../templates/marketplace/lost.md")),
    ("rate.md", include_str!("../templates/marketplace/rate.md")),
    (
        "people.md",
        include_str!("../templates/marketplace/people.md"),
    ),
    (
        "findings.md",
        include_str!("../templates/marketplace/findings.md"),
    ),
    (
        "advice.md",
        include_str!("../templates/marketplace/advice.md"),
    ),
    (
        "terminal.md",
        include_str!("../templates/marketplace/terminal.md"),
    ),
];

const RATE: (&str, &str) = (
    "marketplace-rate.ts",
    include_str!("../scenarios/marketplace-rate.ts"),
);
const FLOW: &str = include_str!("../scenarios/marketplace-flow.ts");
/// The module that the scenarios share.
const MODULES: &[(&str, &str)] = &[(
    "marketplace-trade.ts",
    include_str!("../scenarios/marketplace-trade.ts"),
)];
/// Creates a part that is followed by a check of the ledger.
const fn part(
    name: &'static str,
    title: &'static str,
    (file, source): (&'static str, &'static str),
    ledger: &'static str,
) -> StudyPart {
    let plain = StudyPart::new(name, title, file, source);
    let after = Part {
        name: ledger,
        title: "the ledger after the trades",
        file: "marketplace-ledger.ts",
        source: include_str!("../scenarios/marketplace-ledger.ts"),
        modules: MODULES,
    };
    StudyPart {
        part: Part {
            modules: MODULES,
            ..plain.part
        },
        after: Some(after),
        ..plain
    }
}

/// Creates a part whose trades create their own users.
const fn flow(name: &'static str, title: &'static str, ledger: &'static str) -> StudyPart {
    part(name, title, ("marketplace-flow.ts", FLOW), ledger)
}

/// The parts of the study. The evidence refers to them by name. In parts that are not about passwords, hashing is
/// cheap. With bcrypt 12, the report's levels would take more than five minutes of CPU time on one core.
const PARTS: [StudyPart; 8] = [
    StudyPart {
        flags: &["--hash", "argon2id", "--hash-queue", "4096"],
        ..flow(
            "report",
            "the field report's flow, up to 64 trades at once",
            "report-ledger",
        )
    },
    StudyPart {
        flags: &["--hash", "argon2id", "--hash-queue", "4096"],
        ..part(
            "pooled",
            "the same trades, with users created beforehand",
            (
                "marketplace-pooled.ts",
                include_str!("../scenarios/marketplace-pooled.ts"),
            ),
            "pooled-ledger",
        )
    },
    StudyPart {
        flags: &CHEAP_HASH,
        must_be_valid: false,
        must_hold: false,
        ..part(
            "rate",
            "trades at an arrival rate, up to the limit",
            RATE,
            "rate-ledger",
        )
    },
    StudyPart {
        users: Some("4,128"),
        flags: &with_threads("4"),
        ..flow(
            "threads4",
            "bcrypt 12 with 4 hashing threads, 1 and 32 trades at once",
            "threads4-ledger",
        )
    },
    StudyPart {
        users: Some("4,128"),
        flags: &with_threads("16"),
        must_hold: false,
        ..flow(
            "threads16",
            "the same trades with 16 hashing threads",
            "threads16-ledger",
        )
    },
    StudyPart {
        flags: &[
            "--hash",
            "bcrypt",
            "--bcrypt-cost",
            "12",
            "--hash-queue",
            "8",
        ],
        must_be_valid: false,
        ..part(
            "full",
            "64 logins at once, with room for 8 in the queue",
            (
                "marketplace-full.ts",
                include_str!("../scenarios/marketplace-full.ts"),
            ),
            "full-ledger",
        )
    },
    StudyPart {
        users: Some("4,8,16,32"),
        // Two addresses make a limit per address distinguishable from a limit for all requests.
        source: &["127.0.1.0/30"],
        flags: &[
            "--rate-limits",
            "*=100/15m",
            "--trusted-proxies",
            "127.0.0.0/8",
            "--hash-queue",
            "4096",
        ],
        must_be_valid: false,
        must_hold: false,
        ..flow(
            "limiter",
            "with the rate limit of 100 requests in 15 minutes",
            "limiter-ledger",
        )
    },
    StudyPart {
        users: Some("64"),
        flags: &["--hash-queue", "4096", "--lose-accepted"],
        must_be_valid: false,
        must_hold: false,
        ..flow(
            "lost",
            "with the report's first bug: a notification that is never written",
            "lost-ledger",
        )
    },
];

/// No password is hashed while trades arrive, so users are created quickly.
const CHEAP_HASH: [&str; 4] = ["--hash", "bcrypt", "--bcrypt-cost", "4"];

const CEILING: CeilingPart = CeilingPart {
    part: Part {
        name: "ceiling",
        title: "search for the highest rate of trades",
        file: RATE.0,
        source: RATE.1,
        modules: MODULES,
    },
    env: &[],
    varied: Varied::Rate { groups: 128 },
    words: ("The marketplace holds", "trades per second"),
    first: 10.0,
    most: 2000.0,
    budget_s: 240.0,
    limit_s: 0.05,
};

/// Configures hashing as in the report, with a queue that is large enough for all requests.
const fn with_threads(threads: &'static str) -> [&'static str; 8] {
    [
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "12",
        "--hash-queue",
        "4096",
        "--hash-threads",
        threads,
    ]
}

/// Runs the study of the marketplace, in less than ten minutes. The data is in `SQLite` in a temporary folder, in a new
/// file for each part.
pub fn marketplace(
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, HarnessError> {
    let folder = folder_of("marketplace")?;
    let flags = |part: &Part| {
        let file = folder.path().join(format!("{}.db", part.name));
        let store = format!("sqlite:{}", file.display());
        let admin = ["--admin-email", "admin@market.test"];
        let password = ["--admin-password", "correct horse"];
        let mut flags = vec!["--store".to_owned(), store];
        flags.extend([admin, password].concat().into_iter().map(str::to_owned));
        if part.name != "limiter" {
            // All other parts bypass the rate limiter, as the report did.
            flags.extend(["--rate-limit-bypass-ips", "127.0.0.0/8"].map(str::to_owned));
        }
        flags
    };
    let parts = run_all("marketplace", flags, &PARTS, 1, harness, stop, tell)?;
    let mut flags = flags(&CEILING.part);
    flags.extend(CHEAP_HASH.map(str::to_owned));
    let system = ("marketplace", flags.as_slice());
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
