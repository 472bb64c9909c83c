//! All trials of a search, and the ceiling that follows from them.

use super::posterior::Posterior;
use super::trial::{Evidence, Outcome, ShareEvidence, Trial};

/// Bounds of the number of independent values that one trial counts as. Trials at the same load differ more than the
/// values of one trial suggest, so no trial may outweigh several others. Where few values may be beyond the limit, more
/// values are needed, so that at the ceiling [`BEYOND_OF_ONE`] of them are.
const MOST_OF_ONE: (f64, f64) = (100.0, 1000.0);
const BEYOND_OF_ONE: f64 = 5.0;
const LEAST_OF_ONE: f64 = 10.0;
/// The design effect before any trial shows one.
const TYPICAL_EFFECT: f64 = 4.0;
/// Trials within this distance in ln(load) have a similar design effect.
const NEAR: f64 = 0.25;
/// The ceiling is hardly higher than the load of a failed trial plus this share of it. A target that falls behind is
/// known more precisely than one that breaks a threshold.
const SCALE_BEHIND: f64 = 0.008;
const SCALE_BROKEN: f64 = 0.015;
/// Two loads whose ratio differs from 1 by less than this are the same load.
const SAME: f64 = 0.004;
/// From this many times the allowed share on, a share only shows that the share is at least this. What more it says about
/// the distance depends on the target: a rate limiter refuses nothing up to its limit, and a tenth just above it.
const FAR: f64 = 10.0;
/// A smaller share is not far beyond the limit, however little is allowed: it would be a few independent values.
const FAR_LEAST: f64 = 0.1;
/// A long trial that failed contradicts short ones that passed at this share of its load or more. Further below, a target
/// may hold: near its ceiling, a short pause is enough to fail.
const CONTRADICTED: f64 = 0.98;

/// A trial with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Done {
    pub(super) trial: Trial,
    pub(super) outcome: Outcome,
}

impl Done {
    /// The load that arrived. The queues of a trial with random arrivals are due to those that came.
    fn arrived(&self) -> f64 {
        self.outcome.arrived.unwrap_or(self.trial.load)
    }

    fn counts(&self) -> Option<ShareEvidence> {
        match self.outcome.evidence {
            Evidence::Share(counts) => Some(counts),
            _ => None,
        }
    }

    /// Each trial's own effect may be off by chance, but the pool has many.
    fn effect(&self) -> Option<f64> {
        self.counts()?.likely_design_effect
    }
}

/// The trials that bear on the stable ceiling.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    trials: Vec<Done>,
    /// The measured time from which on a trial is long, in seconds: a load that holds in it also holds for longer.
    long_s: f64,
}

impl Pool {
    pub(super) fn new(long_s: f64) -> Self {
        Self {
            trials: Vec::new(),
            long_s,
        }
    }

    pub(super) fn add(&mut self, trial: Trial, outcome: Outcome) {
        self.trials.push(Done { trial, outcome });
    }

    /// Removes all trials, because the target has changed since.
    pub(super) fn forget(&mut self) {
        self.trials.clear();
    }

    /// Removes short trials that passed near `failed.load`, if the long trial that failed there needed more time to fail
    /// than they had.
    pub(super) fn forget_short_passes(&mut self, failed: &Trial) {
        self.trials.retain(|done| {
            let passed = !done.outcome.failed();
            let near = done.trial.load > CONTRADICTED * failed.load;
            !(passed && near && done.trial.duration_s < failed.duration_s)
        });
    }

    /// The highest load that passed: that did not fail.
    pub(super) fn highest_passed(&self) -> Option<f64> {
        self.highest_passed_below(f64::INFINITY)
    }

    /// The highest load below `load` that did not fail.
    pub(super) fn highest_passed_below(&self, load: f64) -> Option<f64> {
        let held = self.trials.iter().filter(|done| !done.outcome.failed());
        let loads = held.map(|done| done.trial.load);
        loads.filter(|held| *held < load).reduce(f64::max)
    }

