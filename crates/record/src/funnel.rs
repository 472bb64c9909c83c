use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::{FaultKind, Nanos, Side};
use serde::{Deserialize, Serialize};
use stats::{Blocks, Estimate, Histogram, Samples};

use crate::{Example, Timings};

/// The step funnel of a level: the number of iterations that reached, passed and failed each step, and their first
/// failures.
///
/// The funnel covers only iterations that belong to the level. Each iteration is counted once, when it has ended or is
/// abandoned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepFunnel {
    /// The steps in the order in which iterations reach them. A nested step follows its outer step.
    pub steps: Vec<FunnelStep>,
    /// The first failures with their counts. Each iteration counts at most once.
    pub first_failures: Vec<FirstFailure>,
    /// The steps that unfinished iterations were in. The counts add up to the number of unfinished iterations.
    pub unfinished: Vec<Unfinished>,
}

/// One step, or one condition of `eventually`.
///
/// reached = passed + failed + unfinished.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunnelStep {
    /// Names of the outer steps, followed by the name of the step itself.
    pub path: Vec<String>,
    /// Whether the step is a condition of `eventually`.
    pub eventually: bool,
    /// The scenario that the step belongs to, in a mix.
    pub scenario: Option<String>,
    /// Number of iterations that began the step at least once.
    pub reached: u64,
    /// Number of iterations in which the step never ended with an error.
    pub passed: u64,
    /// Number of iterations that passed the step although one of its requests or checks failed.
    pub passed_with_failures: u64,
    /// Number of iterations in which the step ended with an error at least once.
    pub failed: u64,
    /// Number of iterations that were over before the step had ended.
    pub unfinished: u64,
    /// Number of times that the step was begun in the measured time. Exceeds `reached` if several members begin the
    /// step, or a loop repeats it.
    pub begun: u64,
    /// Times of the step in iterations that passed it.
    pub passed_time: Histogram,
    /// Times of passes and failures over the measured time, in blocks. Empty in records of version 1.
    #[serde(default, skip_serializing_if = "Blocks::is_empty")]
    pub blocks: Blocks,
    /// Times from the start of the step to its failure, without timeouts.
    pub failed_time: Histogram,
    /// Number of timeouts of the step. Timeouts have no time.
    pub timed_out: u64,
    /// Longest time after which the step timed out.
    pub timeout: Option<Nanos>,
    /// Ages of steps that had not ended when their iteration was over. Empty in records of version 1.
    #[serde(default)]
    pub open: Histogram,
    /// Sum of the step's positions among the steps that each iteration reached. Used only for sorting.
    #[serde(skip)]
    pub places: u64,
}

/// The first failure of one or more iterations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstFailure {
    /// Path of the innermost step in which the failure occurred. `None` if it occurred outside all steps.
    pub step: Option<Vec<String>>,
    /// Side at fault.
    pub side: Side,
    /// Kind of the fault.
    pub kind: FaultKind,
    /// HTTP status, if the status was the failure.
    pub status: Option<u16>,
    /// Name of the request, round trip, connection or check. Empty if the script itself threw.
    pub what: String,
    /// Number of failed iterations in which this was the first failure.
    pub failed: u64,
    /// Number of successful iterations in which this was the first failure.
    pub succeeded: u64,
    /// The earliest example.
    pub first: Example,
}

/// Iterations that had not ended when the level was over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfinished {
    /// Path of the step that had not ended. `None` if the iteration was outside all steps.
    pub step: Option<Vec<String>>,
    /// Number of unfinished iterations in this step.
    pub count: u64,
}

impl StepFunnel {
    /// Whether the funnel is empty: no ended iteration had a step or a failure.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.first_failures.is_empty() && self.unfinished.is_empty()
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: Self) {
        for step in other.steps {
            match self.steps.iter_mut().find(|known| known.is_same(&step)) {
                Some(known) => known.merge(&step),
                None => self.steps.push(step),
            }
        }
        for cause in other.first_failures {
            match self
                .first_failures
                .iter_mut()
                .find(|known| known.is_same(&cause))
            {
                Some(known) => known.merge(cause),
                None => self.first_failures.push(cause),
            }
        }
        for left in other.unfinished {
            let known = self.unfinished.iter_mut();
            match known.into_iter().find(|known| known.step == left.step) {
                Some(known) => known.count += left.count,
                None => self.unfinished.push(left),
            }
        }
        self.sort();
    }

    /// Sorts steps in the order in which iterations reach them, and first failures and unfinished iterations by count.
    pub fn sort(&mut self) {
        let places: BTreeMap<(Option<String>, Vec<String>), u64> = self
            .steps
            .iter()
            .map(|step| ((step.scenario.clone(), step.path.clone()), step.place()))
            .collect();
        let way = |step: &FunnelStep| -> Vec<(u64, String)> {
            let depths = 1..=step.path.len();
            let at = |depth: usize| {
                let key = (step.scenario.clone(), step.path[..depth].to_vec());
                let place = places.get(&key).copied().unwrap_or_default();
                (place, step.path[depth - 1].clone())
            };
            depths.map(at).collect()
        };
        self.steps
            .sort_by_cached_key(|step| (step.scenario.clone(), way(step)));
        self.first_failures
            .sort_by_key(|cause| Reverse(cause.failed + cause.succeeded));
        self.unfinished.sort_by_key(|left| Reverse(left.count));
    }

    /// Finds the step called `name`. The name is a path with ` > ` between the parts, or the name of a step if it is
    /// unique.
    pub fn step(&self, name: &str) -> Option<&FunnelStep> {
        if let Some(step) = self.steps.iter().find(|step| step.name() == name) {
            return Some(step);
        }
        let mut own = self
            .steps
            .iter()
            .filter(|step| step.path.last().is_some_and(|own| own == name));
        own.next().filter(|_| own.next().is_none())
    }
}

