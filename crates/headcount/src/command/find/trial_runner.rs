//! Runs the trials of a search.

use std::time::Duration;

use anyhow::Context as _;
use capacity::search::{Ended, Outcome, Purpose, SavedSearch, SavedTrial, Search, Step, Trial};
use engine::{Clock, Notice, RunError, Stop};
use plan::Threshold;
use record::{Level, Run};
use report::SearchState;
use serde_json::Value;

use super::default_thresholds;
use super::load::LoadShape;
use super::not_ready;
use super::script_mistake;
use super::settings::{LOOK_S, longest_limit_s};
use super::subject::{Subject, TrialOptions};
use crate::command::fleet::{Fleet, run_on};
use crate::progress::Progress;

/// Time between two checks for Ctrl-C during a pause.
const LOOK_AT_STOP: Duration = Duration::from_millis(50);

/// Runs trials, one after the other.
pub(super) struct TrialRunner {
    subject: Subject,
    shape: LoadShape,
    clock: Clock,
    stop: Stop,
    /// The fleet on which the trials run; `None`: threads of this process.
    fleet: Option<Fleet>,
    progress: Progress,
    /// Default thresholds; `None`: the declared ones apply.
    thresholds: Option<Value>,
    seed: u64,
    /// Number of runs, including those of a resumed search.
    ran: u64,
    /// Whether the target had requests before the first of these trials.
    asked_before: bool,
    /// The levels of all trials, for the findings.
    seen: Run,
}

/// The end of a search.
pub(super) struct Ending {
    pub(super) saved: SavedSearch,
    /// The error that ended the search.
    pub(super) error: Option<anyhow::Error>,
}

/// The result of one run.
enum Ran {
    /// The run, the thresholds that it checked, and the seconds that it took.
    Measured(Box<Run>, Vec<Threshold>, f64),
    /// The target, or its Prometheus endpoint, did not respond before the run, or `setup` failed, after this many seconds.
    NotReady(Box<RunError>, f64),
    Interrupted,
}

impl TrialRunner {
    pub(super) fn new(
        subject: Subject,
        shape: LoadShape,
        clock: Clock,
        stop: Stop,
        quiet: bool,
    ) -> Self {
        Self {
            subject,
            shape,
            clock,
            stop,
            fleet: None,
            progress: Progress::new(quiet),
            thresholds: None,
            seed: 0,
            ran: 0,
            asked_before: false,
            seen: Run::default(),
        }
    }

    /// Runs the trials on a fleet, if there is one.
    pub(super) fn on(self, fleet: Option<Fleet>) -> Self {
        Self { fleet, ..self }
    }

    /// States whether other searches of the same target ran before this one.
    pub(super) fn after_others(self, others: bool) -> Self {
        Self {
            asked_before: others,
            ..self
        }
    }

    /// Gives the fleet back.
    pub(super) fn into_fleet(self) -> Option<Fleet> {
        self.fleet
    }

    /// Runs the search from where `saved` ends. Calls `save` after each trial.
    pub(super) fn run(
        &mut self,
        mut saved: SavedSearch,
        save: impl Fn(&SavedSearch) -> anyhow::Result<()>,
    ) -> anyhow::Result<Ending> {
        self.seed = saved.seed;
        self.asked_before |= !saved.trials.is_empty();
        let mut error = None;
        if saved.default_thresholds {
            self.thresholds = Some(default_thresholds::options(&saved.thresholds));
        } else if saved.thresholds.is_empty() {
            match self.choose_thresholds(&mut saved) {
                Ok(true) => {}
                Ok(false) => return Ok(Ending { saved, error }),
                Err(why) => error = Some(why),
            }
        }
        let (mut search, used) = Search::resume(saved.settings, &saved.trials);
        saved.trials.truncate(used);
        self.ran = used as u64;
        while error.is_none() {
            let trial = match search.next_step() {
                Step::Done(answer) => {
                    saved.answer = *answer;
                    break;
                }
                Step::Try(trial) => trial,
            };
            match self.outcome(&trial, &search, &mut saved) {
                Ok(Some(outcome)) => {
                    let outcome = search.record(outcome);
                    if outcome.not_ready {
                        // A ramp that was too short is no property of the target.
                        self.seen.levels.pop();
                    }
                    saved.trials.push(SavedTrial {
                        trial,
                        failed: outcome.failed(),
                        outcome: outcome.clone(),
                    });
                    let state = self.state(trial, &search, saved.trials.len());
                    self.progress.title(&report::search_trial(&state, &outcome));
                    saved.answer = search.so_far(Ended::Interrupted);
                    save(&saved)?;
                }
                Ok(None) => {
                    saved.answer = search.so_far(Ended::Interrupted);
                    break;
                }
                Err(why) => {
                    saved.answer = search.so_far(Ended::TrialError);
                    error = Some(why);
                }
            }
        }
        self.progress.close();
        saved.ended_at = self.clock.date();
        self.explain(&mut saved);
        if !saved.trials.is_empty() {
            save(&saved)?;
        }
        Ok(Ending { saved, error })
    }

