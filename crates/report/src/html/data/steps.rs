//! The step funnel of a level.

use record::{FunnelStep, Level};
use serde::Serialize;

use super::times::Figure;
use crate::section::funnel;

/// One step: the iterations that reached it, and what became of them.
#[derive(Serialize)]
pub(super) struct Step {
    name: String,
    /// Iterations that were started, of the step's scenario in a mix.
    started: u64,
    reached: u64,
    passed: u64,
    failed: u64,
    unfinished: u64,
    p50: Figure,
    p95: Figure,
}

impl Step {
    /// Returns the steps in the order in which iterations reach them.
    pub(super) fn all(level: &Level) -> Vec<Self> {
        let steps = level.measured.funnel.steps.iter();
        steps.map(|step| Self::of(level, step)).collect()
    }

    fn of(level: &Level, step: &FunnelStep) -> Self {
        let at = |q| Figure::of(step.time_at(q), step.timeout);
        Self {
            name: funnel::told(step),
            started: funnel::started(level, step),
            reached: step.reached,
            passed: step.passed,
            failed: step.failed,
            unfinished: step.unfinished,
            p50: at(0.5),
            p95: at(0.95),
        }
    }
}
