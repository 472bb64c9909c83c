//! Checks the findings: the cause that headcount names for a server whose limit is known.
//!
//! Each case is a run against the truth server. A *fault* produces one cause. Its *healthy* twin has the same load and
//! no limit. A *near miss* comes close to the limit and must stay without a finding.

mod case;
mod cases;
mod table;

use engine::Stop;
use harness::{Harness, Notice};
use plan::Overrides;

use crate::evidence::SelftestError;
use case::Case;
pub use table::FindingsOutcome;

/// The settings of the check.
#[derive(Clone, Debug)]
pub struct FindingsSettings {
    /// The machine and the seed.
    pub harness: Harness,
    /// Number of runs of each case.
    pub rounds: u64,
    /// Texts of which a case's name must contain at least one. If empty, all cases are run.
    pub only: Vec<String>,
}

/// Runs the cases, each on a fresh server, which is a separate process. A stop takes effect after the current run.
pub fn findings(
    settings: &FindingsSettings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<FindingsOutcome, SelftestError> {
    let cases = choose(settings)?;
    let mut outcome = FindingsOutcome::default();
    let runs = cases.len() * usize::try_from(settings.rounds).unwrap_or(usize::MAX);
    let mut number = 0;
    for round in 0..settings.rounds {
        for case in &cases {
            number += 1;
            tell(Notice::Part {
                number,
                parts: runs,
                title: case.name,
            });
            let causes = run(case, round, settings, stop, tell);
            if stop.asked() > 0 {
                // An interrupted run shows nothing, so its error is ignored.
                outcome.interrupted = true;
                return Ok(outcome);
            }
            outcome.add(case, &settings.harness, &causes?);
        }
    }
    Ok(outcome)
}

fn choose(settings: &FindingsSettings) -> Result<Vec<&'static Case>, SelftestError> {
    let only = &settings.only;
    let is_wanted =
        |case: &&Case| only.is_empty() || only.iter().any(|part| case.name.contains(part.as_str()));
    let cases: Vec<&Case> = cases::all().filter(is_wanted).collect();
    if cases.is_empty() {
        let known: Vec<&str> = cases::all().map(|case| case.name).collect();
        return Err(SelftestError::Unknown(only.join(", "), known.join(", ")));
    }
    Ok(cases)
}

/// Runs a case on a fresh server. Returns the identifiers of the causes that were named, the principal one first.
fn run(
    case: &Case,
    round: u64,
    settings: &FindingsSettings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Vec<&'static str>, SelftestError> {
    let mut harness = settings.harness.clone();
    harness.seed = harness.seed.wrapping_add(round);
    if case.on_all_cores {
        harness.system_cores.clear();
    }
    let flags: Vec<String> = case.flags.iter().map(ToString::to_string).collect();
    let prepared = harness.prepare(&case.part(), ("truth", &flags), Overrides::default())?;
    let (record, _system) = prepared.run(stop, tell)?;
    let causes = record.findings.iter();
    Ok(causes.map(|finding| finding.cause.id()).collect())
}
