use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use model::{Fault, HiddenValues, LevelPhase, Verdict};
use record::{Forecast, Level, Note, Run, ScriptInfo};
use script::ScriptFault;
use script::host::LogLevel;
use serde_json::Value;
use thiserror::Error;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::control::Control;
use crate::forecast::forecasts;
use crate::judge;
use crate::program::Program;
use crate::secrets::fit_to_be_stored;

/// The number of times that the user has requested a stop. The first request ends the run early but in order, the
/// second one ends it at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Adds a request to stop.
    pub fn ask(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
                Some(asked.saturating_add(1))
            });
    }

    /// The number of requests to stop.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// An event of a run to show to the user.
#[derive(Clone, Debug)]
pub enum Notice {
    /// A level will have too few samples for a threshold. Sent before the first byte.
    TooFewSamples(Forecast),
    /// `setup` has started.
    SettingUp,
    /// The state of the running level, once a second.
    Live(Live),
    /// A remark that the user should see before the run ends. Sent after the first level.
    Warning(Note),
    /// A level is over.
    LevelDone(Box<Level>),
    /// A line of the script's `console`.
    Log(LogLevel, String),
}

/// The state of a level, for a live line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The number of the level, from 1.
    pub level: u32,
    /// The number of levels.
    pub levels: u32,
    /// Number of users of the level. In an open load, the maximum at the same time.
    pub users: u32,
    /// The rate of an open load, as the user wrote it.
    pub rate: Option<String>,
    /// The phase of the level.
    pub phase: LevelPhase,
    /// Seconds since the start of the level.
    pub elapsed_s: f64,
    /// Seconds from the start of the level to the planned end of the measured time.
    pub total_s: f64,
    /// Deliveries in the last second or, if there are none, requests and round trips.
    pub per_s: f64,
    /// 95th percentile of the last second, in milliseconds.
    pub p95_ms: Option<f64>,
    /// Failed requests and round trips so far.
    pub failed: u64,
    /// Percentage of the last second in which the busiest worker was busy.
    pub busy_percent: f64,
    /// Operations for which headcount still waits after the measured time.
    pub in_flight: Option<InFlight>,
}

/// Operations in flight after the measured time. Each is awaited until its own time limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// The number of operations.
    pub count: u64,
    /// Seconds until the latest time limit of these operations ends.
    pub up_to_s: f64,
}

/// The reason why a run could not start or finish.
#[derive(Debug, Error)]
pub enum RunError {
    /// The target is not reachable before the start.
    #[error("cannot reach the target {target}: {fault}")]
    Unreachable {
        /// The target's URL.
        target: String,
        /// The cause.
        fault: Fault,
    },
    /// The target's Prometheus endpoint does not respond before the start.
    #[error(
        "cannot reach the Prometheus endpoint {url} (`watch.metrics`, --watch-metrics): {fault}"
    )]
    Endpoint {
        /// The endpoint's URL.
        url: String,
        /// The cause.
        fault: Fault,
    },
    /// The script cannot continue.
    #[error("{0}")]
    Script(Box<ScriptFault>),
    /// The options are impossible to satisfy, or the user interrupted the run.
    #[error("{0}")]
    Usage(String),
    /// A problem of the generator.
    #[error("{0}")]
    Generator(String),
}

/// The measurements, and the error that ended the run early, if any.
#[derive(Debug)]
pub struct Outcome {
    /// Everything that was measured until the end.
    pub record: Run,
    /// The error that ended the run early.
    pub error: Option<RunError>,
}

/// Runs the scenario: `setup`, every level, `teardown`. Calls `tell` from this thread.
pub fn run(config: RunConfig, clock: Clock, stop: &Stop, tell: &mut dyn FnMut(Notice)) -> Outcome {
    let hidden = hidden_values(&config);
    let mut record = blank_record(&config, &hidden, clock);
    for forecast in forecasts(&config.options) {
        tell(Notice::TooFewSamples(forecast));
    }
    let result = Control::start(Arc::new(config), clock, stop, tell).and_then(|mut control| {
        let result = control.all(&mut record);
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
        run_tag: config.run_tag.clone(),
        script: script_info(&config.program),
        options: fit_to_be_stored(&config.options_json),
        target: target(config, hidden),
        machine: crate::watcher::machine(),
        workers: config.workers,
        sources: crate::sources::told(config),
        ..Run::default()
    }
}
