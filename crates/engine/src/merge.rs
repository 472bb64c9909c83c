use std::collections::BTreeMap;

use model::Nanos;
use record::{GeneratorUse, IssueCause, Measured, WorkerUse};

use crate::audience::AudienceResult;
use crate::level::Span;
use crate::limited::LimitedSamples;
use crate::little::AtWork;
use crate::loud::Loud;
use crate::messages::{CpuWait, LevelOutcome};
use crate::quota::Quota;
use crate::recorder::Unmeasured;
use crate::rescue::Rescued;
use crate::windows::Windows;

/// The measurements of all workers in one level.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) measured: Measured,
    pub(crate) unmeasured: Unmeasured,
    pub(crate) generator: GeneratorUse,
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
    pub(crate) measured: Option<f64>,
    pub(crate) settling: f64,
    pub(crate) draining: f64,
}

impl Lengths {
    fn add_measured(&mut self, seconds: f64) {
        self.measured = Some(self.measured.unwrap_or(0.0).max(seconds));
    }
}

impl Merged {
    /// Keeps the measurements of a worker until [`Merged::add_all`].
    pub(crate) fn keep(&mut self, worker: u32, outcome: Box<LevelOutcome>) {
        self.outcomes.insert(worker, outcome);
    }

    /// Adds the measurements of all workers that have finished, in the order of their numbers.
    pub(crate) fn add_all(&mut self) {
        for outcome in std::mem::take(&mut self.outcomes).into_values() {
            self.add(*outcome);
        }
    }

    fn add(&mut self, outcome: LevelOutcome) {
        self.measured.merge(*outcome.measured);
        self.unmeasured.merge(outcome.unmeasured);
        self.audience.broadcasts.merge(outcome.broadcasts);
        let generator = &mut self.generator;
        generator.start_lag.merge(&outcome.monitoring.start_lag);
        generator.dropped_queue += outcome.monitoring.dropped;
        if let Some(delays) = &outcome.monitoring.receipts.delays {
            let all = self.generator.read_delay.get_or_insert_default();
            all.merge(delays);
        }
        if let Some(errors) = &outcome.monitoring.receipts.errors {
            let all = self.generator.receive_error.get_or_insert_default();
            all.merge(errors);
        }
        self.generator.implausible_stamps += outcome.monitoring.receipts.implausible;
        self.generator.busiest_worker_percent = largest(
            self.generator.busiest_worker_percent,
            Some(outcome.busy * 100.0),
        );
        self.limited.merge(outcome.limited);
        self.loud.merge(outcome.monitoring.loud);
        self.at_work.merge(outcome.at_work);
        self.generator.workers.push(WorkerUse {
            busy_percent: outcome.busy * 100.0,
            cpu_wait_percent: outcome.cpu_wait.map(|wait| wait.share * 100.0),
            starved_percent: outcome.cpu_wait.map(starved),
            cpu_wait_each_us: outcome.cpu_wait.map(microseconds),
        });
        let lengths = &mut self.lengths;
        lengths.add_measured(outcome.duration_s);
        lengths.settling = lengths.settling.max(outcome.settle_s);
        lengths.draining = lengths.draining.max(outcome.drain_s);
        let wait = outcome.cpu_wait;
        self.generator.cpu_wait_percent = largest(
            self.generator.cpu_wait_percent,
            wait.map(|wait| wait.share * 100.0),
        );
        self.generator.starved_percent = largest(self.generator.starved_percent, wait.map(starved));
        self.generator.cpu_wait_each_us =
            largest(self.generator.cpu_wait_each_us, wait.map(microseconds));
        self.generator.gc_pause_ms_max =
            largest(self.generator.gc_pause_ms_max, outcome.gc_pause_ms_max);
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
            let saved_ms_before = copy.map(|(at, measured)| {
                self.measured.merge(measured);
                (now - at).as_millis_f64()
            });
            if !with_its_agent {
                let lost = IssueCause::WorkerLost { saved_ms_before };
                self.lost_workers.push(lost);
            }
        }
    }

    /// The measurements, and the generator's own figures.
    pub(crate) fn finish(mut self) -> (Measured, GeneratorUse) {
        self.generator.busiest_worker_percent.get_or_insert(0.0);
        (self.measured, self.generator)
    }
}

fn microseconds(wait: CpuWait) -> f64 {
    wait.each.as_secs_f64() * 1e6
}

fn starved(wait: CpuWait) -> f64 {
    wait.starved * 100.0
}

fn largest(known: Option<f64>, new: Option<f64>) -> Option<f64> {
    [known, new].into_iter().flatten().reduce(f64::max)
}
