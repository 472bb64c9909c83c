//! The step funnel: counts for each step and each first failure, in flat lists that use numbers instead of names.

use std::sync::Arc;

use model::{Fault, FaultKind, Nanos};
use record::{Example, FirstFailure, FunnelStep, Measured, StepFunnel, Unfinished};
use rustc_hash::FxHashMap;
use stats::BlockWriter;

use crate::recorder::{NAMES_LIMIT, OTHER_NAMES};

mod step_names;

pub(crate) use step_names::StepNames;

/// Maximum number of kinds of first failures that are counted separately.
const CAUSES_LIMIT: usize = 200;

/// A step at one position in the funnel.
#[derive(Clone, Debug)]
struct Node {
    name: u32,
    parent: Option<u32>,
    told: FunnelStep,
    scenario: usize,
    /// Number of iterations that were in the step when the level ended.
    stuck: u64,
    course: BlockWriter,
}

/// The counts of one worker in one level.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunnelCounts {
    nodes: Vec<Node>,
    index: FxHashMap<(u32, u32), u32>,
    causes: Vec<FirstFailure>,
    /// Number of unfinished iterations that were in no step.
    outside: u64,
}

/// The way in which a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepEnd {
    Passed,
    Failed,
    RanOut,
}

impl StepEnd {
    pub(crate) fn of(fault: Option<&Fault>) -> Self {
        match fault.map(|fault| fault.kind) {
            None => Self::Passed,
            Some(FaultKind::TimedOut | FaultKind::Eventually) => Self::RanOut,
            Some(_) => Self::Failed,
        }
    }
}

impl FunnelCounts {
    /// The node of a step that begins within `parent`. If an enclosing step has the same name, returns that step's
    /// node, because several members are in it or the script recurses.
    pub(crate) fn node(
        &mut self,
        names: &StepNames,
        name: u32,
        (parent, scenario): (Option<u32>, usize),
    ) -> u32 {
        let mut around = parent;
        while let Some(at) = around {
            let node = &self.nodes[at as usize];
            if node.name == name {
                return at;
            }
            around = node.parent;
        }
        let root = u32::MAX - u32::try_from(scenario).unwrap_or_default();
        if let Some(&at) = self.index.get(&(parent.unwrap_or(root), name)) {
            return at;
        }
        self.add(names, name, (parent, scenario), root)
    }

    #[cold]
    fn add(
        &mut self,
        names: &StepNames,
        name: u32,
        (parent, scenario): (Option<u32>, usize),
        root: u32,
    ) -> u32 {
        let (own, eventually) = names.of(name);
        if self.nodes.len() >= NAMES_LIMIT && (parent.is_some() || &*own != OTHER_NAMES) {
            let place = (None, scenario);
            let other = self.nodes.iter();
            let mut other = other.zip(0..).filter(|(node, _)| {
                node.scenario == scenario && node.told.path == [OTHER_NAMES.to_owned()]
            });
            let known = other.next().map(|(_, at)| at);
            return known.unwrap_or_else(|| self.push((name, place), OTHER_NAMES, eventually));
        }
        let at = self.push((name, (parent, scenario)), &own, eventually);
        self.index.insert((parent.unwrap_or(root), name), at);
        at
    }

