use model::Nanos;
use record::{AgentLoss, IssueCause, Level, LevelIssue, Run};

use super::journal::{Began, Entry, Resumed};
use super::machine::MachineUse;
use super::travel::{Report, decode};
use crate::blank_level::blank_level;
use crate::blank_record::{blank_record, hidden_values};
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::level::{LevelPlan, SetupResult, SlotRange, plans};
use crate::merge::Merged;
use crate::messages::Event;
use crate::rescue::Signs;
use crate::validity;
use crate::workers::AgentCrew;

/// A message of an interrupted run that the fleet has stored.
#[derive(Debug)]
pub struct Stored {
    /// When it was stored, on any clock that is the same for all messages.
    pub at: Nanos,
    /// The agent that sent it. `None`: the coordinator wrote it into its journal.
    pub agent: Option<String>,
    /// What [`crate::Fleet::note`] or [`crate::AgentWorkers::hear`] had.
    pub message: Vec<u8>,
}

/// A run whose coordinator ended before the run did, as far as it had come.
///
/// Levels that had ended are as the coordinator closed them. Of the level in progress, there is what the agents have sent:
/// they end their load when the lease lapses, and report what they have measured until then.
#[derive(Debug)]
pub struct Interrupted {
    record: Run,
    setup: SetupResult,
    /// Whether the run was to end with the last level that was closed.
    is_over: bool,
    /// The level in progress, and when that was noted on the clock of the stored messages.
    began: Option<(Nanos, Began)>,
    /// The messages of agents since the last level was closed.
    events: Vec<Stored>,
}

impl Interrupted {
    /// Reads stored messages, in the order in which they were stored. `None` if the run had not come to its first level:
    /// there is nothing to resume.
    pub fn read(stored: impl IntoIterator<Item = Stored>) -> Option<Self> {
        let (mut run, mut prepared, mut began) = (None, None, None);
        let (mut events, mut is_over) = (Vec::new(), false);
        for stored in stored {
            if stored.agent.is_some() {
                events.push(stored);
                continue;
            }
            match decode::<Entry>(&stored.message).ok()? {
                Entry::Begun(record) => run = Some(record),
                Entry::SetUp { result, record } => {
                    prepared = Some(result);
                    run.as_mut()?.setup = record.map(|record| *record);
                }
                Entry::LevelBegan(level) => began = Some((stored.at, level)),
                Entry::LevelDone {
                    level,
                    notes,
                    is_last,
                } => {
                    let run = run.as_mut()?;
                    is_over = is_last;
                    run.levels.push(*level);
                    run.notes = notes;
                    began = None;
                    events.clear();
                }
            }
        }
        Some(Self {
            record: *run?,
            setup: prepared?,
            is_over,
            began,
            events,
        })
    }

    /// The record so far, without the level in progress.
    pub fn record(&self) -> &Run {
        &self.record
    }

