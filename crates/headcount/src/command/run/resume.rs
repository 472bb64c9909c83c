//! Continues a run on a fleet whose coordinator was killed.

use std::path::Path;

use anyhow::{Context as _, bail};
use engine::{Clock, Interrupted, Outcome, RunConfig, Stop, close_interrupted, resume_on_fleet};
use fleet::{FleetError, NatsAccess, read_interrupted};
use format::plural;

use super::configure::configure;
use super::{finish_on, watch};
use crate::args::{FleetPlace, RunArgs};
use crate::command::fleet::{Fleet, noted_runs, prepare};
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::stop_on_ctrl_c;
use crate::outputs::Outputs;
use crate::saved_runs::RECORD;
use crate::screen::say;

/// `headcount run … --fleet URL --resume DIR`
pub(super) fn resume(args: &RunArgs, folder: &Path) -> anyhow::Result<Exit> {
    let Some(FleetPlace::Nats(url)) = &args.fleet.fleet else {
        bail!(
            "--resume: the NATS server of a local fleet has ended with its run: give its URL with --fleet"
        );
    };
    let folder = RunFolder::reopen(folder).context("--resume")?;
    let place = folder.path().display();
    if folder.path().join(RECORD).exists() {
        bail!("--resume: {place} contains the record of its run: nothing is left to do");
    }
    let runs =
        noted_runs(folder.path()).context("--resume: no run on a fleet was interrupted here")?;
    let access = args.fleet.credentials.access(url.clone());
    let interrupted = read_newest(&access, &runs)?.with_context(|| {
        format!("--resume: the NATS server has no level of the run in {place}: start the run anew")
    })?;
    let seed = interrupted.record().seed;
    let (mut config, _) = configure(args, seed)?;
    // Messages of the interrupted level that are still somewhere must not look like those of the next one.
    config.run.id = getrandom::u32()?;
    if let Err(what) = interrupted.check(&config) {
        bail!(
            "--resume: {what} differs from that of the run in {place}: give the same scenario and options"
        );
    }
    let clock = Clock::start();
    let clock = clock
        .since(&interrupted.record().started_at)
        .unwrap_or(clock);
    let mut outputs = Outputs::open(&args.output.outputs, args.output.ui, clock)?;
    let stop = stop_on_ctrl_c()?;
    let (measured, missing) = (
        interrupted.record().levels.len(),
        interrupted.missing(&config),
    );
    say(&format!(
        "resuming: {} complete, {} left to run",
        plural(measured as u64, "level"),
        plural(missing as u64, "level")
    ));
    let (outcome, fleet) = go_on(
        args,
        &folder,
        (config, clock),
        interrupted,
        (&stop, &mut outputs),
    )?;
    let exit = finish_on(fleet, &outcome, &folder, args);
    exit.map(|exit| outputs.finish(&outcome.record, Some(folder.path()), exit))
}

/// Reads what is stored of the run. If it was resumed before, the newest name has all that the older ones have, unless the
/// coordinator was killed before it could note that.
fn read_newest(access: &NatsAccess, runs: &[String]) -> anyhow::Result<Option<Interrupted>> {
    for run in runs.iter().rev() {
        if let Some(found) = Interrupted::read(read_interrupted(access, run)?) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Runs the levels that are left. Without agents, the run ends with what was measured.
fn go_on(
    args: &RunArgs,
    folder: &RunFolder,
    (config, clock): (RunConfig, Clock),
    interrupted: Interrupted,
    (stop, outputs): (&Stop, &mut Outputs),
) -> anyhow::Result<(Outcome, Option<Fleet>)> {
    let quiet = args.screen.quiet;
    let places = (&args.fleet, &args.generator);
    match prepare(places, quiet, &config, clock, Some(folder.path())) {
        Ok((fleet, Some(agents))) => {
            let outcome = watch(stop, quiet, outputs, |tell| {
                resume_on_fleet(config, clock, stop, Box::new(agents), interrupted, tell)
            });
            Ok((outcome, fleet))
        }
        Ok((fleet, None)) => Ok((close_interrupted(&config, clock, interrupted), fleet)),
        Err(why)
            if matches!(
                why.downcast_ref(),
                Some(FleetError::TooFewAgents { found: 0, .. })
            ) =>
        {
            let outcome = watch(stop, quiet, outputs, |_| {
                close_interrupted(&config, clock, interrupted)
            });
            let fleet = Fleet::open(&args.fleet, &args.generator, quiet)?;
            Ok((outcome, fleet.map(Fleet::keeping)))
        }
        Err(why) => Err(why),
    }
}
