//! The second half of a search: refining and confirming the ceiling.

use super::climb::by_chance;
use super::confirmation::{Confirmation, REPETITIONS};
use super::trial::{Outcome, Purpose, Trial};
use super::{Ceiling, Ended, Interval, Phase, Reference, Search};

/// The search ends after this number of long trials at a load that could not decide a threshold.
const UNDECIDED_MOST: u32 = 2;
/// Confirmation begins when the range that holds the ceiling with 70 % probability is this many precisions wide.
const TIGHT: f64 = 4.0;
/// A confirmed ceiling is refined further if that range is wider, and the time suffices to confirm another.
const WIDE: f64 = 1.0;
/// A confirmed load counts as the ceiling if it is this many precisions from the best load to confirm.
const NEAR: f64 = 0.3;
/// A load that held in some long trials is confirmed instead of another that is at most this many precisions away.
const AGAIN: f64 = 0.3;
/// The load to confirm is this many precisions below the most probable ceiling.
const MARGIN: f64 = 0.3;
/// The load that should fail is at least this multiple of the load to confirm and of the most probable ceiling.
const CLEARLY_ABOVE: f64 = 1.02;
/// Time after which the reference load is tried again, in seconds.
const DRIFT_EVERY_S: f64 = 60.0;
/// The target has changed if its median at the reference load changed by this factor, in two trials in a row.
const DRIFTED: f64 = 1.25;
/// A smaller change, in milliseconds, does not count. A response within a tenth of a millisecond takes longer after a pause
/// of the CPU.
const DRIFT_LEAST_MS: f64 = 0.5;
/// Probabilities at which the position of the ceiling is considered.
const QUANTILES: [f64; 5] = [0.05, 0.15, 0.5, 0.85, 0.95];

impl Search {
    pub(super) fn propose_refinement(&mut self) -> Option<Trial> {
        if self
            .reference
            .is_some_and(|one| self.spent_s - one.at_s > DRIFT_EVERY_S)
        {
            self.phase = Phase::Drift { looks: 0 };
            return None;
        }
        let [_, q15, middle, q85, q95] = self.quantiles();
        let precision = self.settings.precision;
        let goal = q15.max(middle * (1.0 - MARGIN * precision));
        let goal = self
            .settings
            .shape(self.not_refuted(self.settings.shape(goal)));
        if let Some(confirmed) = self.confirmed
            && (confirmed / goal - 1.0).abs() < NEAR * precision
        {
            let is_wide = q85 / q15 > 1.0 + WIDE * precision;
            let more = self.cost(self.lengths.long) * f64::from(REPETITIONS + 2);
            if is_wide && self.spare_s() > more && !self.settings.whole {
                // There is time to know it better, and to confirm a higher load.
                return self.in_time(
                    self.settings.shape(middle),
                    self.lengths.refine,
                    Purpose::Refine,
                );
            }
            return self.found();
        }
        if self.spare_s() < self.cost(self.lengths.refine) {
            return self.found();
        }
        if let Some(guess) = self.guess.take() {
            let load = self.settings.shape(guess * 0.98);
            if guess > self.range.0 && guess < q95 * 1.05 && !self.pool.tried(load) {
                return self.in_time(load, self.lengths.refine, Purpose::Refine);
            }
        }
        let tight = q85 / q15 <= 1.0 + TIGHT * precision || q85 - q15 <= self.settings.step();
        let confirming = self.cost(self.lengths.long) * f64::from(REPETITIONS);
        let reserve = confirming + 2.0 * self.cost(self.lengths.refine);
        if (tight || self.spare_s() < reserve) && self.spare_s() > confirming {
            self.phase = self.confirm(goal, q85.max(middle * CLEARLY_ABOVE));
            return None;
        }
        let load = self.settings.shape(middle);
        self.in_time(load, self.lengths.refine, Purpose::Refine)
    }

    /// This load, or a lower one if long trials have refuted it: to confirm it again would take time for nothing.
    fn not_refuted(&self, goal: f64) -> f64 {
        let margin = MARGIN * self.settings.precision;
        let below = |load: f64| (load * (1.0 - margin)).min(load - self.settings.step());
        let goal = goal.min(self.refuted.map_or(f64::INFINITY, below));
        let mut failed = self.pool.failed_for_long(REPETITIONS);
        failed.sort_by(|one, other| other.total_cmp(one));
        failed.into_iter().fold(goal, |goal, load| {
            let near = below(load) < goal && goal < load * (1.0 + margin);
            if near { below(load) } else { goal }
        })
    }