    fn push(
        &mut self,
        (name, (parent, scenario)): (u32, (Option<u32>, usize)),
        own: &str,
        eventually: bool,
    ) -> u32 {
        let around = parent.map(|at| self.nodes[at as usize].told.path.clone());
        let mut path = around.unwrap_or_default();
        path.push(own.to_owned());
        self.nodes.push(Node {
            name,
            parent,
            told: FunnelStep {
                path,
                eventually,
                ..FunnelStep::default()
            },
            scenario,
            stuck: 0,
            course: BlockWriter::default(),
        });
        u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX)
    }

    /// The step's own name, without the names of enclosing steps.
    pub(crate) fn name_of(&self, node: u32) -> &str {
        let told = self.nodes.get(node as usize).map(|node| &node.told);
        told.and_then(|told| told.path.last())
            .map_or("", String::as_str)
    }

    pub(crate) fn parent_of(&self, node: u32) -> Option<u32> {
        self.nodes.get(node as usize)?.parent
    }

    /// Counts a step that began in the measured time.
    pub(crate) fn begun(&mut self, node: u32) {
        self.nodes[node as usize].told.begun += 1;
    }

    /// Counts the end of a step that began in the measured time.
    pub(crate) fn ended(&mut self, node: u32, took: Nanos, end: StepEnd) {
        let told = &mut self.nodes[node as usize].told;
        match end {
            StepEnd::Passed => told.passed_time.record(took),
            StepEnd::Failed => told.failed_time.record(took),
            StepEnd::RanOut => {
                told.timed_out += 1;
                told.timeout = told.timeout.max(Some(took));
            }
        }
    }

    /// Counts a step that began in the measured time and has not ended. `age` is its duration so far.
    pub(crate) fn left_open(&mut self, node: u32, age: Nanos) {
        self.nodes[node as usize].told.open.record(age);
    }

    /// The names, with and without those of enclosing steps, of steps that did not begin in the measured time.
    pub(crate) fn not_begun(&self) -> impl Iterator<Item = String> {
        let idle = self.nodes.iter().filter(|node| node.told.begun == 0);
        idle.flat_map(|node| {
            let own = node.told.path.last().cloned();
            own.into_iter().chain([node.told.name()])
        })
    }

    /// Closes a block of each step, with the executions of the step that ended since the last call.
    pub(crate) fn close_blocks(&mut self, at: Nanos) {
        for Node { told, course, .. } in &mut self.nodes {
            let others = told.failed_time.count() + told.timed_out;
            course.close(at, &told.passed_time, others);
        }
    }

    /// Returns the number of a first failure. The failure is counted only when its iteration has ended.
    pub(crate) fn cause(
        &mut self,
        node: Option<u32>,
        fault: &Fault,
        (what, status): (&str, Option<u16>),
        example: impl FnOnce() -> Example,
    ) -> u32 {
        let step = node.map(|at| &self.nodes[at as usize].told.path);
        let is_it = |cause: &FirstFailure| {
            cause.side == fault.side
                && cause.kind == fault.kind
                && cause.status == status
                && cause.what == what
                && cause.step.as_ref() == step
        };
        if let Some(at) = self.causes.iter().position(is_it) {
            return u32::try_from(at).unwrap_or(u32::MAX);
        }
        let step = step.cloned();
        let what = if self.causes.len() < CAUSES_LIMIT {
            what.to_owned()
        } else {
            return self.further(fault, example);
        };
        self.push_first(FirstFailure {
            step,
            side: fault.side,
            kind: fault.kind,
            status,
            what,
            failed: 0,
            succeeded: 0,
            first: example(),
        })
    }

    /// Returns the number of a first failure beyond the limit. All such failures of one side and kind share a number.
    fn further(&mut self, fault: &Fault, example: impl FnOnce() -> Example) -> u32 {
        let same = |cause: &FirstFailure| {
            cause.side == fault.side && cause.kind == fault.kind && cause.what == OTHER_NAMES
        };
        if let Some(at) = self.causes.iter().position(same) {
            return u32::try_from(at).unwrap_or(u32::MAX);
        }
        self.push_first(FirstFailure {
            step: None,
            side: fault.side,
            kind: fault.kind,
            status: None,
            what: OTHER_NAMES.to_owned(),
            failed: 0,
            succeeded: 0,
            first: example(),
        })
    }

    fn push_first(&mut self, cause: FirstFailure) -> u32 {
        self.causes.push(cause);
        u32::try_from(self.causes.len() - 1).unwrap_or(u32::MAX)
    }

    /// Counts an iteration that had this first failure.
    pub(crate) fn count_cause(&mut self, cause: u32, succeeded: bool) {
        if let Some(cause) = self.causes.get_mut(cause as usize) {
            cause.succeeded += u64::from(succeeded);
            cause.failed += u64::from(!succeeded);
        }
    }

    /// Counts an iteration that was in this step, or in no step, when the level ended.
    pub(crate) fn count_stuck(&mut self, node: Option<u32>) {
        match node.and_then(|at| self.nodes.get_mut(at as usize)) {
            Some(node) => node.stuck += 1,
            None => self.outside += 1,
        }
    }

    /// Counts the steps of an iteration that belongs to the level.
    pub(crate) fn count_way(&mut self, way: &Way) {
        for (reached, place) in way.reached.iter().zip(0..) {
            let told = &mut self.nodes[reached.node as usize].told;
            told.reached += 1;
            told.places += place;
            if reached.failed {
                told.failed += 1;
            } else if reached.open > 0 {
                told.unfinished += 1;
            } else {
                told.passed += 1;
                told.passed_with_failures += u64::from(reached.flawed);
            }
        }
    }

    /// Moves all counts to `measured`, keyed by name. `mix` has the names of the scenarios if there are several.
    pub(crate) fn tell(self, mix: &[Arc<str>], measured: &mut Measured) {
        let stuck = self.nodes.iter().filter(|node| node.stuck > 0);
        let stuck = stuck.map(|node| (Some(node.told.path.clone()), node.stuck));
        let outside = (self.outside > 0).then_some((None, self.outside));
        let unfinished = stuck.chain(outside);
        let mut funnel = StepFunnel {
            unfinished: unfinished
                .map(|(step, count)| Unfinished { step, count })
                .collect(),
            ..StepFunnel::default()
        };
        let causes = self.causes.into_iter();
        funnel.first_failures = causes
            .filter(|cause| cause.failed + cause.succeeded > 0)
            .collect();
        for mut node in self.nodes {
            node.told.blocks = node.course.into_blocks();
            if let Some(own) = node.told.path.last().filter(|_| node.told.begun > 0) {
                let family = if node.told.eventually {
                    &mut measured.eventually
                } else {
                    &mut measured.steps
                };
                let all = family.entry(own.clone()).or_default();
                all.merge(&node.told.timings());
            }
            node.told.scenario = mix.get(node.scenario).map(ToString::to_string);
            if node.told.begun + node.told.reached > 0 {
                funnel.steps.push(node.told);
            }
        }
        funnel.sort();
        measured.funnel = funnel;
    }
}