    /// Adds what all trials together show: the causes, and the scalability.
    fn explain(&mut self, saved: &mut SavedSearch) {
        if self.asked_before {
            mark_earlier_requests(&mut self.seen);
        }
        let findings = capacity::findings(&self.seen);
        if !findings.is_empty() {
            saved.findings = findings; // those of a resumed search are older
        }
        if saved.scalability.is_none() || !self.seen.levels.is_empty() {
            saved.scalability = Some(capacity::scalability(&self.seen)); // new trials could refute a saved fit
        }
    }

    /// Runs one trial without thresholds, and derives them from what it measured. Its load is low, because the times of an
    /// overloaded target say nothing about the times that its users expect. Returns false if the user interrupted it.
    fn choose_thresholds(&mut self, saved: &mut SavedSearch) -> anyhow::Result<bool> {
        self.progress
            .title("no thresholds are declared: looking at the target to choose some");
        self.asked_before = true;
        let look = Trial {
            load: self.shape.first().min(saved.settings.first),
            duration_s: LOOK_S,
            pause_s: 0.0,
            purpose: Purpose::WarmUp,
            ramp_s: None,
        };
        let (run, took_s) = match self.run_at(&look, &mut |_, _| {})? {
            Ran::Measured(run, _, took_s) => (run, took_s),
            Ran::NotReady(why, _) => return Err((*why).into()),
            Ran::Interrupted => return Ok(false),
        };
        let level = run.levels.first().context("nothing was measured")?;
        let chosen = default_thresholds::of(&level.measured)
            .context("nothing was measured at the first load, so there is nothing to search for")?;
        let options = TrialOptions {
            thresholds: Some(chosen.clone()),
            ..TrialOptions::default()
        };
        let parsed = self.subject.config(&options)?.options.thresholds;
        saved.thresholds = parsed.iter().map(ToString::to_string).collect();
        saved.default_thresholds = true;
        saved.settings.limit_s = longest_limit_s(&parsed);
        saved.settings.budget_s -= took_s;
        self.thresholds = Some(chosen);
        self.progress.title(&format!(
            "searching with default thresholds: {}",
            saved.thresholds.join(" · ")
        ));
        Ok(true)
    }

    /// The outcome of a trial. `None` if the user interrupted it.
    fn outcome(
        &mut self,
        trial: &Trial,
        search: &Search,
        saved: &mut SavedSearch,
    ) -> anyhow::Result<Option<Outcome>> {
        let state = self.state(*trial, search, saved.trials.len() + 1);
        let paused_s = self.pause(trial.pause_s);
        if self.stop.asked() > 0 {
            return Ok(None);
        }
        let mut show = |progress: &mut Progress, elapsed_s: f64| {
            let left_s = state.left_s - elapsed_s;
            progress.status(&report::search_state(&SearchState { left_s, ..state }));
        };
        match self.run_at(trial, &mut show)? {
            Ran::Measured(run, thresholds, took_s) => {
                if saved.target.is_empty() {
                    saved.target.clone_from(&run.target);
                }
                let outcome = capacity::search::outcome(&run, &thresholds, took_s + paused_s);
                // During a recovery, the target still works on what the trial before has left.
                if trial.purpose != Purpose::Recovery {
                    self.remember(*run, saved.trials.len());
                }
                outcome
                    .map(Some)
                    .context("the trial ended before it measured anything")
            }
            Ran::NotReady(why, took_s) => {
                let was_overloaded = saved.trials.iter().any(|one| one.failed);
                if saved.trials.is_empty()
                    || !not_ready::is_outcome(&why, trial.purpose, was_overloaded)
                {
                    return Err((*why).into());
                }
                Ok(Some(not_ready::outcome(&why, took_s + paused_s)))
            }
            Ran::Interrupted => Ok(None),
        }
    }

