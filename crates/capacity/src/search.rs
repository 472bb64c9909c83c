//! Searches for the highest load that a target holds.
//!
//! A [`Search`] is asked for the next trial and told the outcome, until it has an answer. It runs nothing, reads no
//! clock and draws no random numbers: the same outcomes give the same trials and the same answer.
//!
//! 1. **Warm up** at the first load until two trials agree.
//! 2. **Expand** by factors of 4, then 2, with short trials, until a trial breaks a threshold.
//! 3. **Refine** with trials of medium length. All trials together give each possible ceiling a probability, and the
//!    next trial is at the median.
//! 4. **Confirm** with long trials: a ceiling stands only if every repetition at it held, and a trial above it failed.
//! 5. **Overload** with the time that is left, for the soft and the hard ceiling.
//! 6. **Explain** with a trial above the ceiling, if all trials that failed were too short to show why.
//!
//! After each failure, the search waits until the target has recovered. A trial whose users were not ready when its
//! measurement began is repeated with a longer ramp (`ramp`).

mod answer;
mod beyond;
mod climb;
mod confirmation;
mod evidence;
mod explain;
mod map;
mod narrow;
mod observe;
mod own_limits;
mod phase;
mod posterior;
mod production;
mod ramp;
mod saved;
mod settings;
mod trial;

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Bracket, Ceiling, Ended, GeneratorLimit, Interval};
pub use map::{CeilingMap, Dominates, SizedSearch, Slope};
pub use observe::outcome;
pub use production::Production;
pub use saved::{Quantity, SavedSearch, SavedTrial};
pub use settings::Settings;
pub use trial::{Evidence, Outcome, Purpose, Readiness, ShareEvidence, Trial};

use evidence::{Done, Pool};
use phase::{Phase, Reference};
use ramp::Ramp;
use settings::Lengths;

/// The next step of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Run this trial, and [`Search::record`] its outcome.
    Try(Trial),
    /// The search is over.
    Done(Box<Answer>),
}

/// A search for a ceiling.
#[derive(Clone, Debug)]
pub struct Search {
    settings: Settings,
    lengths: Lengths,
    phase: Phase,
    /// The trial whose outcome is awaited.
    asked: Option<Trial>,
    /// All trials.
    log: Vec<Done>,
    /// The trials that bear on the stable ceiling.
    pool: Pool,
    spent_s: f64,
    /// Median time at the first load.
    base_ms: Option<f64>,
    reference: Option<Reference>,
    /// The loads between which the ceiling lies.
    range: (f64, f64),
    /// A load that held in all long trials: the ceiling, or a lower bound of it.
    confirmed: Option<f64>,
    /// A load at which each long trial passed, but all of them together broke a threshold.
    refuted: Option<f64>,
    /// A load that the target completed while it fell behind: probably its ceiling.
    guess: Option<f64>,
    generator: Option<GeneratorLimit>,
    /// Number of the last trials in which the generator was the limit.
    invalid_in_a_row: u32,
    ramp: Ramp,
    /// Number of trials that were repeated with a longer ramp.
    not_ready: usize,
}

/// Number of consecutive trials, with the generator as the limit, after which the search stops trying.
const INVALID_MOST: u32 = 3;
/// The same while the load grows, where the cause is hardly ever a passing disturbance.
const INVALID_MOST_EXPANDING: u32 = 2;

impl Search {
    /// Starts a search.
    pub fn new(settings: Settings) -> Self {
        let lengths = settings.lengths();
        Self {
            settings,
            lengths,
            phase: Phase::WarmUp {
                looks: 0,
                before_ms: None,
            },
            asked: None,
            log: Vec::new(),
            pool: Pool::new(lengths.long),
            spent_s: 0.0,
            base_ms: None,
            reference: None,
            range: (settings.first, settings.most),
            confirmed: None,
            refuted: None,
            guess: None,
            generator: None,
            invalid_in_a_row: 0,
            ramp: Ramp::new(settings.ramp_s),
            not_ready: 0,
        }
    }

    /// Continues a search with the outcomes of its trials so far. Returns the search and the number of trials that it
    /// used: all, unless the settings have changed so that it would have tried something else.
    pub fn resume(settings: Settings, trials: &[SavedTrial]) -> (Self, usize) {
        let mut search = Self::new(settings);
        for (index, done) in trials.iter().enumerate() {
            match search.next_step() {
                Step::Try(trial) if trial == done.trial => {
                    search.record(done.outcome.clone());
                }
                _ => return (search, index),
            }
        }
        (search, trials.len())
    }

