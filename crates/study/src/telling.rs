//! Sentences that every study uses: a system's CPU and memory, the validity of a level, the mistakes of the field
//! report, and the environment.

use std::fmt::Write as _; // writing to a String cannot fail

use record::{Level, Run};

pub(crate) use crate::figures::cpu;

/// One mistake of a field report.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) id: &'static str,
    pub(crate) claim: &'static str,
    pub(crate) evidence: String,
}

impl Finding {
    pub(crate) fn new(id: &'static str, claim: &'static str, evidence: String) -> Self {
        Self {
            id,
            claim,
            evidence,
        }
    }
}

/// The claims, one per line.
pub(crate) fn claims(findings: &[Finding]) -> String {
    let mut text = "Mistakes of the field report (evidence in report.md)\n".to_owned();
    for finding in findings {
        let _ = writeln!(text, "  {:<5} {}", finding.id, finding.claim);
    }
    text
}

/// The findings as a chapter in Markdown.
pub(crate) fn chapter(findings: &[Finding]) -> String {
    let mut text = "## Mistakes of the field report\n\n".to_owned();
    for Finding {
        id,
        claim,
        evidence,
    } in findings
    {
        let _ = write!(text, "### {id} {claim}\n\n{evidence}\n\n");
    }
    text
}

/// A remark after a sentence if the level is invalid.
pub(crate) fn unsound(level: &Level) -> &'static str {
    if level.is_invalid() {
        " (INVALID: the generator was the limit)"
    } else {
        ""
    }
}

/// The remark in the last column of a terminal's table.
pub(crate) fn remark(level: &Level) -> String {
    unsound(level).trim_start().to_owned()
}

/// Machine, versions and seed, which are the same for all runs of a study.
pub(crate) fn environment(run: Option<&Run>, system: &str) -> String {
    let Some(run) = run else {
        return "Nothing was measured.\n".to_owned();
    };
    let machine = &run.machine;
    format!(
        "## Where this was measured\n\n{}; {} cores; {} MB of memory; kernel {}; {}; seed {}; started {}. \
         The {system} ran as a separate process. Each part's folder contains its run.json with all details.\n",
        machine.cpu.as_deref().unwrap_or("unknown CPU"),
        machine
            .cores
            .map_or("?".to_owned(), |cores| cores.to_string()),
        machine
            .memory_mb
            .map_or("?".to_owned(), |memory| memory.to_string()),
        machine.kernel.as_deref().unwrap_or("?"),
        run.tool,
        run.seed,
        run.started_at
    )
}