    /// A trial, and what the search knows.
    fn state(&self, trial: Trial, search: &Search, number: usize) -> SearchState {
        SearchState {
            quantity: self.shape.quantity,
            trial,
            number,
            holds: search.holds(),
            fails: search.fails(),
            left_s: search.left_s(),
        }
    }

    /// Keeps the level of a trial, which is the trial with this index, for the findings.
    fn remember(&mut self, mut run: Run, index: usize) {
        let levels = std::mem::take(&mut run.levels);
        let mut seen = std::mem::take(&mut self.seen.levels);
        seen.extend(levels.into_iter().map(|level| Level { index, ..level }));
        self.seen = Run {
            levels: seen,
            ..run
        };
    }

    /// Waits without load. Returns the seconds, which are fewer if the user interrupts.
    fn pause(&self, seconds: f64) -> f64 {
        let began = self.clock.now();
        let waited = || (self.clock.now() - began).as_secs_f64();
        while waited() < seconds && self.stop.asked() == 0 {
            std::thread::sleep(LOOK_AT_STOP);
        }
        waited()
    }

    /// Runs the scenario at the load of a trial.
    fn run_at(
        &mut self,
        trial: &Trial,
        show: &mut dyn FnMut(&mut Progress, f64),
    ) -> anyhow::Result<Ran> {
        let began = self.clock.now();
        let options = TrialOptions {
            load: Some(self.shape.at(trial)),
            thresholds: self.thresholds.clone(),
            seed: Some(self.seed.wrapping_add(self.ran)),
        };
        self.ran += 1;
        let config = self.subject.config(&options)?;
        let thresholds = config.options.thresholds.clone();
        let clock = Clock::start();
        let agents = self
            .fleet
            .as_mut()
            .map(|fleet| fleet.assemble(&config, clock));
        let agents = agents.transpose()?;
        let progress = &mut self.progress;
        let ran = run_on(
            agents,
            config,
            clock,
            &self.stop,
            &mut |notice| match notice {
                Notice::Live(live) => show(progress, live.elapsed_s),
                notice @ (Notice::Log(..) | Notice::Warning(_)) => progress.show(&notice),
                Notice::Started(_)
                | Notice::TooFewSamples(_)
                | Notice::SettingUp
                | Notice::LevelStarted(_)
                | Notice::Second(_)
                | Notice::LevelDone(_) => {}
            },
        );
        let took_s = (self.clock.now() - began).as_secs_f64();
        if self.stop.asked() > 0 {
            return Ok(Ran::Interrupted);
        }
        match ran.error {
            None => {
                if self.ran == 1
                    && let Some(mistake) = script_mistake::of(&ran.record)
                {
                    return Err(mistake.into());
                }
                Ok(Ran::Measured(Box::new(ran.record), thresholds, took_s))
            }
            Some(why) if not_ready::is_cause(&why) => Ok(Ran::NotReady(Box::new(why), took_s)),
            Some(why) => Err(why.into()),
        }
    }
}

/// Marks that requests were sent before the first level. They may have used up a part of what a rate limiter lets
/// through, just as those of `setup` do, but they are no level of the search.
fn mark_earlier_requests(seen: &mut Run) {
    seen.setup.get_or_insert_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_requests_count_as_a_setup() {
        let mut seen = Run::default();
        mark_earlier_requests(&mut seen);
        assert!(seen.setup.is_some());
    }
}
