//! The generator's own figures in a level: of all workers, and of the workers of each agent of a fleet.

use model::Nanos;
use record::{AgentUse, GeneratorUse, WorkerUse};

use crate::messages::{CpuWait, LevelOutcome};
use crate::workers::AgentCrew;

/// The figures of all workers that have finished a level.
#[derive(Debug, Default)]
pub(crate) struct GeneratorFigures {
    all: GeneratorUse,
    agents: Vec<AgentFigures>,
}

/// The figures of an agent's workers.
#[derive(Debug)]
pub(crate) struct AgentFigures {
    pub(crate) name: String,
    pub(crate) workers: GeneratorUse,
    pub(crate) began_late: Nanos,
}

impl GeneratorFigures {
    /// Adds the figures of a worker. The workers of an agent follow each other.
    pub(crate) fn add(&mut self, outcome: &LevelOutcome, agent: Option<&str>) {
        add(&mut self.all, outcome);
        let Some(name) = agent else {
            return;
        };
        if self.agents.last().is_none_or(|last| last.name != name) {
            self.agents.push(AgentFigures {
                name: name.to_owned(),
                workers: GeneratorUse::default(),
                began_late: Nanos::ZERO,
            });
        }
        if let Some(agent) = self.agents.last_mut() {
            add(&mut agent.workers, outcome);
            agent.began_late = agent.began_late.max(outcome.monitoring.began_late);
        }
    }

    /// Adds the figures of the agents' machines.
    pub(crate) fn add_machines(&mut self, crew: &[AgentCrew]) {
        for agent in &mut self.agents {
            let Some(AgentCrew { machine, .. }) = crew.iter().find(|one| one.name == agent.name)
            else {
                continue;
            };
            agent.workers.throttled_ms = machine.throttled.map(Nanos::as_millis_f64);
            agent.workers.stolen_percent = machine.stolen_percent;
        }
    }

    /// The figures for the record, and those of each agent. `clock_error`: the largest error between two agents' clocks.
    pub(crate) fn finish(
        mut self,
        clock_error: Option<Nanos>,
    ) -> (GeneratorUse, Vec<AgentFigures>) {
        self.all.busiest_worker_percent.get_or_insert(0.0);
        self.all.start_skew_ms = clock_error.and_then(|error| self.skew_ms(error));
        self.all.agents = self.agents.iter().map(to_record).collect();
        (self.all, self.agents)
    }

    /// The largest time between the beginnings of two agents.
    fn skew_ms(&self, clock_error: Nanos) -> Option<f64> {
        let began = || self.agents.iter().map(|agent| agent.began_late);
        let spread = began().max()? - began().min()?;
        (self.agents.len() > 1).then(|| (spread + clock_error).as_millis_f64())
    }
}

fn to_record(agent: &AgentFigures) -> AgentUse {
    AgentUse {
        agent: agent.name.clone(),
        busiest_worker_percent: agent.workers.busiest_worker_percent.unwrap_or(0.0),
        cpu_wait_percent: agent.workers.cpu_wait_percent,
        began_late_ms: agent.began_late.as_millis_f64(),
        throttled_ms: agent.workers.throttled_ms,
        stolen_percent: agent.workers.stolen_percent,
    }
}

