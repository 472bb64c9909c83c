//! Control's work while a level runs: it receives events, checks limits and forwards commands.

use std::collections::HashMap;
use std::sync::Arc;

use model::Nanos;
use record::{IssueCause, Level};

use crate::audience::SentToAudiences;
use crate::blank_level::{blank_level, load_of};
use crate::busy::LatestShares;
use crate::control::{Control, EarlyEnd, died};
use crate::level::{LevelPlan, Span};
use crate::level_limit::LevelLimit;
use crate::live::live;
use crate::merge::Merged;
use crate::messages::{Command, Event};
use crate::notice::{LevelStarted, Notice, Second};
use crate::outcome::RunError;
use crate::rescue::Signs;
use crate::snapshot::AbortThresholds;
use crate::stopping::Stopping;
use crate::workers::{AgentCrew, Heard, LOOK, LostAgent};

/// Control's state of the running level.
struct Watch<'a> {
    plan: &'a LevelPlan,
    /// The measured time, as planned or with an earlier end if the level was cut short.
    hold: Span,
    levels: u32,
    stopping: Stopping,
    aborting: AbortThresholds,
    /// Why the run ends with this level.
    end: Option<EarlyEnd>,
    limit: LevelLimit,
    busy: LatestShares,
    /// The agents of the level, if there is a fleet.
    crew: Vec<AgentCrew>,
    /// The number of lost deliveries of each worker, as it reported last.
    lost: HashMap<u32, u64>,
    signs: Signs,
    sent: SentToAudiences,
}

