mod journal;
mod level_watch;
mod setup_control;

use std::sync::Arc;

use model::Nanos;
use plan::Threshold;
use record::{IssueCause, Level, LevelIssue, Measured, Note, Run};
use wire::TlsSettings;

use crate::audience::note_clock_error;
use crate::blank_level::blank_level;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::judge;
use crate::level::{LevelPlan, SlotRange, plans};
use crate::level_limit::OVERDUE;
use crate::merge::Merged;
use crate::messages::{Command, Event, Fatal};
use crate::notice::{LevelDone, Notice};
use crate::outcome::RunError;
use crate::program::Program;
use crate::readiness;
use crate::recorder::Unmeasured;
use crate::remote::Resumed;
use crate::starting::tls_of;
use crate::stop::Stop;
use crate::tls_port;
use crate::unknown_name::{self, Seen};
use crate::validity;
use crate::watcher::Watcher;
use crate::workers::{Heard, LOOK, LostAgent, Workers};

/// Time per user before the start of a level, in which the workers create its users.
const LEAD_PER_USER: Nanos = Nanos::from_micros(4);

/// The thread that plans the levels, watches target and generator, and merges the workers' measurements.
pub(crate) struct Control<'a> {
    pub(crate) config: Arc<RunConfig>,
    pub(crate) clock: Clock,
    pub(crate) tls: TlsSettings,
    pub(crate) workers: Box<dyn Workers>,
    pub(crate) watcher: Watcher,
    pub(crate) stop: &'a Stop,
    pub(crate) tell: &'a mut dyn FnMut(Notice),
}

impl<'a> Control<'a> {
    /// Waits until the workers are ready. `start` starts them.
    pub(crate) fn start(
        config: Arc<RunConfig>,
        clock: Clock,
        stop: &'a Stop,
        tell: &'a mut dyn FnMut(Notice),
        start: impl FnOnce(&Arc<RunConfig>, &TlsSettings) -> Result<Box<dyn Workers>, RunError>,
    ) -> Result<Self, RunError> {
        let tls = tls_of(&config)?;
        let workers = start(&config, &tls)?;
        let watcher =
            Watcher::new(&config, clock, &tls).map_err(|(url, fault)| RunError::Endpoint {
                url: url.to_string(),
                fault,
            })?;
        let mut control = Self {
            config,
            clock,
            tls,
            workers,
            watcher,
            stop,
            tell,
        };
        for _ in 0..control.workers.len() {
            control.until(OVERDUE, "loading the script", |event| {
                matches!(event, Event::Ready).then_some(())
            })?;
        }
        Ok(control)
    }

    /// Runs `setup`, every level and `teardown`. Everything measured goes into the record, even if an error ends the
    /// run.
    ///
    /// A resumed run has the result of `setup`, and its record has the levels that were measured before.
    pub(crate) fn all(
        &mut self,
        record: &mut Run,
        resumed: Option<Resumed>,
    ) -> Result<(), RunError> {
        journal::note_run(self.workers.as_mut(), &self.config, record);
        let (setup, is_over) = match resumed {
            Some(Resumed { setup, is_over }) => (setup, is_over),
            None => (self.set_up(record)?, false),
        };
        journal::note_setup(self.workers.as_mut(), &setup, record);
        let setup = Arc::new(setup);
        let options = &self.config.options;
        let mut levels = plans(&options.load, &options.grouping, options.settle, &setup);
        Self::check_pool(&levels)?;
        let measured = if is_over {
            levels.len()
        } else {
            record.levels.len()
        };
        levels.drain(..measured.min(levels.len()));
        let result = self.each_level(levels, record);
        record.thresholds = judge::thresholds(&self.config.options.thresholds, &record.levels);
        match result {
            Ok(()) => self.tear_down(setup, record),
            // The levels have ended in order.
            Err(lost @ RunError::LostAgent { .. }) => {
                // Without an agent that is left, nobody can tear down.
                if self.workers.begin_level().is_ok() {
                    self.tear_down(setup, record)?;
                }
                Err(lost)
            }
            Err(error) => Err(error),
        }
    }

    fn each_level(&mut self, levels: Vec<LevelPlan>, record: &mut Run) -> Result<(), RunError> {
        let count = record.levels.len() + levels.len();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        for plan in levels {
            // Ctrl-C ends the levels, but `teardown` still runs.
            if self.stop.asked() > 0 {
                break;
            }
            let leftovers = self.leftovers(record);
            let mut merged = Merged::default();
            let mut plan = plan;
            self.workers.begin_level()?;
            merged.audience.count = self.connect_audiences(&plan)?;
            plan.slots = SlotRange::of_all(self.workers.len());
            plan.start = self.clock.now() + self.workers.lead() + lead_of(plan.load.users);
            journal::note_start(self.workers.as_mut(), &plan, self.clock.now());
            let result = self.level(&plan, count, &mut merged);
            // Close the level before looking at the result, so that measurements made before an error are saved.
            let unmeasured = std::mem::take(&mut merged.unmeasured);
            let level = self.close_level(&plan, merged, leftovers);
            let thresholds = judge::of_level(&self.config.options.thresholds, &level);
            let thresholds = thresholds.collect();
            (self.tell)(Notice::LevelDone(Box::new(LevelDone {
                level: level.clone(),
                thresholds,
            })));
            if record.levels.is_empty() {
                self.warn_of_names_without_data(&level, &unmeasured, record);
            }
            record.notes.extend(readiness::note(&level));
            if let Ok(Some(EarlyEnd::Broken(broken))) = &result {
                record.notes.push(Note::Aborted {
                    level: plan.index as usize,
                    threshold: broken.to_string(),
                });
            }
            let is_last = !matches!(result, Ok(None));
            journal::note_end(self.workers.as_mut(), &level, &record.notes, is_last);
            record.levels.push(level);
            match result? {
                None => {}
                Some(EarlyEnd::Broken(_)) => break,
                Some(EarlyEnd::Lost(lost)) => return Err(lost_agent(lost)),
            }
        }
        Ok(())
    }