    /// The next step. Until its outcome is recorded, the same trial is returned again.
    pub fn next_step(&mut self) -> Step {
        loop {
            if let Some(trial) = self.asked {
                return Step::Try(trial);
            }
            let Phase::Over(ended) = self.phase else {
                self.asked = self.propose();
                continue;
            };
            self.asked = self.propose_explanation(ended);
            if self.asked.is_none() {
                return Step::Done(Box::new(self.answer(ended)));
            }
        }
    }

    /// Records the outcome of the trial that [`Search::next_step`] returned, and returns it as the search counts it. Without
    /// such a trial, does nothing.
    pub fn record(&mut self, mut outcome: Outcome) -> Outcome {
        let Some(trial) = self.asked.take() else {
            return outcome;
        };
        self.spent_s += outcome.took_s;
        self.ramp.judge(&trial, &mut outcome);
        if outcome.not_ready {
            self.not_ready += 1;
        } else {
            self.learn_from(trial, outcome.clone());
        }
        outcome
    }

    fn learn_from(&mut self, trial: Trial, outcome: Outcome) {
        self.log.push(Done {
            trial,
            outcome: outcome.clone(),
        });
        // A late generator only lengthens times, so a target that looks recovered has recovered.
        if outcome.is_valid() || matches!(self.phase, Phase::Recover { .. }) {
            self.invalid_in_a_row = 0;
            self.learn(trial, outcome);
        } else {
            self.invalid_in_a_row += 1;
            self.generator_was_the_limit(trial, outcome);
        }
    }

    /// The answer if the search ends now for the reason `why`, before [`Search::next_step`] returns one.
    pub fn so_far(&self, why: Ended) -> Answer {
        match self.phase {
            Phase::Over(ended) => self.answer(ended),
            _ => self.answer(why),
        }
    }

    /// The highest load at which a trial held, below all loads that failed.
    pub fn holds(&self) -> Option<f64> {
        self.pool.holds()
    }

    /// The lowest load at which a trial failed.
    pub fn fails(&self) -> Option<f64> {
        let failed = self.pool.lowest_failed_above(0.0);
        failed.or_else(|| beyond::failed_first(&self.log, self.settings.first))
    }

    /// Seconds that are left of the budget.
    pub fn left_s(&self) -> f64 {
        self.settings.usable_s() - self.spent_s
    }

    /// Seconds that are left for the ceilings.
    fn spare_s(&self) -> f64 {
        self.left_s() - self.kept_s()
    }

    /// The next trial, or `None` if the phase has changed.
    fn propose(&mut self) -> Option<Trial> {
        match self.phase.clone() {
            Phase::WarmUp { .. } => {
                let duration_s = self.settings.warm_up_s(self.lengths.warm_up);
                self.in_time(self.settings.first, duration_s, Purpose::WarmUp)
            }
            Phase::Expand { low, factor } => self.propose_expansion(low, factor),
            Phase::Reference { low, .. } => self.in_time(
                self.settings.shape(low / 2.0),
                self.lengths.short,
                Purpose::Reference,
            ),
            Phase::Refine => self.propose_refinement(),
            Phase::Confirm(confirmation) => self.propose_confirmation(confirmation),
            Phase::Above { above, long } => {
                let duration_s = if long {
                    self.lengths.long
                } else {
                    self.lengths.refine
                };
                self.in_time(above, duration_s, Purpose::Above)
            }
            Phase::Drift { looks } => {
                let load = self.reference.map_or(self.settings.first, |one| one.load);
                let duration_s = self.lengths.short * f64::from(1 + looks);
                self.in_time(load, duration_s, Purpose::Drift)
            }
            Phase::Recover { .. } => self.in_time(
                self.recovery_load(),
                self.lengths.recovery,
                Purpose::Recovery,
            ),
            Phase::Overload { trials } => self.propose_overload(trials),
            Phase::Over(_) => None,
        }
    }

    /// A trial if there is time for it. Otherwise the phase is over.
    fn in_time(&mut self, load: f64, duration_s: f64, purpose: Purpose) -> Option<Trial> {
        let pause_s = match self.phase {
            Phase::Recover { pause_s, .. } => pause_s,
            _ => 0.0,
        };
        if self.spare_s() < pause_s + self.cost(duration_s) + self.ramp.more_s(load) {
            if !matches!(self.phase, Phase::Overload { .. } | Phase::Recover { .. }) {
                return self.found();
            }
            let known = self.ceiling().map(|_| Ended::Confirmed);
            self.phase = Phase::Over(known.unwrap_or(self.out_of_time()));
            return None;
        }
        Some(Trial {
            pause_s,
            ..self.trial(load, duration_s, purpose)
        })
    }