impl Control<'_> {
    /// Runs one level: starts it, watches it, and merges the workers' measurements. Returns why the run ends with this
    /// level, if it does.
    pub(crate) fn level(
        &mut self,
        plan: &LevelPlan,
        levels: u32,
        merged: &mut Merged,
    ) -> Result<Option<EarlyEnd>, RunError> {
        let shared = Arc::new(plan.clone());
        self.watcher.begin_level(plan.start);
        self.workers.order_all(Command::Level(shared));
        (self.tell)(Notice::LevelStarted(Box::new(started(plan, levels))));
        let options = &self.config.options;
        let mut watch = Watch {
            plan,
            hold: plan.hold(),
            levels,
            stopping: Stopping::new(),
            aborting: AbortThresholds::of(&options.thresholds, &blank_level(plan), plan.hold()),
            end: None,
            limit: LevelLimit::of(plan.hold().end, plan.settle, options.timeouts.total),
            busy: LatestShares::of(self.workers.len()),
            crew: self.workers.crew(),
            lost: HashMap::new(),
            signs: Signs::of(self.workers.len(), plan.start, options.script.time),
            sent: SentToAudiences::default(),
        };
        let ended = self.watch_level(&mut watch, merged);
        // Seconds that a worker will not report any more.
        self.tell_seconds(&watch, merged, 0);
        merged.quota.end();
        merged.add_all(&watch.crew);
        merged.rescue(watch.signs.rescued(), watch.hold, self.clock.now());
        ended.map(|()| watch.end)
    }

    fn watch_level(&mut self, watch: &mut Watch<'_>, merged: &mut Merged) -> Result<(), RunError> {
        while !watch.signs.all_are_done() {
            self.pass_on_stop(watch);
            let now = self.clock.now();
            if let Some(silent) = watch.signs.look(now, self.config.scenario().is_some()) {
                return Err(silent);
            }
            if let Some(interrupted) = watch.stopping.overdue(now) {
                return Err(interrupted);
            }
            self.watcher.watch(now, watch.hold);
            merged.quota.watch(now, watch.hold);
            if watch
                .aborting
                .is_due(now, watch.hold, watch.signs.present())
            {
                self.workers.order_all(Command::Snapshot);
            }
            match self.workers.hear(LOOK) {
                Heard::Event(worker, event) => {
                    watch.signs.heard(worker, self.clock.now());
                    self.level_event(worker, event, watch, merged)?;
                }
                Heard::Died(worker) => return Err(died(&worker)),
                Heard::Lost(lost) => self.lose(lost, watch, merged),
                Heard::Nothing => {
                    if let Some(overdue) = watch.limit.overdue(self.clock.now()) {
                        self.workers.order_all(Command::Abort);
                        return Err(overdue);
                    }
                }
            }
        }
        Ok(())
    }

    fn level_event(
        &mut self,
        worker: u32,
        event: Event,
        watch: &mut Watch<'_>,
        merged: &mut Merged,
    ) -> Result<(), RunError> {
        match event {
            Event::Window {
                second,
                window,
                lost,
                busy,
                awaited,
            } => {
                watch.lost.insert(worker, lost);
                merged.windows.add(worker, second, &window);
                watch.limit.report(second, awaited);
                watch.busy.report(worker, busy);
                let is_new = self.tell_seconds(watch, merged, self.workers.len());
                if is_new || merged.windows.is_one_late() {
                    self.tell_live(watch, merged);
                }
            }
            Event::GroupsSettled(sent) => {
                if let Some(sent) = watch.sent.add(worker, sent, self.workers.len()) {
                    self.workers.order_all(Command::SettleAudiences(sent));
                }
            }
            Event::LevelDone(outcome) => {
                merged.keep(worker, outcome);
                watch.busy.report(worker, 0.0);
                watch.signs.is_done(worker);
                merged.windows.end(worker);
                self.tell_seconds(watch, merged, self.workers.len());
            }
            Event::Copy(measured) => watch.signs.copy(worker, measured, self.clock.now()),
            Event::Snapshot(measured) => {
                let mut level = so_far(watch.plan, self.clock.now());
                if watch.aborting.ask_for_the_target() {
                    level.target = self.watcher.target_so_far();
                }
                if let Some(broken) = watch.aborting.take(*measured, &level) {
                    watch.end = Some(EarlyEnd::Broken(broken.clone()));
                    watch.hold.cut_short(self.clock.now());
                    self.workers.order_all(Command::EndHold);
                }
            }
            event => self.other(event)?,
        }
        Ok(())
    }

    /// The number of lost deliveries so far. `None` before the first message, and with passive audiences, whose losses
    /// are counted after the level.
    fn lost(&self, watch: &Watch<'_>, merged: &Merged) -> Option<u64> {
        let counts = merged.windows.has_messages && self.config.audiences().is_empty();
        counts.then(|| watch.lost.values().sum())
    }

    fn tell_live(&mut self, watch: &Watch<'_>, merged: &Merged) {
        let (level, busiest) = ((watch.plan, watch.levels), watch.busy.busiest());
        let now = self.clock.now();
        let mut live = live(level, merged, busiest, watch.limit.awaited(), now);
        live.lost = self.lost(watch, merged);
        live.agents = watch.busy.of_agents(&watch.crew);
        (self.tell)(Notice::Live(live));
    }

    /// Tells of the seconds that are complete with this number of workers. Returns whether there were any.
    fn tell_seconds(&mut self, watch: &Watch<'_>, merged: &mut Merged, workers: usize) -> bool {
        let users = watch.plan.load.users.into();
        let now = self.clock.now();
        let target_cpu_percent = self.watcher.cpu_percent_at(now).filter(|_| workers > 0);
        let complete = merged.windows.complete(workers, users);
        for window in complete {
            (self.tell)(Notice::Second(Second {
                level: watch.plan.index + 1,
                window: *window,
                busiest_worker_percent: (workers > 0).then(|| watch.busy.busiest() * 100.0),
                target_cpu_percent,
            }));
        }
        !complete.is_empty()
    }

    /// Forwards Ctrl-C to the workers. Either way, the measured time ends now.
    fn pass_on_stop(&mut self, watch: &mut Watch<'_>) {
        let now = self.clock.now();
        if let Some(command) = watch.stopping.forward(self.stop.asked(), now) {
            watch.hold.cut_short(now);
            self.workers.order_all(command);
        }
    }

    /// Goes on without the workers of a lost agent, to the end of the level or, if the run must not continue without
    /// it, to its orderly end now. An agent that has finished the level has lost nothing of it.
    fn lose(&mut self, lost: LostAgent, watch: &mut Watch<'_>, merged: &mut Merged) {
        let mut unfinished = 0;
        for worker in lost.workers.clone() {
            unfinished += u64::from(watch.signs.lose(worker));
            watch.busy.report(worker, 0.0);
            merged.windows.end(worker);
            if let Some(sent) = watch.sent.add(worker, Vec::new(), self.workers.len()) {
                self.workers.order_all(Command::SettleAudiences(sent));
            }
        }
        watch.aborting.lose();
        if unfinished > 0 {
            merged.lost_workers.push(IssueCause::LostAgent {
                agent: lost.name.clone(),
                loss: lost.loss,
                workers: unfinished,
            });
        }
        if !self.workers.continues_without_lost() && watch.end.is_none() {
            watch.end = Some(EarlyEnd::Lost(lost));
            watch.hold.cut_short(self.clock.now());
            self.workers.order_all(Command::EndHold);
        }
    }
}

/// The start of one of `levels` levels, for the user.
fn started(plan: &LevelPlan, levels: u32) -> LevelStarted {
    let phases = &plan.phases;
    LevelStarted {
        level: plan.index + 1,
        levels,
        load: load_of(plan),
        started_s: plan.start.as_secs_f64(),
        measured_s: (
            phases.hold_starts.as_secs_f64(),
            phases.hold_ends.as_secs_f64(),
        ),
    }
}

/// The level so far: its load and its duration, without measurements or figures of the target.
fn so_far(plan: &LevelPlan, now: Nanos) -> Level {
    let mut level = blank_level(plan);
    level.phases.duration_s = (now - plan.hold().start).as_secs_f64();
    level
}

#[cfg(test)]
mod tests;
