use std::borrow::Cow;
use std::sync::Arc;

use model::{HiddenValues, Verdict};
use record::{Note, Run, ScriptInfo};
use serde_json::Value;
use wire::TlsSettings;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::control::Control;
use crate::forecast::forecasts;
use crate::judge;
use crate::notice::Notice;
use crate::outcome::{Outcome, RunError};
use crate::program::Program;
use crate::remote::{Fleet, RemoteWorkers};
use crate::secrets::fit_to_be_stored;
use crate::starting::start_threads;
use crate::stop::Stop;
use crate::workers::Workers;

/// Runs the scenario: `setup`, every level, `teardown`. Calls `tell` from this thread.
pub fn run(config: RunConfig, clock: Clock, stop: &Stop, tell: &mut dyn FnMut(Notice)) -> Outcome {
    run_with(config, clock, stop, tell, |config, tls| {
        let threads = start_threads(config, tls, clock)?;
        Ok(Box::new(threads) as Box<dyn Workers>)
    })
}

/// Runs the scenario on the agents of a fleet. `clock` is the clock to which the fleet's lease and start times refer.
pub fn run_on_fleet(
    config: RunConfig,
    clock: Clock,
    stop: &Stop,
    fleet: Box<dyn Fleet>,
    tell: &mut dyn FnMut(Notice),
) -> Outcome {
    let workers = (0..fleet.len()).map(|agent| fleet.workers(agent)).sum();
    let config = RunConfig { workers, ..config };
    run_with(config, clock, stop, tell, |_, _| {
        Ok(Box::new(RemoteWorkers::new(fleet)) as Box<dyn Workers>)
    })
}

fn run_with(
    config: RunConfig,
    clock: Clock,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice),
    start: impl FnOnce(&Arc<RunConfig>, &TlsSettings) -> Result<Box<dyn Workers>, RunError>,
) -> Outcome {
    let hidden = hidden_values(&config);
    let mut record = blank_record(&config, &hidden, clock);
    let mut shown = record.clone();
    shown.hide(&hidden);
    tell(Notice::Started(Box::new(shown)));
    for forecast in forecasts(&config.options) {
        tell(Notice::TooFewSamples(forecast));
    }
    let started = Control::start(Arc::new(config), clock, stop, tell, start);
    let result = started.and_then(|mut control| {
        let result = control.all(&mut record);
        record.agents = control.workers.agents();
        control.workers.dismiss(stop, clock);
        result
    });
    record.ended_at = clock.date();
    record.interrupted = stop.asked() > 0;
    record.findings = capacity::findings(&record);
    record.verdict = judge::verdict(&record);
    let error = result.err();
    // A run that an error ended early has not passed, even if only `teardown` failed to end.
    if let Some(error) = error.as_ref().filter(|_| record.verdict == Verdict::Passed) {
        record.verdict = Verdict::Inconclusive;
        record.notes.push(Note::EndedEarly {
            error: error.to_string(),
        });
    }
    // Hide values last, because the code above compares names with those in the scenario and its options.
    record.hide(&hidden);
    Outcome { record, error }
}

/// The values of environment variables, which the record must not contain.
fn hidden_values(config: &RunConfig) -> HiddenValues {
    let scenario = config.scenario();
    scenario.map(|it| it.env.hidden()).unwrap_or_default()
}

fn script_info(program: &Program) -> ScriptInfo {
    match program {
        Program::Scenario(scenario) => ScriptInfo {
            path: scenario.bundle.name().to_owned(),
            sha256: scenario.bundle.sha256(),
            source: scenario.bundle.main_source().to_owned(),
            env: scenario.env.names().map(str::to_owned).collect(),
        },
        Program::Plain(plain) => ScriptInfo {
            path: plain.title(),
            ..ScriptInfo::default()
        },
    }
}

/// The target without hidden values. Parsing a URL changes its text (letter case, escapes), so hidden values are
/// searched for in the text from the options.
fn target(config: &RunConfig, hidden: &HiddenValues) -> String {
    let given = config.options_json.get("target").and_then(Value::as_str);
    match given.map(|given| hidden.hide(given)) {
        Some(Cow::Owned(shown)) => shown,
        _ => config.target_as_written(),
    }
}

fn blank_record(config: &RunConfig, hidden: &HiddenValues, clock: Clock) -> Run {
    Run {
        tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_at: clock.started_at(),
        seed: config.seed,
        run_tag: config.run.tag.clone(),
        script: script_info(&config.program),
        options: fit_to_be_stored(&config.options_json),
        target: target(config, hidden),
        target_version: config.run.target_version.clone(),
        machine: crate::watcher::machine(),
        workers: config.workers,
        sources: crate::sources::told(config),
        ..Run::default()
    }
}
