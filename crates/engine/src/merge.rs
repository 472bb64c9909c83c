use std::collections::BTreeMap;

use model::Nanos;
use record::{IssueCause, Measured, Phases};

use crate::audience::AudienceResult;
use crate::generator_figures::GeneratorFigures;
use crate::level::{LevelPlan, Span};
use crate::limited::LimitedSamples;
use crate::little::AtWork;
use crate::loud::Loud;
use crate::messages::LevelOutcome;
use crate::quota::Quota;
use crate::recorder::Unmeasured;
use crate::rescue::Rescued;
use crate::windows::Windows;
use crate::workers::AgentCrew;

/// The measurements of all workers in one level.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) measured: Measured,
    pub(crate) unmeasured: Unmeasured,
    pub(crate) generator: GeneratorFigures,
    pub(crate) limited: LimitedSamples,
    pub(crate) loud: Loud,
    pub(crate) lengths: Lengths,
    /// The issues of workers that did not finish the level.
    pub(crate) lost_workers: Vec<IssueCause>,
    pub(crate) windows: Windows,
    /// What was sent to passive audiences, and what their members received.
    pub(crate) audience: AudienceResult,
    pub(crate) at_work: AtWork,
    pub(crate) quota: Quota,
    /// The measurements of workers that have finished, until all have. Lists and sums depend on the order in which they
    /// are merged, which must not depend on who finishes first.
    outcomes: BTreeMap<u32, Box<LevelOutcome>>,
}

/// Actual lengths of the parts of a level, in seconds: the longest of all workers.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    measured: Option<f64>,
    settling: f64,
    draining: f64,
}

impl Lengths {
    fn add_measured(&mut self, seconds: f64) {
        self.measured = Some(self.measured.unwrap_or(0.0).max(seconds));
    }

    /// The parts of the level with their lengths.
    pub(crate) fn phases(&self, plan: &LevelPlan) -> Phases {
        Phases {
            ramp_s: plan.ramp.as_secs_f64(),
            warmup_s: (plan.phases.hold_starts - plan.phases.ramp_ends).as_secs_f64(),
            duration_s: self.measured.unwrap_or_default(),
            settle_s: self.settling,
            drain_s: self.draining,
        }
    }
}

impl Merged {
    /// Keeps the measurements of a worker until [`Merged::add_all`].
    pub(crate) fn keep(&mut self, worker: u32, outcome: Box<LevelOutcome>) {
        self.outcomes.insert(worker, outcome);
    }

    /// Adds the measurements of all workers that have finished, in the order of their numbers. `agents`: the agents with
    /// their workers, if there is a fleet.
    pub(crate) fn add_all(&mut self, agents: &[AgentCrew]) {
        for (worker, outcome) in std::mem::take(&mut self.outcomes) {
            let agent = agents.iter().find(|one| one.workers.contains(&worker));
            self.add(*outcome, agent.map(|agent| agent.name.as_str()));
        }
    }

    fn add(&mut self, outcome: LevelOutcome, agent: Option<&str>) {
        self.generator.add(&outcome, agent);
        self.measured.merge(*outcome.measured);
        self.unmeasured.merge(outcome.unmeasured);
        self.audience.broadcasts.merge(outcome.broadcasts);
        self.limited.merge(outcome.limited);
        self.loud.merge(outcome.monitoring.loud);
        self.at_work.merge(outcome.at_work);
        let lengths = &mut self.lengths;
        lengths.add_measured(outcome.duration_s);
        lengths.settling = lengths.settling.max(outcome.settle_s);
        lengths.draining = lengths.draining.max(outcome.drain_s);
    }

    /// Adds the copied measurements of workers that did not finish.
    pub(crate) fn rescue(
        &mut self,
        rescued: impl Iterator<Item = Rescued>,
        hold: Span,
        now: Nanos,
    ) {
        for Rescued {
            copy,
            with_its_agent,
        } in rescued
        {
            let until = copy.as_ref().map_or(hold.start, |(at, _)| *at);
            let held = until.min(hold.end) - hold.start;
            self.lengths.add_measured(held.as_secs_f64());
            let saved_ms_before = copy.map(|(at, mut measured)| {
                measured.plan_only_what_was_due();
                self.measured.merge(measured);
                (now - at).as_millis_f64()
            });
            if !with_its_agent {
                let lost = IssueCause::WorkerLost { saved_ms_before };
                self.lost_workers.push(lost);
            }
        }
    }
}
