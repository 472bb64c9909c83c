mod configure;
mod resume;

use std::path::Path;

use engine::{Clock, Notice, Outcome, RunConfig, RunError, Stop};
use model::FaultKind;
use model::Verdict;

use crate::args::RunArgs;
use crate::command::fleet::{Fleet, prepare as prepare_fleet, run_on};
use crate::command::generator::fresh_seed;
use crate::env;
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::{self, stop_on_ctrl_c};
use crate::outputs::Outputs;
use crate::progress::Progress;
use crate::save::save;
use crate::saved_runs::{RECORD, earlier_run};
use crate::screen::{complain, print, say, terminal};

/// `headcount run`
pub(crate) fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.resume {
        return resume::resume(args, folder);
    }
    let clock = Clock::start();
    let (config, env) = configure::configure(args, fresh_seed()?)?;
    if args.trace {
        // Progress lines would stand between the requests and messages.
        let quiet = true;
        let stop = stop_on_ctrl_c()?;
        let outcome = run_until(&stop, config, clock, quiet, &mut Outputs::default());
        return finish(&outcome, None, args.screen.json, Asked::Trace);
    }
    let folder = RunFolder::claim(args.out.as_deref(), &clock.started_at())?;
    let mut outputs =
        Outputs::open(&args.output.outputs, args.output.ui, clock).inspect_err(|_| {
            let _ = std::fs::remove_dir(folder.path()); // succeeds only if the folder is empty
        })?;
    let stop = stop_on_ctrl_c()?;
    let (places, quiet) = ((&args.fleet, &args.generator), args.screen.quiet);
    let (fleet, agents) = prepare_fleet(places, quiet, &config, clock, Some(folder.path()))
        .inspect_err(|_| {
            let _ = std::fs::remove_dir(folder.path()); // succeeds only if the folder is empty
        })?;
    let outcome = watch(&stop, quiet, &mut outputs, |tell| {
        run_on(agents, config, clock, &stop, tell)
    });
    let exit = finish_on(fleet, &outcome, &folder, args);
    // The agents of a fleet read variables in processes of their own.
    if args.fleet.fleet.is_none() {
        env::say_unread(&env);
    }
    exit.map(|exit| outputs.finish(&outcome.record, Some(folder.path()), exit))
}

/// Saves and prints the run. The messages of its agents are kept until the record is saved.
fn finish_on(
    fleet: Option<Fleet>,
    outcome: &Outcome,
    folder: &RunFolder,
    args: &RunArgs,
) -> anyhow::Result<Exit> {
    let exit = finish(outcome, Some(folder.path()), args.screen.json, Asked::Run);
    let is_saved = folder.path().join(RECORD).exists();
    if let Some(fleet) = fleet.filter(|_| is_saved || outcome.record.levels.is_empty()) {
        fleet.forget(folder.path());
        let _ = std::fs::remove_dir(folder.path()); // succeeds only if the folder is empty
    }
    exit
}

/// Runs the load and shows its progress on stderr, until the `stop` of [`stop_on_ctrl_c`].
pub(crate) fn run_until(
    stop: &Stop,
    config: RunConfig,
    clock: Clock,
    quiet: bool,
    outputs: &mut Outputs,
) -> Outcome {
    watch(stop, quiet, outputs, |tell| {
        engine::run(config, clock, stop, tell)
    })
}

/// Shows the progress of a run on stderr. The first Ctrl-C ends the run early but keeps its results; the second one ends
/// the program.
pub(crate) fn watch(
    stop: &Stop,
    quiet: bool,
    outputs: &mut Outputs,
    run: impl FnOnce(&mut dyn FnMut(Notice)) -> Outcome,
) -> Outcome {
    let mut progress = Progress::new(quiet);
    outputs.begin(stop);
    let outcome = run(&mut |notice: Notice| {
        progress.show(&notice);
        outputs.notice(notice);
    });
    hurry::nothing_left_to_wait_for();
    progress.close();
    outputs.end(&outcome);
    outcome
}

/// The command that started the run. Hints name its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Run,
    Trace,
    Bench,
}

/// Saves the run, prints it and returns the exit code.
pub(crate) fn finish(
    outcome: &Outcome,
    folder: Option<&Path>,
    json: bool,
    asked: Asked,
) -> anyhow::Result<Exit> {
    let run = &outcome.record;
    let measured_something = !run.levels.is_empty();
    if measured_something {
        let saved = folder
            .map(|folder| save(run, folder, || earlier_run(run, folder)))
            .transpose();
        let place = saved
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .map(|saved| saved.folder.display().to_string());
        if place.is_some() {
            hurry::only_outputs_are_left();
        }
        if json {
            print(&format!("{:#}\n", record::summary(run)))?;
        } else {
            let options = report::Terminal {
                trace: asked == Asked::Trace,
                ..terminal(place.as_deref())
            };
            print(&report::terminal(run, options))?;
        }
        if asked == Asked::Run {
            audit_of_its_own(run);
        }
        if let Err(why) = saved {
            complain(&why);
            return Ok(Exit::Bug);
        }
    } else {
        without_levels(outcome, folder);
    }
    if let Some(error) = &outcome.error {
        let exit = Exit::from(error);
        complain(&anyhow::anyhow!("{error}"));
        if let Some(hint) = way_out(error, asked) {
            say(&format!("  hint: {hint}"));
        }
        return Ok(if run.interrupted {
            Exit::Interrupted
        } else {
            exit
        });
    }
    for found in run.inconsistencies() {
        complain(&anyhow::anyhow!(
            "the counts do not add up: {found}. This is a bug in headcount; please report it with run.json"
        ));
    }
    Ok(exit_of(run))
}