    /// The highest load below all that failed at which a trial, taken as it is, kept the thresholds.
    pub(super) fn holds(&self) -> Option<f64> {
        let kept = self.trials.iter().filter(|done| done.outcome.held());
        let loads = kept.map(|done| done.trial.load);
        loads.filter(|kept| *kept < self.fails()).reduce(f64::max)
    }

    /// The highest load below all that failed. Its trials may have decided nothing.
    pub(super) fn may_hold(&self) -> Option<f64> {
        self.highest_passed_below(self.fails())
    }

    /// Whether a load failed, and a lower one did not.
    pub(super) fn is_bracketed(&self) -> bool {
        self.may_hold().is_some() && self.fails().is_finite()
    }

    fn fails(&self) -> f64 {
        self.lowest_failed_above(0.0).unwrap_or(f64::INFINITY)
    }

    /// The lowest load above `load` that failed.
    pub(super) fn lowest_failed_above(&self, load: f64) -> Option<f64> {
        let failed = self.trials.iter().filter(|done| done.outcome.failed());
        let loads = failed.map(|done| done.trial.load);
        loads.filter(|failed| *failed > load).reduce(f64::min)
    }

    /// Whether some trial was within 2 % of this load.
    pub(super) fn tried(&self, load: f64) -> bool {
        self.trials
            .iter()
            .any(|done| (done.trial.load / load - 1.0).abs() < 0.02)
    }

    fn is_long(&self, done: &Done) -> bool {
        done.trial.duration_s >= self.long_s
    }

    /// The long trials at this load.
    pub(super) fn long_trials(&self, load: f64) -> impl Iterator<Item = &Done> {
        let same = move |done: &&Done| (done.trial.load / load - 1.0).abs() < SAME;
        self.trials
            .iter()
            .filter(|done| self.is_long(done))
            .filter(same)
    }