    fn trial(&self, load: f64, duration_s: f64, purpose: Purpose) -> Trial {
        Trial {
            load,
            duration_s,
            pause_s: 0.0,
            purpose,
            ramp_s: self.ramp.for_load(load),
        }
    }

    fn slow_drain_s(&self) -> f64 {
        beyond::slow_drain_s(&self.log, self.settings.lead_s)
    }

    /// The expected time of a trial with this measured time.
    fn cost(&self, duration_s: f64) -> f64 {
        duration_s + self.settings.lead_s
    }

    fn learn(&mut self, trial: Trial, outcome: Outcome) {
        match self.phase.clone() {
            Phase::WarmUp { looks, before_ms } => self.learn_warm_up(looks, before_ms, &outcome),
            Phase::Expand { factor, .. } => self.learn_expansion(factor, trial, outcome),
            Phase::Reference { looks, low } => self.learn_reference(looks, low, &trial, &outcome),
            Phase::Refine => self.learn_refinement(trial, outcome),
            Phase::Confirm(confirmation) => self.learn_confirmation(confirmation, trial, outcome),
            Phase::Above { long, .. } => self.learn_above(long, trial, outcome),
            Phase::Drift { looks } => self.learn_drift(looks, &outcome),
            Phase::Recover {
                began_s,
                pause_s,
                then,
            } => self.learn_recovery(began_s, pause_s, *then, &outcome),
            Phase::Overload { trials } => {
                let next = Phase::Overload { trials: trials + 1 };
                self.after(outcome.overloaded(), next);
            }
            Phase::Over(_) => {}
        }
    }

    /// Repeats the trial, and gives up after several in a row: then the generator cannot generate this load.
    fn generator_was_the_limit(&mut self, trial: Trial, outcome: Outcome) {
        let expanding = matches!(self.phase, Phase::Expand { .. } | Phase::Overload { .. });
        let most = if expanding {
            INVALID_MOST_EXPANDING
        } else {
            INVALID_MOST
        };
        if self.invalid_in_a_row < most {
            return;
        }
        self.invalid_in_a_row = 0;
        self.generator = Some(GeneratorLimit {
            load: trial.load,
            because: outcome.generator,
        });
        self.phase = match self.phase.clone() {
            same @ (Phase::Expand { .. } | Phase::Over(_)) => same,
            Phase::Overload { .. } => Phase::Over(Ended::Confirmed),
            Phase::Confirm(wanted) if wanted.is_at_least() => self.confirm_lower(trial.load),
            _ => self.end_at_generator(),
        };
    }

    /// Waits until the target has recovered if the trial overloaded it, and then continues with `then`.
    fn after(&mut self, overloaded: bool, then: Phase) {
        self.phase = if overloaded {
            Phase::Recover {
                began_s: self.spent_s,
                pause_s: 0.5,
                then: Box::new(then),
            }
        } else {
            then
        };
    }

    fn answer(&self, ended: Ended) -> Answer {
        let is_known = ended == Ended::Confirmed || ended.is_early();
        let stable = self.ceiling().filter(|_| is_known);
        let at_least = match ended {
            Ended::GeneratorLimit | Ended::LargestLoadHeld => {
                self.confirmed.or_else(|| self.holds_within_generator())
            }
            _ => None,
        };
        let narrowed = ended.is_early() && stable.is_none() && self.pool.is_bracketed();
        let unmeasured = self.log.last().map(|done| done.outcome.unmeasured.clone());
        Answer {
            ended,
            stable,
            at_least,
            probably: narrowed.then(|| self.interval().below(self.fails())),
            soft: beyond::soft(&self.log),
            hard: beyond::hard(&self.log),
            generator: self.generator.clone(),
            holds: stable.map(|one| one.load).or_else(|| self.holds()),
            fails: match stable.map(|one| one.load).or(at_least) {
                Some(load) => self.pool.lowest_failed_above(load),
                None => self.fails(),
            },
            unmeasured: unmeasured.unwrap_or_default(),
            spent_s: self.spent_s,
            trials: self.log.len() + self.not_ready,
        }
    }
}