    fn warn_of_names_without_data(
        &mut self,
        level: &Level,
        unmeasured: &Unmeasured,
        record: &mut Run,
    ) {
        let seen = Seen {
            level,
            unmeasured,
            setup: record.setup.as_ref(),
        };
        for note in unknown_name::notes(&self.config.options.thresholds, &seen) {
            (self.tell)(Notice::Warning(note.clone()));
            record.notes.push(note);
        }
        // This may be intended, so it is no warning.
        let outside = unknown_name::outside(&self.config.options.thresholds, &seen);
        record.notes.extend(outside);
    }

    fn close_level(
        &mut self,
        plan: &LevelPlan,
        mut merged: Merged,
        leftovers: Option<f64>,
    ) -> Level {
        let phases = merged.lengths.phases(plan);
        let throttled = merged.quota.stopped();
        let audiences = self.config.audiences();
        let measured = &mut merged.measured;
        merged.audience.count_into(audiences, plan.settle, measured);
        let clock_error = self.workers.clock_error();
        if let Some(error) = clock_error.filter(|_| !audiences.is_empty()) {
            note_clock_error(audiences, error, measured);
        }
        let incomplete = merged.audience.issue();
        let lost_workers = std::mem::take(&mut merged.lost_workers);
        let loud = merged.loud.issue(phases.duration_s);
        let limited = std::mem::take(&mut merged.limited).into_record();
        let little = merged.at_work.law(phases.duration_s).filter(|_| !plan.once);
        let (series, heat_map) =
            std::mem::take(&mut merged.windows).close_all(plan.load.users.into());
        merged.generator.add_machines(&self.workers.crew());
        let (mut generator, agents) = merged.generator.finish(clock_error);
        let mut measured = merged.measured;
        tls_port::explain(&mut measured, &self.config, self.clock);
        generator.throttled_ms = throttled.map(Nanos::as_millis_f64);
        let target = self.watcher.end_level(&mut generator);
        if !self.workers.are_here() {
            // These figures describe this process, which generates no load.
            generator.throttled_ms = None;
            generator.cpu_percent = None;
            generator.stolen_percent = None;
        }
        let mut level = Level {
            phases,
            little,
            measured,
            series,
            heat_map,
            limited,
            target,
            generator,
            leftovers,
            shares_cores_with_target: self.workers.are_here() && self.watcher.shares_cores(),
            ..blank_level(plan)
        };
        // A trace shows what a script does. Its times are not for judging, so lateness does not matter.
        if !self.config.trace {
            level.issues = validity::issues(&level, &agents);
        }
        let invalid = lost_workers.into_iter().map(LevelIssue::invalid);
        let unsent = self.unsent(&level.measured);
        let questionable = loud.into_iter().chain(unsent).chain(incomplete);
        let questionable = questionable.map(LevelIssue::questionable);
        level.issues.extend(invalid.chain(questionable));
        level
    }

    fn unsent(&self, measured: &Measured) -> Option<IssueCause> {
        let limit = self.config.options.load.once.map(|once| once.limit);
        match &self.config.program {
            Program::Plain(plain) => plain.unsent(measured, limit),
            Program::Scenario(_) => None,
        }
    }

    /// Waits until `pick` accepts an event.
    pub(crate) fn until<T>(
        &mut self,
        limit: Nanos,
        what: &str,
        mut pick: impl FnMut(Event) -> Option<T>,
    ) -> Result<T, RunError> {
        let until = self.clock.now() + limit;
        // Only a new Ctrl-C counts. An earlier Ctrl-C, which ended the levels, must not stop `teardown`.
        let asked = self.stop.asked();
        loop {
            if self.stop.asked() > asked {
                return Err(RunError::Usage(format!("interrupted during {what}")));
            }
            match self.workers.hear(LOOK) {
                Heard::Event(_, event @ (Event::Fatal(_) | Event::Log(..))) => self.other(event)?,
                Heard::Event(_, event) => {
                    if let Some(picked) = pick(event) {
                        return Ok(picked);
                    }
                }
                Heard::Died(worker) => return Err(died(&worker)),
                Heard::Lost(lost) => return Err(lost_agent(lost)),
                Heard::Nothing if self.clock.now() > until => {
                    return Err(RunError::Generator(format!(
                        "{what} did not end within {limit}"
                    )));
                }
                Heard::Nothing => {}
            }
        }
    }

    pub(crate) fn other(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::Log(level, line) => (self.tell)(Notice::Log(level, line)),
            Event::Fatal(fatal) => {
                self.workers.order_all(Command::Abort);
                return Err(match *fatal {
                    Fatal::Script(fault) => RunError::Script(Box::new(fault)),
                    Fatal::Generator(why) => RunError::Generator(why),
                });
            }
            _ => {}
        }
        Ok(())
    }
}

/// How a level ended early, in order.
#[derive(Debug)]
pub(crate) enum EarlyEnd {
    /// This threshold cannot hold any more.
    Broken(Threshold),
    /// This agent is lost, and the run does not continue without it.
    Lost(LostAgent),
}

fn lost_agent(lost: LostAgent) -> RunError {
    RunError::LostAgent {
        name: lost.name,
        loss: lost.loss,
    }
}

pub(crate) fn died(worker: &str) -> RunError {
    RunError::Generator(format!("{worker} crashed: this is a bug in headcount"))
}

fn lead_of(users: u32) -> Nanos {
    Nanos(LEAD_PER_USER.0 * u64::from(users))
}