    /// Of the loads near this one, by a factor of at most 1 ± `within`, whose long trials all held, also together: the one
    /// with the most, and their number.
    pub(super) fn held_for_long_near(&self, load: f64, within: f64) -> Option<(f64, u32)> {
        let near = |done: &&Done| (done.trial.load / load - 1.0).abs() <= within;
        let long = self
            .trials
            .iter()
            .filter(|done| self.is_long(done))
            .filter(near);
        let held = long.map(|done| done.trial.load).filter(|load| {
            self.holds_for_long(*load)
                && self
                    .long_trials(*load)
                    .all(|done| done.outcome.counts_as_held())
        });
        let counted = held.map(|load| (load, self.long_trials(load).count()));
        let (load, count) = counted.max_by_key(|one| one.1)?;
        Some((load, u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// The loads that failed in a long trial, and cannot hold after this number of further ones.
    pub(super) fn failed_for_long(&self, further: u32) -> Vec<f64> {
        let long = self.trials.iter().filter(|done| self.is_long(done));
        let failed = long.filter(|done| done.outcome.failed());
        let loads = failed.map(|done| done.trial.load);
        loads
            .filter(|load| !self.may_hold_for_long(*load, further))
            .collect()
    }

    /// The number of values of the long trials at this load.
    pub(super) fn values_of_long(&self, load: f64) -> f64 {
        let counts = self.long_trials(load).filter_map(Done::counts);
        counts.map(|counts| counts.of).sum()
    }

    /// Whether all long trials at this load together keep the thresholds. The counts of a trial are those of the threshold
    /// that was nearest to its limit, so only counts with the same allowed share are of one kind.
    pub(super) fn holds_for_long(&self, load: f64) -> bool {
        self.may_hold_for_long(load, 0)
    }

    /// Whether they can after this number of further trials, if no value of those is beyond the limit.
    pub(super) fn may_hold_for_long(&self, load: f64, further: u32) -> bool {
        let counts = || self.long_trials(load).filter_map(Done::counts);
        let keeps = |allowed: f64| {
            let of_kind = counts().filter(|one| (one.allowed - allowed).abs() < f64::EPSILON);
            let (beyond, of, trials) = of_kind
                .fold((0.0, 0.0, 0.0), |(beyond, of, trials), one| {
                    (beyond + one.beyond, of + one.of, trials + 1.0)
                });
            beyond <= allowed * of * (1.0 + f64::from(further) / trials)
        };
        // A trial that decided nothing is repeated, and says nothing.
        let mut trials = self.long_trials(load);
        let broke = trials.any(|done| done.outcome.evidence == Evidence::Broken);
        counts().all(|one| keeps(one.allowed)) && !broke
    }

    /// The probability of each ceiling between two loads.
    pub(super) fn posterior(&self, low: f64, high: f64) -> Posterior {
        let mut posterior = Posterior::between(low, high, self.floor(low));
        for done in &self.trials {
            let load = done.arrived();
            match done.outcome.evidence {
                _ if done.outcome.completed.is_some() => posterior.below(load, SCALE_BEHIND),
                Evidence::Share(counts) if is_far_beyond(counts) => {
                    let least = far_beyond(counts.allowed);
                    posterior.learn_at_least(load, least, &self.independent(done, counts));
                }
                Evidence::Share(counts) if counts.of > 0.0 => {
                    posterior.learn(load, &self.independent(done, counts));
                }
                Evidence::Broken => posterior.below(load, SCALE_BROKEN),
                Evidence::Held => posterior.above(load, SCALE_BROKEN),
                Evidence::Share(_) | Evidence::Undecided => {}
            }
        }
        posterior
    }

    /// The counts, reduced to independent values.
    fn independent(&self, done: &Done, counts: ShareEvidence) -> ShareEvidence {
        let independent = counts.of / self.design_effect(done);
        let of = independent
            .max(counts.of.min(LEAST_OF_ONE))
            .min((BEYOND_OF_ONE / counts.allowed).clamp(MOST_OF_ONE.0, MOST_OF_ONE.1));
        ShareEvidence {
            beyond: counts.share() * of,
            of,
            ..counts
        }
    }

    /// The design effect of a trial: its own, but at least half of what is typical for trials at similar loads.
    fn design_effect(&self, done: &Done) -> f64 {
        let near = |other: &&Done| (other.trial.load / done.trial.load).ln().abs() < NEAR;
        let mut effects: Vec<f64> = self
            .trials
            .iter()
            .filter(near)
            .filter_map(Done::effect)
            .collect();
        effects.sort_by(f64::total_cmp);
        let typical = effects.get(effects.len() / 2).copied();
        let typical = typical.unwrap_or(TYPICAL_EFFECT);
        let effect = match done.effect() {
            Some(own) => own.max(typical / 2.0),
            None => typical,
        };
        effect.max(1.0)
    }

    /// The share of values beyond the limit at loads far below `low`, which is a property of the service time alone.
    fn floor(&self, low: f64) -> f64 {
        let far = self
            .trials
            .iter()
            .filter(|done| done.trial.load < 0.8 * low);
        let counts: Vec<ShareEvidence> = far.filter_map(Done::counts).collect();
        let of: f64 = counts.iter().map(|one| one.of).sum();
        let beyond: f64 = counts.iter().map(|one| one.beyond).sum();
        let allowed = counts.iter().map(|one| one.allowed).fold(1.0, f64::min);
        ((beyond + 0.5) / (of + 20.0)).clamp(1e-4, (0.8 * allowed).max(1e-4))
    }
}

fn is_far_beyond(counts: ShareEvidence) -> bool {
    counts.share() > far_beyond(counts.allowed)
}

/// The share from which on a share counts as this share or more.
fn far_beyond(allowed: f64) -> f64 {
    (FAR * allowed)
        .max(FAR_LEAST)
        .min(f64::midpoint(allowed, 1.0))
}
