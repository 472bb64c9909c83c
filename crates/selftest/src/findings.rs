//! Checks the findings: the cause that headcount names for a server whose limit is known.
//!
//! Each case is a run against the truth server. A *fault* produces one cause. Its *healthy* twin has the same load and
//! no limit. A *near miss* comes close to the limit and must stay without a finding.

mod case;
mod cases;
mod table;

use std::time::Duration;

use engine::Stop;
use harness::{CpuQuota, Harness, Notice};
use plan::Overrides;
use probe::Machine;

use crate::evidence::SelftestError;
use case::Case;
pub use table::FindingsOutcome;

/// The usual period of a CPU quota.
const QUOTA_PERIOD: Duration = Duration::from_millis(100);

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
    let mut cases = choose(settings)?;
    let mut outcome = FindingsOutcome::default();
    cases.retain(|case| match obstacle(case) {
        None => true,
        Some(why) => {
            outcome.leave_out(case, why);
            false
        }
    });
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
    let is_wanted = |case: &&Case| {
        let is_named = only.iter().any(|part| case.name.contains(part.as_str()));
        is_named || (only.is_empty() && !case.is_long)
    };
    let cases: Vec<&Case> = cases::all().filter(is_wanted).collect();
    if cases.is_empty() {
        let known: Vec<&str> = cases::all().map(|case| case.name).collect();
        return Err(SelftestError::Unknown(only.join(", "), known.join(", ")));
    }
    Ok(cases)
}

/// Why the case cannot be run on this machine, if it cannot.
fn obstacle(case: &Case) -> Option<String> {
    if let Some(cores) = case.quota
        && let Err(error) = CpuQuota::new(cores, QUOTA_PERIOD)
    {
        return Some(format!("no control group can be made: {error}"));
    }
    if case.on_disk && temporary_files_are_in_memory() {
        return Some(
            "the temporary files are in memory: set TMPDIR to a folder on a disk".to_owned(),
        );
    }
    let most = case.most_ports?;
    let range = Machine::look().port_range;
    let are_few = range.is_some_and(|(low, high)| u32::from(high) - u32::from(low) < most);
    (!are_few).then(|| {
        format!(
            "the network namespace has more than {most} local ports, see docs/reference/selftest.md"
        )
    })
}

fn temporary_files_are_in_memory() -> bool {
    /// `TMPFS_MAGIC` and `RAMFS_MAGIC` of linux/magic.h.
    const IN_MEMORY: [i64; 2] = [0x0102_1994, 0x8584_58f6];
    let kind = rustix::fs::statfs(std::env::temp_dir()).map(|found| found.f_type);
    kind.is_ok_and(|kind| IN_MEMORY.contains(&kind))
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
    let quota = case.quota.map(|cores| CpuQuota::new(cores, QUOTA_PERIOD));
    let quota = quota.transpose().map_err(SelftestError::Quota)?;
    let flags: Vec<String> = case.flags.iter().map(ToString::to_string).collect();
    let prepared = harness.prepare(&case.part(), ("truth", &flags), Overrides::default())?;
    if let Some(quota) = &quota {
        let limited = quota.limit(&prepared.system);
        limited.map_err(SelftestError::Quota)?;
    }
    let (record, system) = prepared.run(stop, tell)?;
    drop(system); // before its control group
    let causes = record.findings.iter();
    Ok(causes.map(|finding| finding.cause.id()).collect())
}