    /// Confirms that `goal`, or a load near it that held in long trials, is the ceiling, because `above` fails.
    fn confirm(&self, goal: f64, above: f64) -> Phase {
        let within = AGAIN * self.settings.precision;
        let again = self.pool.held_for_long_near(goal, within);
        let (load, held) = again.unwrap_or((goal, 0));
        let step = self.settings.step();
        let above = above.max(load * CLEARLY_ABOVE).max(load + step);
        Phase::Confirm(Confirmation {
            above: Some(self.settings.shape(above)),
            held: held.min(REPETITIONS - 1),
            ..Confirmation::at_least(load)
        })
    }

    /// A load that is higher by about the precision, or the largest of all.
    fn next_above(&self, load: f64) -> f64 {
        let more = load * (1.0 + self.settings.precision);
        self.settings.shape(more.max(load + self.settings.step()))
    }

    /// Ends the search for the stable ceiling, with the ceiling or without. If no load above a confirmed one has failed,
    /// looks for one first.
    pub(super) fn found(&mut self) -> Option<Trial> {
        self.phase = match self.confirmed {
            Some(load) if self.pool.lowest_failed_above(load).is_some() => {
                Phase::Overload { trials: 0 }
            }
            Some(load) if self.spare_s() > self.cost(self.lengths.refine) + self.slow_drain_s() => {
                let highest = self.pool.highest_passed().unwrap_or(load).max(load);
                self.fails_above(load, self.next_above(highest))
            }
            _ => Phase::Over(Ended::OutOfTime),
        };
        None
    }

    /// Quantiles of the ceiling. If it probably lies at an end of the range, the range grows.
    fn quantiles(&mut self) -> [f64; 5] {
        const GROWTHS: u32 = 20;
        for _ in 0..GROWTHS {
            let found = self
                .pool
                .posterior(self.range.0, self.range.1)
                .quantiles(QUANTILES);
            let [low, .., high] = found;
            if low <= self.range.0 * 1.03 && self.range.0 > self.settings.first / 8.0 {
                self.range.0 /= 1.3;
            } else if high >= self.range.1 / 1.03 && self.range.1 < self.settings.most {
                self.range.1 *= 1.15;
            } else {
                return found;
            }
        }
        self.pool
            .posterior(self.range.0, self.range.1)
            .quantiles(QUANTILES)
    }

    pub(super) fn learn_refinement(&mut self, trial: Trial, outcome: Outcome) {
        let overloaded = outcome.overloaded();
        self.note(trial, outcome);
        self.after(overloaded, Phase::Refine);
    }

    pub(super) fn propose_confirmation(&mut self, wanted: Confirmation) -> Option<Trial> {
        if self.spare_s() < 0.8 * self.cost(self.lengths.long) {
            if wanted.is_at_least() && self.generator.is_some() {
                self.phase = Phase::Over(Ended::GeneratorLimit);
                return None;
            }
            self.phase = Phase::Refine;
            return self.found();
        }
        Some(self.trial(wanted.load, self.lengths.long, Purpose::Confirm))
    }

    pub(super) fn learn_confirmation(
        &mut self,
        wanted: Confirmation,
        trial: Trial,
        outcome: Outcome,
    ) {
        let (failed, overloaded) = (outcome.failed(), outcome.overloaded());
        let decided = failed || outcome.counts_as_held();
        self.note(trial, outcome);
        if failed {
            self.pool.forget_short_passes(&trial);
            self.confirmed = self
                .confirmed
                .filter(|load| self.pool.holds_for_long(*load));
            let next = if wanted.is_at_least() {
                self.search_below(trial.load)
            } else {
                Phase::Refine
            };
            self.after(overloaded, next);
            return;
        }
        if !decided {
            self.phase = self.undecided(wanted);
            return;
        }
        let confirmation = Confirmation {
            held: wanted.held + 1,
            ..wanted
        };
        let further = confirmation.repetitions().saturating_sub(confirmation.held);
        self.phase = if further > 0 && self.pool.may_hold_for_long(trial.load, further) {
            Phase::Confirm(confirmation)
        } else {
            self.all_held(confirmation)
        };
    }

    fn undecided(&self, wanted: Confirmation) -> Phase {
        let undecided = wanted.undecided + 1;
        match self.ceiling() {
            _ if undecided < UNDECIDED_MOST => Phase::Confirm(Confirmation {
                undecided,
                ..wanted
            }),
            Some(_) => Phase::Over(Ended::Confirmed),
            None => Phase::Over(Ended::Undecided),
        }
    }

    /// The target fails at a load that it was expected to hold at least, so the ceiling is below.
    fn search_below(&mut self, load: f64) -> Phase {
        self.generator = None; // the target fails at a lower load
        self.range = (load / 4.0, load * 1.02);
        Phase::Reference {
            looks: 0,
            low: load / 2.0,
        }
    }

