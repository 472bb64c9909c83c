//! Notes how far the run has come, so that a run on a fleet can be resumed if this process is killed.

use model::Nanos;
use record::{Level, Note, Run};

use crate::blank_record::hidden_values;
use crate::config::RunConfig;
use crate::level::{LevelPlan, SetupResult};
use crate::remote::{Began, Entry};
use crate::workers::{Workers, all_agents};

/// Notes the beginning of the run, or of the part that was resumed.
pub(super) fn note_run(workers: &mut dyn Workers, config: &RunConfig, record: &Run) {
    note(workers, |workers| {
        let mut begun = Run {
            agents: all_agents(workers, &record.agents),
            levels: Vec::new(),
            ..record.clone()
        };
        // The options can contain values of variables. The names in levels are compared with those of thresholds.
        begun.hide(&hidden_values(config));
        begun.levels.clone_from(&record.levels);
        Entry::Begun(Box::new(begun))
    });
}

pub(super) fn note_setup(workers: &mut dyn Workers, result: &SetupResult, record: &Run) {
    note(workers, |_| Entry::SetUp {
        result: result.clone(),
        record: record.setup.clone().map(Box::new),
    });
}

/// Notes the start of a level.
pub(super) fn note_start(workers: &mut dyn Workers, plan: &LevelPlan, now: Nanos) {
    note(workers, |workers| {
        let agents = workers.crew().into_iter();
        Entry::LevelBegan(Began {
            index: plan.index,
            now,
            start: plan.start,
            agents: agents.map(|agent| (agent.name, agent.workers)).collect(),
        })
    });
}

/// Notes a level that is closed, with the notes of the whole run.
pub(super) fn note_end(workers: &mut dyn Workers, level: &Level, notes: &[Note], is_last: bool) {
    note(workers, |_| Entry::LevelDone {
        level: Box::new(level.clone()),
        notes: notes.to_vec(),
        is_last,
    });
}

/// A run without a fleet ends with this process, and cannot be resumed.
fn note(workers: &mut dyn Workers, entry: impl FnOnce(&dyn Workers) -> Entry) {
    if !workers.are_here() {
        let entry = entry(workers);
        workers.note(&entry);
    }
}