fn add(all: &mut GeneratorUse, outcome: &LevelOutcome) {
    let monitoring = &outcome.monitoring;
    all.start_lag.merge(&monitoring.start_lag);
    all.dropped_queue += monitoring.dropped;
    let receipts = &monitoring.receipts;
    if let Some(delays) = &receipts.delays {
        all.read_delay.get_or_insert_default().merge(delays);
    }
    if let Some(errors) = &receipts.errors {
        all.receive_error.get_or_insert_default().merge(errors);
    }
    all.implausible_stamps += receipts.implausible;
    let busy_percent = outcome.busy * 100.0;
    all.busiest_worker_percent = largest(all.busiest_worker_percent, Some(busy_percent));
    let worker = WorkerUse {
        busy_percent,
        cpu_wait_percent: outcome.cpu_wait.map(|wait| wait.share * 100.0),
        starved_percent: outcome.cpu_wait.map(|wait| wait.starved * 100.0),
        cpu_wait_each_us: outcome.cpu_wait.map(microseconds),
    };
    all.workers.push(worker);
    all.cpu_wait_percent = largest(all.cpu_wait_percent, worker.cpu_wait_percent);
    all.starved_percent = largest(all.starved_percent, worker.starved_percent);
    all.cpu_wait_each_us = largest(all.cpu_wait_each_us, worker.cpu_wait_each_us);
    all.gc_pause_ms_max = largest(all.gc_pause_ms_max, outcome.gc_pause_ms_max);
}

fn microseconds(wait: CpuWait) -> f64 {
    wait.each.as_secs_f64() * 1e6
}

fn largest(known: Option<f64>, new: Option<f64>) -> Option<f64> {
    [known, new].into_iter().flatten().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::MachineUse;

    fn outcome(busy: f64, began_late_us: u64) -> LevelOutcome {
        let mut outcome = LevelOutcome {
            busy,
            ..LevelOutcome::default()
        };
        outcome.monitoring.began_late = Nanos::from_micros(began_late_us);
        outcome
    }

    fn figures() -> GeneratorFigures {
        let mut figures = GeneratorFigures::default();
        figures.add(&outcome(0.2, 100), Some("a"));
        figures.add(&outcome(0.3, 250), Some("a"));
        figures.add(&outcome(0.99, 50), Some("b"));
        figures
    }

    #[test]
    fn each_agent_has_the_figures_of_its_own_workers() {
        let (all, agents) = figures().finish(None);
        assert_eq!(
            (all.workers.len(), all.busiest_worker_percent),
            (3, Some(99.0))
        );
        let of = |agent: &AgentUse| (agent.agent.clone(), agent.busiest_worker_percent);
        let expected = [("a".to_owned(), 30.0), ("b".to_owned(), 99.0)];
        assert_eq!(all.agents.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(agents[1].workers.workers.len(), 1);
    }

    #[test]
    fn each_agent_has_the_figures_of_its_own_machine() {
        let crew = |name: &str, throttled_ms, stolen_percent| AgentCrew {
            name: name.to_owned(),
            workers: 0..1,
            machine: MachineUse {
                throttled: Some(Nanos::from_millis(throttled_ms)),
                stolen_percent: Some(stolen_percent),
            },
        };
        let mut figures = figures();
        figures.add_machines(&[crew("b", 70, 0.5), crew("a", 0, 3.0)]);
        let (all, agents) = figures.finish(None);
        let of = |agent: &AgentUse| (agent.throttled_ms, agent.stolen_percent);
        let expected = [(Some(0.0), Some(3.0)), (Some(70.0), Some(0.5))];
        assert_eq!(all.agents.iter().map(of).collect::<Vec<_>>(), expected);
        assert_eq!(agents[1].workers.throttled_ms, Some(70.0));
        let all = (all.throttled_ms, all.stolen_percent);
        assert_eq!(all, (None, None), "there is no common machine");
    }

    #[test]
    fn the_start_skew_includes_the_clock_error() {
        let (all, _) = figures().finish(Some(Nanos::from_micros(400)));
        let skew_ms = all.start_skew_ms.unwrap();
        assert!((skew_ms - 0.6).abs() < 1e-9, "250 − 50 + 400 µs: {skew_ms}");
    }

    #[test]
    fn without_a_fleet_there_is_no_start_skew() {
        let mut figures = GeneratorFigures::default();
        figures.add(&outcome(0.2, 100), None);
        let (all, agents) = figures.finish(None);
        assert_eq!(
            (all.start_skew_ms, all.agents.len(), agents.len()),
            (None, 0, 0)
        );
    }
}
