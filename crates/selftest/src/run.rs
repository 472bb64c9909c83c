use engine::{RunConfig, Stop};
use harness::{Harness, Notice};
use model::Nanos;

use crate::compare::Rows;
use crate::evidence::{Evidence, SelftestError};
use crate::outcome::{Outcome, PartOutcome};
use crate::parts::{PARTS, ProofPart};
use crate::tell;

/// The settings of the self-test.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The machine and the seed for all parts.
    pub harness: Harness,
    /// Minimum number of deliveries in the part that counts deliveries.
    pub deliveries: u64,
    /// Names of the parts to run. If empty, all parts are run.
    pub only: Vec<String>,
    /// Additional flags of the server. Tests use them to falsify the server's counts.
    pub server_flags: Vec<String>,
}

/// Returns the names of all parts.
pub(crate) fn names() -> Vec<&'static str> {
    PARTS.iter().map(|part| part.part.name).collect()
}

/// Checks headcount's measurements on this machine, in under a minute. A stop takes effect after the current part.
pub fn selftest(
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Outcome, SelftestError> {
    let known = names();
    if let Some(name) = settings
        .only
        .iter()
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(SelftestError::Unknown(name.clone(), known.join(", ")));
    }
    let wanted = |part: &&ProofPart| {
        settings.only.is_empty() || settings.only.iter().any(|name| name == part.part.name)
    };
    let parts: Vec<&ProofPart> = PARTS.iter().filter(wanted).collect();
    let mut outcome = Outcome::default();
    for (part, number) in parts.iter().zip(1..) {
        if stop.asked() > 0 {
            outcome.interrupted = true;
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len(),
            title: part.part.title,
        });
        let found = run(part, settings, stop, tell);
        if stop.asked() > 0 {
            // An interrupted part shows nothing and may not have reached a level, so its error is ignored.
            outcome.interrupted = true;
            break;
        }
        outcome.parts.push(judge(part, &found?));
    }
    Ok(outcome)
}

fn judge(part: &ProofPart, found: &Evidence) -> PartOutcome {
    let mut rows = Rows::default();
    (part.judge)(found, &mut rows);
    let disturbance = found.disturbance();
    let is_excuse = rows.disturbed(disturbance.share);
    let is_told = is_excuse || disturbance.is_complete();
    PartOutcome {
        name: part.part.name,
        title: part.part.title,
        rows: rows.0,
        disturbance: is_told.then_some(disturbance.why),
    }
}

fn run(
    part: &ProofPart,
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Evidence, SelftestError> {
    let duration = part.deliveries_per_s.map(|per_s| {
        let seconds = settings.deliveries.div_ceil(per_s).max(1);
        format!("{seconds}s")
    });
    let overrides = plan::Overrides {
        duration,
        ..Default::default()
    };
    let truth = ("truth", settings.server_flags.as_slice());
    let prepared = settings.harness.prepare(&part.part, truth, overrides)?;
    let planned = planned(&prepared.config);
    let (record, system) = prepared.run(stop, tell)?;
    let truth = tell::ask(system.url())?;
    let level = record.levels.into_iter().next();
    Ok(Evidence {
        level: level.ok_or(SelftestError::Nothing(part.part.name))?,
        truth,
        planned,
    })
}

/// Returns the planned starts of an open load.
fn planned(config: &RunConfig) -> Vec<u64> {
    let seed = config.arrivals_seed(0);
    let level = config.options.load.levels.first();
    let open = level.and_then(|level| level.open.as_ref());
    open.into_iter()
        .flat_map(|open| open.arrivals.starts(seed))
        .map(|(_, Nanos(due))| due)
        .collect()
}