/// Formats the path of a step for reports.
pub fn path_name(path: &[String]) -> String {
    path.join(" > ")
}

impl FunnelStep {
    /// Returns the path of the step for reports: `buy > pay`.
    pub fn name(&self) -> String {
        path_name(&self.path)
    }

    /// Number of times that the step had not ended when its iteration was over.
    pub fn left_open(&self) -> u64 {
        let ended = self.passed_time.count() + self.failed_time.count() + self.timed_out;
        self.begun.saturating_sub(ended)
    }

    /// Returns quantile `q` of the time until the step was passed, over all iterations that began it.
    ///
    /// Failures and timeouts rank above all times, and unfinished steps at their age or higher. Thus the result never
    /// covers successes alone.
    pub fn time_at(&self, q: f64) -> Estimate {
        let others = self.begun.saturating_sub(self.passed_time.count());
        let samples = Samples {
            times: &self.passed_time,
            open: &self.open,
            endless: others.saturating_sub(self.open.count()),
        };
        samples.at_in(&self.blocks, q)
    }

    /// Converts the step to timings of passes and failures.
    pub fn timings(&self) -> Timings {
        let mut times = self.passed_time.clone();
        times.merge(&self.failed_time);
        Timings {
            count: times.count() + self.timed_out,
            failed: self.failed_time.count() + self.timed_out,
            timed_out: self.timed_out,
            timeout: self.timeout,
            unfinished: self.left_open(),
            open: self.open.clone(),
            response: times.clone(),
            failed_response: self.failed_time.clone(),
            service: times,
            blocks: self.blocks.clone(),
            ..Timings::default()
        }
    }

    /// Average position of the step among the steps of an iteration, in thousandths.
    fn place(&self) -> u64 {
        self.places * 1000 / self.reached.max(1)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.path == other.path
            && self.eventually == other.eventually
            && self.scenario == other.scenario
    }

    fn merge(&mut self, other: &Self) {
        self.reached += other.reached;
        self.passed += other.passed;
        self.passed_with_failures += other.passed_with_failures;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.begun += other.begun;
        self.passed_time.merge(&other.passed_time);
        self.blocks.merge(&other.blocks);
        self.failed_time.merge(&other.failed_time);
        self.timed_out += other.timed_out;
        self.timeout = self.timeout.max(other.timeout);
        self.open.merge(&other.open);
        self.places += other.places;
    }
}

impl FirstFailure {
    fn is_same(&self, other: &Self) -> bool {
        self.step == other.step
            && self.side == other.side
            && self.kind == other.kind
            && self.status == other.status
            && self.what == other.what
    }

    fn merge(&mut self, other: Self) {
        self.failed += other.failed;
        self.succeeded += other.succeeded;
        if other.first.at_s < self.first.at_s {
            self.first = other.first;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(path: &[&str], reached: u64, places: u64) -> FunnelStep {
        FunnelStep {
            path: path.iter().map(ToString::to_string).collect(),
            reached,
            passed: reached,
            places,
            ..FunnelStep::default()
        }
    }

    fn names(funnel: &StepFunnel) -> Vec<String> {
        funnel.steps.iter().map(FunnelStep::name).collect()
    }

    #[test]
    fn steps_stand_in_the_order_in_which_they_are_reached_whatever_worker_saw_them() {
        let mut one = StepFunnel::default();
        one.merge(StepFunnel {
            steps: vec![step(&["pay"], 4, 12), step(&["buy", "look"], 10, 10)],
            ..StepFunnel::default()
        });
        one.merge(StepFunnel {
            steps: vec![
                step(&["buy"], 10, 0),
                step(&["buy", "choose"], 8, 16),
                step(&["pay"], 2, 6),
            ],
            ..StepFunnel::default()
        });
        assert_eq!(names(&one), ["buy", "buy > look", "buy > choose", "pay"]);
        assert_eq!(one.step("pay").map(|step| step.reached), Some(6));
        assert_eq!(one.step("choose").map(|step| step.reached), Some(8));
        assert_eq!(one.step("buy > choose").map(|step| step.reached), Some(8));
    }

    #[test]
    fn a_name_that_two_steps_have_is_no_steps_name() {
        let funnel = StepFunnel {
            steps: vec![step(&["buy", "pay"], 4, 4), step(&["rent", "pay"], 4, 8)],
            ..StepFunnel::default()
        };
        assert!(funnel.step("pay").is_none());
        assert!(funnel.step("rent > pay").is_some());
    }

    #[test]
    fn a_percentile_of_a_step_is_never_that_of_the_survivors() {
        let mut pay = step(&["pay"], 400, 0);
        (0..370).for_each(|_| pay.passed_time.record(Nanos::from_millis(10)));
        (0..30).for_each(|_| pay.failed_time.record(Nanos::from_millis(1)));
        pay.begun = 400;
        assert!(pay.time_at(0.5).value().is_some());
        assert_eq!(pay.time_at(0.95), Estimate::Beyond { at_least: None });
        let timings = pay.timings();
        assert_eq!((timings.count, timings.failed), (400, 30));
    }
}
