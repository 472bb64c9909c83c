//! Computes how busy a worker was, from two measurements of the same period. Each measurement misses some work.

use model::Nanos;
use probe::ThreadTime;

use crate::messages::CpuWait;
use crate::notice::BusyAgent;
use crate::workers::AgentCrew;

/// The worker's use of time since its thread began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeUse {
    /// Time that the worker has spent waiting.
    pub(crate) idle: Nanos,
    pub(crate) cpu: Option<ThreadTime>,
}

/// The share of the measured time in which the worker did not sleep.
///
/// - By the clock: all time except `slept`. This includes time in which the worker was ready to run but had no CPU.
/// - By the kernel: the time in which the worker ran or waited for a CPU. This includes the work of going to sleep.
///
/// Both figures include waits for a CPU in the middle of work, so the result is the larger figure, not the sum.
pub(crate) fn share(held: Nanos, slept: Nanos, used: Option<&ThreadTime>) -> f64 {
    let by_the_clock = part(held - slept, held);
    let by_the_kernel = used.map_or(0.0, |used| part(used.ran + used.waited, held));
    by_the_clock.max(by_the_kernel).min(1.0)
}

/// The time for which the thread waited for a CPU.
pub(crate) fn cpu_wait(held: Nanos, used: &ThreadTime) -> CpuWait {
    CpuWait {
        share: part(used.waited, held),
        starved: part(used.waited, used.ran + used.waited),
        each: used.waited_each().unwrap_or(Nanos::ZERO),
    }
}

/// For each worker, the share of the latest reported second in which it was busy.
#[derive(Debug)]
pub(crate) struct LatestShares(Vec<f64>);

impl LatestShares {
    pub(crate) fn of(workers: usize) -> Self {
        Self(vec![0.0; workers])
    }

    pub(crate) fn report(&mut self, worker: u32, share: f64) {
        if let Some(latest) = self.0.get_mut(worker as usize) {
            *latest = share;
        }
    }

    /// The share of each agent's busiest worker, in percent.
    pub(crate) fn of_agents(&self, agents: &[AgentCrew]) -> Vec<BusyAgent> {
        let busiest = |agent: &AgentCrew| {
            let workers = agent.workers.start as usize..agent.workers.end as usize;
            let shares = self.0.get(workers).unwrap_or_default();
            BusyAgent {
                name: agent.name.clone(),
                busy_percent: shares.iter().copied().fold(0.0, f64::max) * 100.0,
            }
        };
        agents.iter().map(busiest).collect()
    }

    /// The share of the busiest worker, which reaches its limit first, however idle the others are.
    pub(crate) fn busiest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

fn part(part: Nanos, whole: Nanos) -> f64 {
    if whole == Nanos::ZERO {
        0.0
    } else {
        part.as_secs_f64() / whole.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::MachineUse;

    fn busy(slept_ms: u64, ran_ms: u64, waited_ms: u64) -> f64 {
        let used = ThreadTime {
            ran: Nanos::from_millis(ran_ms),
            waited: Nanos::from_millis(waited_ms),
            ..ThreadTime::default()
        };
        let held = Nanos::from_secs(1);
        share(held, Nanos::from_millis(slept_ms), Some(&used))
    }

    #[test]
    fn waiting_for_a_cpu_counts_once() {
        assert!(
            (busy(500, 200, 300) - 0.5).abs() < 1e-9,
            "the same half second"
        );
        assert!(
            (busy(900, 200, 300) - 0.5).abs() < 1e-9,
            "ready while the clock says asleep"
        );
        assert!((busy(0, 220, 780) - 1.0).abs() < 1e-9);
        assert!(
            (busy(0, 300, 800) - 1.0).abs() < 1e-9,
            "never more than all"
        );
    }

    #[test]
    fn without_the_kernels_account_the_clock_decides() {
        let held = Nanos::from_secs(1);
        assert!((share(held, Nanos::from_millis(250), None) - 0.75).abs() < 1e-9);
    }

    #[test]
    fn each_agent_has_the_share_of_its_busiest_worker() {
        let mut shares = LatestShares::of(3);
        for (worker, share) in [(0, 0.25), (1, 0.5), (2, 0.125)] {
            shares.report(worker, share);
        }
        let crew = |name: &str, workers| AgentCrew {
            machine: MachineUse::default(),
            name: name.to_owned(),
            workers,
        };
        let agents = shares.of_agents(&[crew("a", 0..2), crew("b", 2..3), crew("c", 3..9)]);
        let found: Vec<_> = agents.iter().map(|one| one.busy_percent).collect();
        assert_eq!(found, [50.0, 12.5, 0.0]);
    }

    #[test]
    fn the_busiest_worker_counts_whichever_reported_last() {
        let mut shares = LatestShares::of(2);
        shares.report(0, 0.9);
        shares.report(1, 0.2);
        assert!((shares.busiest() - 0.9).abs() < 1e-9);
        shares.report(0, 0.1);
        assert!((shares.busiest() - 0.2).abs() < 1e-9, "its latest second");
    }
}
