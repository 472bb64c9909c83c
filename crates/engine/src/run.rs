use std::sync::Arc;

use model::{HiddenValues, Verdict};
use record::{Note, Run};
use wire::TlsSettings;

use crate::blank_record::{blank_record, hidden_values};
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::control::Control;
use crate::forecast::forecasts;
use crate::judge;
use crate::notice::Notice;
use crate::outcome::{Outcome, RunError};
use crate::remote::{Fleet, Interrupted, RemoteWorkers};
use crate::starting::start_threads;
use crate::stop::Stop;
use crate::workers::{Workers, all_agents};

/// Runs the scenario: `setup`, every level, `teardown`. Calls `tell` from this thread.
pub fn run(config: RunConfig, clock: Clock, stop: &Stop, tell: &mut dyn FnMut(Notice)) -> Outcome {
    run_with(config, clock, (stop, None), tell, |config, tls| {
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
    on_fleet(config, clock, (stop, None), fleet, tell)
}

/// Continues a run whose coordinator was killed, from the level after the one that was interrupted.
pub fn resume_on_fleet(
    config: RunConfig,
    clock: Clock,
    stop: &Stop,
    fleet: Box<dyn Fleet>,
    interrupted: Interrupted,
    tell: &mut dyn FnMut(Notice),
) -> Outcome {
    on_fleet(config, clock, (stop, Some(interrupted)), fleet, tell)
}

/// Closes a run whose coordinator was killed with what it had measured.
pub fn close_interrupted(config: &RunConfig, clock: Clock, interrupted: Interrupted) -> Outcome {
    let hidden = hidden_values(config);
    let mut record = blank_record(config, &hidden, clock);
    let missing = interrupted.missing(config);
    record.workers = interrupted.record().workers;
    let _ = interrupted.move_into(&mut record, config); // nobody needs the result of `setup` any more
    record.thresholds = judge::thresholds(&config.options.thresholds, &record.levels);
    let error = (missing > 0).then_some(RunError::NotResumed { missing });
    conclude(record, error, &hidden, clock)
}

fn on_fleet(
    config: RunConfig,
    clock: Clock,
    life: (&Stop, Option<Interrupted>),
    fleet: Box<dyn Fleet>,
    tell: &mut dyn FnMut(Notice),
) -> Outcome {
    let workers = (0..fleet.len()).map(|agent| fleet.workers(agent)).sum();
    let config = RunConfig { workers, ..config };
    run_with(config, clock, life, tell, |_, _| {
        Ok(Box::new(RemoteWorkers::new(fleet)) as Box<dyn Workers>)
    })
}

fn run_with(
    config: RunConfig,
    clock: Clock,
    (stop, interrupted): (&Stop, Option<Interrupted>),
    tell: &mut dyn FnMut(Notice),
    start: impl FnOnce(&Arc<RunConfig>, &TlsSettings) -> Result<Box<dyn Workers>, RunError>,
) -> Outcome {
    let hidden = hidden_values(&config);
    let mut record = blank_record(&config, &hidden, clock);
    let resumed = interrupted.map(|interrupted| interrupted.move_into(&mut record, &config));
    let mut shown = record.clone();
    shown.hide(&hidden);
    tell(Notice::Started(Box::new(shown)));
    for forecast in forecasts(&config.options) {
        tell(Notice::TooFewSamples(forecast));
    }
    let started = Control::start(Arc::new(config), clock, stop, tell, start);
    let result = started.and_then(|mut control| {
        let result = control.all(&mut record, resumed);
        record.agents = all_agents(control.workers.as_ref(), &record.agents);
        control.workers.dismiss(stop, clock);
        result
    });
    record.interrupted = stop.asked() > 0;
    conclude(record, result.err(), &hidden, clock)
}

/// Judges what was measured.
fn conclude(
    mut record: Run,
    error: Option<RunError>,
    hidden: &HiddenValues,
    clock: Clock,
) -> Outcome {
    record.ended_at = clock.date();
    record.findings = capacity::findings(&record);
    record.verdict = judge::verdict(&record);
    // A run that an error ended early has not passed, even if only `teardown` failed to end.
    if let Some(error) = error.as_ref().filter(|_| record.verdict == Verdict::Passed) {
        record.verdict = Verdict::Inconclusive;
        record.notes.push(Note::EndedEarly {
            error: error.to_string(),
        });
    }
    // Hide values last, because the code above compares names with those in the scenario and its options.
    record.hide(hidden);
    Outcome { record, error }
}
