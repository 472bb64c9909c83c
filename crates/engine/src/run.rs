use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use model::{Fault, Verdict};
use record::{Forecast, Level, Note, Run, ScriptInfo};
use script::ScriptFault;
use script::host::LogLevel;
use thiserror::Error;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::control::Control;
use crate::forecast::forecasts;
use crate::judge;
use crate::program::Program;
use crate::secrets::fit_to_be_stored;

/// How often the user has asked to stop: once, the run ends early and in order; twice, at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Asks (again) to stop.
    pub fn ask(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
                Some(asked.saturating_add(1))
            });
    }

    /// How often it was asked.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is worth telling while a run is on.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Before the first byte: a level makes too few samples for a threshold.
    TooFewSamples(Forecast),
    /// `setup` runs.
    SettingUp,
    /// Once a second while a level runs.
    Live(Live),
    /// A level is over.
    LevelDone(Box<Level>),
    /// A line of the script's `console`.
    Log(LogLevel, String),
}

/// The state of a level, for a live line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// From 1.
    pub level: u32,
    /// How many levels there are.
    pub levels: u32,
    /// Users of the level; of an open load the most at the same time.
    pub users: u32,
    /// The rate of an open load, as it was written.
    pub rate: Option<String>,
    /// `ramp`, `warm-up`, `hold` or `settle`.
    pub phase: &'static str,
    /// Since the start of the level.
    pub elapsed_s: f64,
    /// Until the planned end of the hold.
    pub total_s: f64,
    /// Deliveries in the last second, or requests and round trips where there are none.
    pub per_s: f64,
    /// 95th percentile of the last second.
    pub p95_ms: Option<f64>,
    /// Failed requests and round trips so far.
    pub failed: u64,
    /// Share of its time in which the busiest worker was at work.
    pub busy_percent: f64,
    /// Operations that are waited for after the hold.
    pub in_flight: Option<InFlight>,
}

/// Operations in flight after the hold, which are waited for until their own time limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// How many.
    pub count: u64,
    /// How long the last of them may still take, in seconds.
    pub up_to_s: f64,
}

/// Why a run could not be made or not be finished.
#[derive(Debug, Error)]
pub enum RunError {
    /// Nobody answers at the target before the start.
    #[error("cannot reach the target {target}: {fault}")]
    Unreachable {
        /// The target's URL.
        target: String,
        /// Why.
        fault: Fault,
    },
    /// Nobody answers at the target's Prometheus endpoint before the start.
    #[error(
        "cannot reach the Prometheus endpoint {url} (`watch.metrics`, --watch-metrics): {fault}"
    )]
    Endpoint {
        /// The endpoint's URL.
        url: String,
        /// Why.
        fault: Fault,
    },
    /// The script cannot go on.
    #[error("{0}")]
    Script(Box<ScriptFault>),
    /// The options ask for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// The generator's own trouble.
    #[error("{0}")]
    Generator(String),
}

/// What was measured, and why the run ended early if it did.
#[derive(Debug)]
pub struct Outcome {
    /// Everything that was measured until the end.
    pub record: Run,
    /// Why there is not more.
    pub error: Option<RunError>,
}

/// Runs the scenario: set-up, every level, tear-down. `tell` is called from this thread.
pub fn run(config: RunConfig, clock: Clock, stop: &Stop, tell: &mut dyn FnMut(Notice)) -> Outcome {
    let mut record = blank_record(&config, clock);
    for forecast in forecasts(&config.options) {
        tell(Notice::TooFewSamples(forecast));
    }
    let result = Control::start(Arc::new(config), clock, stop, tell).and_then(|mut control| {
        let result = control.all(&mut record);
        control.crew.dismiss(stop, clock);
        result
    });
    record.ended_at = clock.date();
    record.interrupted = stop.asked() > 0;
    record.findings = capacity::findings(&record);
    record.verdict = judge::verdict(&record);
    let error = result.err();
    // Whatever ended it early, such as a teardown without an end: what is missing has not passed.
    if let Some(error) = error.as_ref().filter(|_| record.verdict == Verdict::Passed) {
        record.verdict = Verdict::Inconclusive;
        record.notes.push(Note::EndedEarly {
            error: error.to_string(),
        });
    }
    Outcome { record, error }
}

fn script_info(program: &Program) -> ScriptInfo {
    match program {
        Program::Scenario(scenario) => ScriptInfo {
            path: scenario.bundle.name().to_owned(),
            sha256: scenario.bundle.sha256(),
            source: scenario.bundle.main_source().to_owned(),
        },
        Program::Plain(plain) => ScriptInfo {
            path: plain.title(),
            ..ScriptInfo::default()
        },
    }
}

fn blank_record(config: &RunConfig, clock: Clock) -> Run {
    Run {
        tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_at: clock.started_at(),
        seed: config.seed,
        script: script_info(&config.program),
        options: fit_to_be_stored(&config.options_json),
        target: config.target_as_written(),
        machine: crate::watcher::machine(),
        workers: config.workers,
        sources: crate::sources::told(config),
        ..Run::default()
    }
}