    fn all_held(&mut self, done: Confirmation) -> Phase {
        let holds = self.pool.holds_for_long(done.load);
        match done.above {
            None if !holds => self.search_below(done.load),
            None => {
                self.confirmed = Some(done.load);
                Phase::Over(match self.generator {
                    Some(_) => Ended::GeneratorLimit,
                    None => Ended::LargestLoadHeld,
                })
            }
            Some(_) if !holds => {
                self.refuted = Some(done.load);
                Phase::Refine
            }
            Some(above) => {
                self.confirmed = Some(done.load);
                self.fails_above(done.load, above)
            }
        }
    }

    /// Tries whether `above` fails, if there is a load above the confirmed one.
    fn fails_above(&self, confirmed: f64, above: f64) -> Phase {
        if confirmed < self.settings.most {
            Phase::Above { above, long: false }
        } else {
            Phase::Over(Ended::LargestLoadHeld)
        }
    }

    /// The generator cannot generate for long what it could for a short time, so a lower load is confirmed.
    pub(super) fn confirm_lower(&self, than: f64) -> Phase {
        // The first load held while the target warmed up.
        let lower = self
            .pool
            .highest_passed_below(than)
            .or(Some(self.settings.first));
        match lower.filter(|load| *load < than) {
            Some(load) => Phase::Confirm(Confirmation::at_least(load)),
            None => Phase::Over(Ended::GeneratorLimit),
        }
    }

    /// The highest load that held, below all that failed and all that the generator could not make.
    pub(super) fn holds_within_generator(&self) -> Option<f64> {
        let limit = self
            .generator
            .as_ref()
            .map_or(f64::INFINITY, |one| one.load);
        self.pool
            .highest_passed_below(self.fails().unwrap_or(f64::INFINITY).min(limit))
    }

    /// A ceiling that is confirmed remains so.
    pub(super) fn end_at_generator(&self) -> Phase {
        Phase::Over(match self.ceiling() {
            Some(_) => Ended::Confirmed,
            None => Ended::GeneratorLimit,
        })
    }

    /// A load above a confirmed one that does not fail at once gets a long trial.
    pub(super) fn learn_above(&mut self, long: bool, trial: Trial, outcome: Outcome) {
        let (failed, overloaded) = (outcome.failed(), outcome.overloaded());
        self.note(trial, outcome);
        if failed || long {
            self.after(overloaded, Phase::Refine);
        } else {
            self.phase = Phase::Above {
                above: trial.load,
                long: true,
            };
        }
    }

    pub(super) fn learn_drift(&mut self, looks: u32, outcome: &Outcome) {
        let before = self.reference.and_then(|one| one.median_ms);
        let ratio = match (before, outcome.median_ms) {
            (Some(before), Some(now)) if (now - before).abs() > DRIFT_LEAST_MS => now / before,
            _ => 1.0,
        };
        // Two standard errors, in two trials in a row.
        let least = DRIFTED.max(1.0 + 2.0 * by_chance(outcome));
        let slower = outcome.failed() || ratio > least;
        let faster = ratio < 1.0 / least;
        if (slower || faster) && looks == 0 {
            self.phase = Phase::Drift { looks: 1 };
        } else if slower {
            self.phase = Phase::Over(Ended::Slowing);
        } else {
            if faster {
                let load = self.reference.map_or(self.settings.first, |one| one.load);
                self.renew(load, outcome.median_ms);
            } else if let Some(reference) = &mut self.reference {
                reference.at_s = self.spent_s;
            }
            self.phase = Phase::Refine;
        }
    }

    /// Forgets the trials so far, because the target has become faster since.
    fn renew(&mut self, load: f64, median_ms: Option<f64>) {
        self.pool.forget();
        (self.confirmed, self.refuted) = (None, None);
        self.range.1 *= 1.5;
        self.reference = Some(Reference {
            load,
            median_ms,
            at_s: self.spent_s,
        });
    }

    /// The confirmed ceiling with its interval. `None` without a failure above it.
    pub(super) fn ceiling(&self) -> Option<Ceiling> {
        let load = self.confirmed?;
        let above = self.pool.lowest_failed_above(load)?;
        let values = self.pool.values_of_long(load);
        let resolution = 1.64 * (2.0 / values.max(50.0)).sqrt();
        let Interval { low, high } = self.interval();
        let long = self.pool.long_trials(load);
        let repetitions = long.filter(|done| !done.outcome.failed());
        Some(Ceiling {
            load,
            interval: Interval {
                low: low.min(load * (1.0 - resolution)),
                high: high.max(above),
            },
            repetitions: u32::try_from(repetitions.count()).unwrap_or(u32::MAX),
        })
    }

    /// The 90 % interval of the ceiling, from all trials.
    pub(super) fn interval(&self) -> Interval {
        let posterior = self.pool.posterior(self.range.0, self.range.1);
        let [low, high] = posterior.quantiles([0.05, 0.95]);
        Interval { low, high }
    }
}
