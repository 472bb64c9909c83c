//! The first half of a search: warming up, expanding until a trial fails, and recovering from failures.

use super::beyond::{self, DRAIN_S};
use super::confirmation::Confirmation;
use super::trial::{Evidence, Outcome, Purpose, Trial};
use super::{Ended, Phase, Reference, Search};

/// The target is warm when two consecutive medians differ by less than this share, or by chance.
const WARM: f64 = 0.1;
/// A target that responds faster by this share than in the previous trial still warms up.
const FASTER: f64 = 0.07;
/// Number of trials in which a target may warm up.
const LOOKS: u32 = 6;
/// Factors by which the load grows: the first far below the ceiling, the second near it.
const FAST: f64 = 4.0;
const NEAR: f64 = 2.0;
/// The median has risen if it exceeds the median of the first load by this factor.
const RISEN: f64 = 1.15;
/// The load from which the generator is the limit is known well enough within this factor.
const CLOSE: f64 = 1.3;
/// A target that has recovered responds at most this many times slower than it did at such a load, plus one millisecond.
const RECOVERED: f64 = 2.0;
/// The share of values beyond the limit in a recovery trial, which has few values.
const RECOVERED_SHARE: f64 = 0.15;
/// Time that a target has to recover, in seconds.
const RECOVERY_S: f64 = 40.0;
/// Loads above the stable ceiling: their number, and the largest as a multiple of the stable ceiling.
const OVERLOADS: u32 = 6;
const OVERLOAD_MOST: f64 = 8.0;

impl Search {
    pub(super) fn learn_warm_up(&mut self, looks: u32, before_ms: Option<f64>, outcome: &Outcome) {
        let looks = looks + 1;
        let agree = match (before_ms, outcome.median_ms) {
            (Some(before), Some(now)) => (now / before - 1.0).abs() < by_chance(outcome).max(WARM),
            (None, Some(_)) => false,
            (_, None) => looks > 1,
        };
        let measured = outcome.unmeasured.is_empty();
        if !(agree && measured) && looks < LOOKS {
            self.phase = Phase::WarmUp {
                looks,
                before_ms: outcome.median_ms,
            };
        } else if !measured {
            self.phase = Phase::Over(Ended::Unmeasured);
        } else if !outcome.failed() {
            self.base_ms = outcome.median_ms;
            self.phase = Phase::Expand {
                low: self.settings.first,
                factor: FAST,
            };
        } else {
            self.start_lower();
        }
    }

    /// The first load failed, so the search starts again at a lower one, if there is one.
    fn start_lower(&mut self) {
        let lower = self.settings.shape(self.settings.first / FAST);
        if lower < self.settings.first {
            self.settings.first = lower;
            self.phase = Phase::WarmUp {
                looks: 0,
                before_ms: None,
            };
        } else {
            self.phase = Phase::Over(Ended::FirstLoadFailed);
        }
    }

    pub(super) fn propose_expansion(&mut self, low: f64, factor: f64) -> Option<Trial> {
        let limit = self.generator.as_ref().map(|limit| limit.load);
        let load = match limit {
            Some(limit) => self.settings.shape((low * limit).sqrt()),
            None => self.settings.shape(low * factor),
        };
        let close = limit.is_some_and(|limit| limit / low < CLOSE);
        if close || load <= low || limit.is_some_and(|limit| load >= limit) {
            // The target did not fail. Long trials show whether it holds the highest load for longer.
            self.phase = Phase::Confirm(Confirmation::at_least(low));
            return None;
        }
        self.in_time(load, self.lengths.short, Purpose::Expand)
    }

    pub(super) fn learn_expansion(&mut self, factor: f64, trial: Trial, outcome: Outcome) {
        let failed = outcome.failed();
        let risen = match (outcome.median_ms, self.base_ms) {
            (Some(median), Some(base)) => median > RISEN * base,
            _ => false,
        };
        let touched = matches!(outcome.evidence, Evidence::Share(counts) if counts.beyond > 0.0);
        self.note(trial, outcome);
        if failed {
            let low = self.pool.may_hold().unwrap_or(self.settings.first);
            self.generator = None; // the target failed at a lower load
            self.range = (low / 1.6, trial.load * 1.02);
            self.after(true, Phase::Reference { looks: 0, low });
        } else {
            let near = risen || touched || factor < FAST;
            self.phase = Phase::Expand {
                low: trial.load,
                factor: if near { NEAR } else { FAST },
            };
        }
    }