/// Handles a run without levels, which has no report. If setup failed or sent requests, the record is saved for
/// inspection.
fn without_levels(outcome: &Outcome, folder: Option<&Path>) {
    let run = &outcome.record;
    let met_something = |setup: &record::Setup| !setup.requests.is_empty();
    if run.failed_around() || run.setup.as_ref().is_some_and(met_something) {
        match folder.map(|folder| save(run, folder, || None)).transpose() {
            Ok(Some(saved)) => say(&format!(
                "the record of setup is saved in {}",
                saved.folder.display()
            )),
            Ok(None) => {}
            Err(why) => {
                complain(&why);
            }
        }
        return;
    }
    let _ = folder.map(std::fs::remove_dir); // succeeds only if the folder is empty
    if run.interrupted && outcome.error.is_none() {
        say("interrupted before anything was measured; nothing is saved");
    }
}

/// Applies the rules of the audit to the run itself. Prints the result only if a rule finds something.
fn audit_of_its_own(run: &record::Run) {
    let text = record::to_json(run).unwrap_or_default();
    let Ok(all) = audit::read(&[("run.json".to_owned(), text)]) else {
        return; // `save` reports a record that cannot be encoded
    };
    for audit in all.iter().map(audit::audit) {
        if !audit.findings.is_empty() {
            let findings = audit::brief(&audit, false);
            say(&format!(
                "audit of this run (`headcount audit` shows the arithmetic):\n{findings}"
            ));
        }
    }
}

/// Returns a hint if the target or its metrics endpoint cannot be reached.
fn way_out(error: &RunError, asked: Asked) -> Option<&'static str> {
    let fault = match error {
        RunError::Unreachable { fault, .. } => fault,
        RunError::Endpoint { .. } => {
            return Some("check the URL, or drop --watch-metrics");
        }
        _ => return None,
    };
    match (fault.kind, asked) {
        (
            FaultKind::Refused | FaultKind::TimedOut | FaultKind::Resolve,
            Asked::Run | Asked::Trace,
        ) => Some("check that the target runs at this address, or give another with --target"),
        (FaultKind::Refused | FaultKind::TimedOut | FaultKind::Resolve, Asked::Bench) => {
            Some("check that the target runs at this address")
        }
        // The text of any other fault of TLS says what to do.
        (FaultKind::Tls, _) if !fault.detail.starts_with("the certificate") => None,
        (FaultKind::Tls, Asked::Run | Asked::Trace) => Some(
            "`ca: \"FILE.pem\"` in the options trusts a certificate of your own; `insecure: true` accepts certificates of any \
             issuer, name and date",
        ),
        (FaultKind::Tls, Asked::Bench) => {
            Some("--insecure accepts certificates of any issuer, name and date")
        }
        _ => None,
    }
}

fn exit_of(run: &record::Run) -> Exit {
    let broken = run
        .thresholds
        .iter()
        .any(|result| result.held == Some(false));
    let script_failed = run
        .levels
        .iter()
        .any(|level| level.measured.script_failed());
    match run.verdict {
        _ if !run.inconsistencies().is_empty() => Exit::Bug,
        _ if run.interrupted => Exit::Interrupted,
        Verdict::Failed if !broken && script_failed => Exit::Script,
        verdict => verdict.into(),
    }
}

#[cfg(test)]
mod tests {
    use model::Fault;
    use record::{Iterations, Level, Run};

    use super::*;

    #[test]
    fn advice_about_certificates_follows_only_faults_of_certificates() {
        let advice = |detail: &str| {
            let error = RunError::Unreachable {
                target: "https://127.0.0.1:1/".to_owned(),
                fault: Fault::target(FaultKind::Tls, detail),
            };
            way_out(&error, Asked::Bench)
        };
        let untrusted = advice("the certificate's issuer is not trusted: add its CA");
        assert!(untrusted.is_some_and(|advice| advice.contains("--insecure")));
        assert_eq!(advice("the peer does not speak TLS: write http://"), None);
    }

    #[test]
    fn a_silent_metrics_endpoint_is_not_called_the_target() {
        let error = RunError::Endpoint {
            url: "http://127.0.0.1:1/metrics".to_owned(),
            fault: Fault::target(FaultKind::Refused, "refused"),
        };
        let text = error.to_string();
        assert!(
            text.contains("Prometheus endpoint http://127.0.0.1:1/metrics"),
            "{text}"
        );
        assert!(text.contains("--watch-metrics"), "{text}");
        assert!(!way_out(&error, Asked::Run).unwrap().contains("--target"));
        assert_eq!(Exit::from(&error), Exit::Unreachable);
    }

    #[test]
    fn counts_that_do_not_add_up_end_a_run_as_a_bug() {
        let run = |started| {
            let mut level = Level::default();
            level.measured.iterations = Iterations {
                planned: 10,
                started,
                succeeded: started,
                ..Iterations::default()
            };
            Run {
                verdict: Verdict::Passed,
                levels: vec![level],
                ..Run::default()
            }
        };
        assert_eq!(exit_of(&run(10)), Exit::Passed);
        assert_eq!(exit_of(&run(9)), Exit::Bug);
    }
}