    /// Compares the run with the one that is to continue it. An error says what has changed since.
    pub fn check(&self, config: &RunConfig) -> Result<(), &'static str> {
        let then = &self.record;
        let hidden = hidden_values(config);
        let mut now = blank_record(config, &hidden, Clock::start());
        now.hide(&hidden); // as in the journal
        if (&then.script.sha256, &then.script.env) != (&now.script.sha256, &now.script.env) {
            return Err("the scenario, or a variable that it may read,");
        }
        if then.options != now.options || then.seed != now.seed {
            return Err("an option");
        }
        if then.target != now.target {
            return Err("the target");
        }
        Ok(())
    }

    /// The number of levels that have not run.
    pub fn missing(&self, config: &RunConfig) -> usize {
        let begun = self.record.levels.len() + usize::from(self.began.is_some());
        let planned = self.plans(config).len();
        if self.is_over {
            0
        } else {
            planned.saturating_sub(begun)
        }
    }

    fn plans(&self, config: &RunConfig) -> Vec<LevelPlan> {
        let options = &config.options;
        let setup = self.setup.clone().into();
        plans(&options.load, &options.grouping, options.settle, &setup)
    }

    /// Moves everything that was measured into the record of the run that continues.
    pub(crate) fn move_into(self, record: &mut Run, config: &RunConfig) -> Resumed {
        let in_progress = self.level_in_progress(config);
        let lost = self.began.iter().flat_map(|(_, began)| &began.agents);
        let lost: Vec<&str> = lost.map(|(name, _)| name.as_str()).collect();
        record.started_at = self.record.started_at;
        record.agents = self.record.agents;
        for agent in &mut record.agents {
            if lost.contains(&agent.name.as_str()) {
                agent.lost = Some(AgentLoss::LeaseLapsed);
            }
        }
        record.setup = self.record.setup;
        record.notes = self.record.notes;
        record.levels = self.record.levels;
        record.levels.extend(in_progress);
        Resumed {
            setup: self.setup,
            is_over: self.is_over,
        }
    }

    /// The level that was interrupted, with what its workers have reported.
    fn level_in_progress(&self, config: &RunConfig) -> Option<Level> {
        let (noted, began) = self.began.as_ref()?;
        let mut crew: Vec<AgentCrew> = began.agents.iter().map(crew).collect();
        let workers: usize = crew.iter().map(|agent| agent.workers.len()).sum();
        let plan = LevelPlan {
            start: began.start,
            slots: SlotRange::of_all(workers),
            ..self.plans(config).into_iter().nth(began.index as usize)?
        };
        let mut merged = Merged::default();
        let mut signs = Signs::of(workers, plan.start, config.options.script.time);
        let mut last = plan.start;
        for stored in &self.events {
            let of = |agent: &&mut AgentCrew| Some(&agent.name) == stored.agent.as_ref();
            let Some(agent) = crew.iter_mut().find(of) else {
                continue; // it was lost in an earlier level
            };
            let at = began.now + (stored.at - *noted);
            match decode(&stored.message) {
                Ok(Report::Machine(machine)) => agent.machine = machine,
                Ok(Report::Event(worker, event)) => {
                    let worker = agent.workers.start + worker;
                    last = last.max(at);
                    take(worker, event, at, &mut merged, &mut signs);
                }
                Ok(Report::Died(_)) | Err(_) => {}
            }
        }
        merged.add_all(&crew);
        (0..workers).for_each(|worker| {
            signs.lose(u32::try_from(worker).unwrap_or(u32::MAX));
        });
        merged.rescue(signs.rescued(), plan.hold(), last);
        Some(close(&plan, merged, &crew, config))
    }
}

fn crew((name, workers): &(String, std::ops::Range<u32>)) -> AgentCrew {
    AgentCrew {
        name: name.clone(),
        workers: workers.clone(),
        machine: MachineUse::default(),
    }
}

/// Takes an event of the interrupted level.
fn take(worker: u32, event: Event, at: Nanos, merged: &mut Merged, signs: &mut Signs) {
    match event {
        Event::Window { second, window, .. } => merged.windows.add(worker, second, &window),
        Event::Copy(measured) => signs.copy(worker, measured, at),
        Event::LevelDone(outcome) => {
            signs.is_done(worker);
            merged.keep(worker, outcome);
        }
        _ => {}
    }
}

/// The level as control would have closed it, without the figures that only the coordinator had: those of the target. It
/// is invalid in any case, because the load ended with the coordinator.
fn close(plan: &LevelPlan, mut merged: Merged, crew: &[AgentCrew], config: &RunConfig) -> Level {
    let phases = merged.lengths.phases(plan);
    let (audiences, measured) = (config.audiences(), &mut merged.measured);
    merged.audience.count_into(audiences, plan.settle, measured);
    let (series, heat_map) = merged.windows.close_all(plan.load.users.into());
    merged.generator.add_machines(crew);
    let (generator, agents) = merged.generator.finish(None);
    let mut level = Level {
        phases,
        measured: merged.measured,
        series,
        heat_map,
        limited: merged.limited.into_record(),
        generator,
        ..blank_level(plan)
    };
    level.issues = validity::issues(&level, &agents);
    let lost = crew.iter().map(|agent| IssueCause::LostAgent {
        agent: agent.name.clone(),
        loss: AgentLoss::LeaseLapsed,
        workers: agent.workers.len() as u64,
    });
    level.issues.extend(lost.map(LevelIssue::invalid));
    level
}

#[cfg(test)]
mod tests;