    /// Repeats a low load until the target gets no faster: compilers, caches and pools warm up by requests.
    pub(super) fn learn_reference(
        &mut self,
        looks: u32,
        low: f64,
        trial: &Trial,
        outcome: &Outcome,
    ) {
        let before = self.reference.and_then(|one| one.median_ms);
        let faster = match (before, outcome.median_ms) {
            (Some(before), Some(now)) => now < (1.0 - by_chance(outcome).max(FASTER)) * before,
            (None, now) => now.is_some() && looks == 0,
            (Some(_), None) => false,
        };
        self.reference = Some(Reference {
            load: trial.load,
            median_ms: outcome.median_ms,
            at_s: self.spent_s,
        });
        self.phase = if faster && looks + 1 < LOOKS {
            Phase::Reference {
                looks: looks + 1,
                low,
            }
        } else {
            Phase::Refine
        };
    }

    /// A quarter of the highest load that held, so that a target which is well serves it easily.
    pub(super) fn recovery_load(&self) -> f64 {
        let held = self.pool.highest_passed().unwrap_or(self.settings.first);
        self.settings.shape(held / 4.0).max(self.settings.first)
    }

    /// The longest median so far, in milliseconds, of trials that held at this load or less. Some targets are slower at a
    /// higher load although nothing waits, for example when acknowledgements are delayed.
    fn usual_ms(&self, load: f64) -> Option<f64> {
        let held = self.log.iter().filter(|done| {
            let is_climb = matches!(done.trial.purpose, Purpose::WarmUp | Purpose::Expand);
            is_climb && done.trial.load <= load && !done.outcome.failed()
        });
        let medians = held.filter_map(|done| done.outcome.median_ms);
        medians.chain(self.base_ms).reduce(f64::max)
    }

    pub(super) fn learn_recovery(
        &mut self,
        began_s: f64,
        pause_s: f64,
        then: Phase,
        outcome: &Outcome,
    ) {
        let quick = match (outcome.median_ms, self.usual_ms(self.recovery_load())) {
            (Some(median), Some(usual)) => median < RECOVERED * usual + 1.0,
            _ => true,
        };
        let clean = match outcome.evidence {
            Evidence::Share(counts) => {
                counts.beyond <= (RECOVERED_SHARE * counts.of).max(2.0) && counts.of > 0.0
            }
            Evidence::Broken => false,
            // A trial that could not begin shows no recovery.
            Evidence::Held | Evidence::Undecided => {
                outcome.is_valid() || outcome.median_ms.is_some()
            }
        };
        let left_s = RECOVERY_S - (self.spent_s - began_s);
        self.phase = if quick && clean {
            then
        } else if left_s > 0.0 {
            // Some targets recover only while nobody asks, so the pauses grow.
            Phase::Recover {
                began_s,
                pause_s: (pause_s * 2.0).min(left_s),
                then: Box::new(then),
            }
        } else if !outcome.is_valid() {
            self.end_at_generator()
        } else if matches!(then, Phase::Overload { .. }) {
            Phase::Over(Ended::Confirmed) // the stable ceiling is known
        } else {
            Phase::Over(Ended::NotRecovered)
        };
    }

    /// How a search ends whose time runs out. A target that cannot be reached is gone, and not only slow to recover.
    pub(super) fn out_of_time(&self) -> Ended {
        let is_gone = self.log.last().is_some_and(|last| {
            let measured_nothing = last.outcome.median_ms.is_none();
            last.trial.purpose == Purpose::Recovery && last.outcome.failed() && measured_nothing
        });
        if is_gone {
            Ended::NotRecovered
        } else {
            Ended::OutOfTime
        }
    }

    pub(super) fn propose_overload(&mut self, trials: u32) -> Option<Trial> {
        let stable = self.confirmed.unwrap_or(self.settings.first);
        let most = (OVERLOAD_MOST * stable).min(self.settings.most);
        let next = beyond::next_load(&self.log).filter(|_| trials < OVERLOADS);
        // A target that works off an overload slowly may need as long again to recover.
        let in_time = self.spare_s() > DRAIN_S.max(2.0 * self.slow_drain_s());
        match next.map(|load| self.settings.shape(load)) {
            Some(load) if load <= most && load > stable && in_time => {
                let trial = self.in_time(load, self.lengths.short, Purpose::Overload)?;
                let pause_s = 1.0;
                Some(Trial { pause_s, ..trial })
            }
            _ => {
                self.phase = Phase::Over(Ended::Confirmed);
                None
            }
        }
    }

    /// Adds a trial that bears on the stable ceiling.
    pub(super) fn note(&mut self, trial: Trial, outcome: Outcome) {
        if outcome.completed.is_some() {
            self.guess = outcome.completed;
        }
        self.pool.add(trial, outcome);
    }
}

/// By how much the medians of two trials like this one differ by chance, as a share: the standard error of the difference, if
/// the times vary by as much as their mean.
pub(super) fn by_chance(outcome: &Outcome) -> f64 {
    match outcome.evidence {
        Evidence::Share(counts) => (2.0 / counts.of.max(1.0).sqrt()).min(0.9),
        _ => 0.0,
    }
}