/// A step that an iteration has reached.
#[derive(Clone, Copy, Debug)]
struct Reached {
    node: u32,
    /// The number of members in the step.
    open: u32,
    /// Whether the step ended with an error.
    failed: bool,
    /// Whether something in the step failed.
    flawed: bool,
}

/// The progress of one iteration.
#[derive(Debug, Default)]
pub(crate) struct Way {
    reached: Vec<Reached>,
    /// The number of the iteration's first failure.
    pub(crate) first: Option<u32>,
    /// Number of calls of `everyone` and `together` in progress.
    pub(crate) concurrent: u32,
    /// The group's step in which the calls of `everyone` and `together` began. Steps that the group begins during the
    /// calls are nested only in this step.
    pub(crate) base: Option<u32>,
}

impl Way {
    pub(crate) fn begin(&mut self, node: u32) {
        match self.at(node) {
            Some(reached) => reached.open += 1,
            None => self.reached.push(Reached {
                node,
                open: 1,
                failed: false,
                flawed: false,
            }),
        }
    }

    pub(crate) fn end(&mut self, node: u32, end: StepEnd) {
        if let Some(reached) = self.at(node) {
            reached.open = reached.open.saturating_sub(1);
            reached.failed |= end != StepEnd::Passed;
        }
    }

    /// Notes that something failed in this step.
    pub(crate) fn flaw(&mut self, node: u32) {
        if let Some(reached) = self.at(node) {
            reached.flawed = true;
        }
    }

    /// Searches from the end, because an iteration is usually in one of its latest steps.
    fn at(&mut self, node: u32) -> Option<&mut Reached> {
        self.reached
            .iter_mut()
            .rfind(|reached| reached.node == node)
    }

    pub(crate) fn clear(&mut self) {
        self.reached.clear();
        self.first = None;
        self.concurrent = 0;
        self.base = None;
    }
}
