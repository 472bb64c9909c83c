//! Control's work while a level runs: it receives events, checks limits and forwards commands.

use std::sync::Arc;

use model::Nanos;
use plan::Threshold;
use record::Level;

use crate::audience::SentToAudiences;
use crate::busy::LatestShares;
use crate::control::{Control, blank, died};
use crate::level::{LevelPlan, Span};
use crate::level_limit::LevelLimit;
use crate::merge::Merged;
use crate::messages::{Command, Event};
use crate::notice::{InFlight, Live, Notice};
use crate::outcome::RunError;
use crate::rescue::Signs;
use crate::snapshot::AbortThresholds;
use crate::workers::{Heard, LOOK};

/// Time for the workers to report their measurements after the second Ctrl-C. The whole run must end within a second.
const GIVE_UP: Nanos = Nanos::from_millis(500);

/// Control's state of the running level.
struct Watch<'a> {
    plan: &'a LevelPlan,
    /// The measured time, as planned or with an earlier end if the level was cut short.
    hold: Span,
    levels: u32,
    /// Number of workers that have finished the level.
    done: usize,
    stopping: Stopping,
    aborting: AbortThresholds,
    /// The threshold that aborts the run.
    broken: Option<Threshold>,
    limit: LevelLimit,
    busy: LatestShares,
    signs: Signs,
    sent: SentToAudiences,
}

/// Ctrl-C, as far as the workers know.
struct Stopping {
    /// Number of stop requests that were forwarded to the workers.
    asked: u8,
    /// The time by which the workers must finish after the second Ctrl-C.
    give_up: Nanos,
}

impl Watch<'_> {
    fn cut_short(&mut self, now: Nanos) {
        self.hold.end = self.hold.end.min(now.max(self.hold.start));
    }
}

impl Control<'_> {
    /// Runs one level: starts it, watches it, and merges the workers' measurements. Returns the threshold that
    /// aborted it, if any.
    pub(crate) fn level(
        &mut self,
        plan: &LevelPlan,
        levels: u32,
        merged: &mut Merged,
    ) -> Result<Option<Threshold>, RunError> {
        let shared = Arc::new(plan.clone());
        self.watcher.begin_level(plan.start);
        self.workers
            .order_all(|| Command::Level(Arc::clone(&shared)));
        let options = &self.config.options;
        let mut watch = Watch {
            plan,
            hold: plan.hold(),
            levels,
            done: 0,
            stopping: Stopping {
                asked: 0,
                give_up: Nanos::MAX,
            },
            aborting: AbortThresholds::of(&options.thresholds, &blank(plan), plan.hold()),
            broken: None,
            limit: LevelLimit::of(plan.hold().end, plan.settle, options.timeouts.total),
            busy: LatestShares::of(self.workers.len()),
            signs: Signs::of(self.workers.len(), plan.start, options.script.time),
            sent: SentToAudiences::default(),
        };
        let ended = self.watch_level(&mut watch, merged);
        merged.quota.end();
        if ended.is_err() {
            merged.rescue(watch.signs.rescued(), watch.hold, self.clock.now());
        }
        ended.map(|()| watch.broken)
    }

    fn watch_level(&mut self, watch: &mut Watch<'_>, merged: &mut Merged) -> Result<(), RunError> {
        while watch.done < self.workers.len() {
            self.pass_on_stop(watch);
            let now = self.clock.now();
            if let Some(silent) = watch.signs.look(now, self.config.scenario().is_some()) {
                return Err(silent);
            }
            if now > watch.stopping.give_up {
                let busy = "interrupted: a worker was too busy to report its last measurements";
                return Err(RunError::Usage(busy.to_owned()));
            }
            self.watcher.watch(now, watch.hold);
            merged.quota.watch(now, watch.hold);
            if watch.aborting.is_due(now, watch.hold, self.workers.len()) {
                self.workers.order_all(|| Command::Snapshot);
            }
            match self.workers.hear(LOOK) {
                Heard::Event(worker, event) => {
                    watch.signs.heard(worker, self.clock.now());
                    self.level_event(worker, event, watch, merged)?;
                }
                Heard::Died(worker) => return Err(died(&worker)),
                Heard::Nothing if watch.limit.has_passed(self.clock.now()) => {
                    self.workers.order_all(|| Command::Abort);
                    return Err(RunError::Generator(
                        "a level did not end within its time limits".to_owned(),
                    ));
                }
                Heard::Nothing => {}
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
                busy,
                awaited,
            } => {
                merged.add_window(second, &window);
                watch.limit.report(second, awaited);
                watch.busy.report(worker, busy);
                let live = self.live(watch, merged);
                (self.tell)(Notice::Live(live));
            }
            Event::GroupsSettled(sent) => {
                if let Some(sent) = watch.sent.add(sent, self.workers.len()) {
                    self.workers
                        .order_all(|| Command::SettleAudiences(Arc::clone(&sent)));
                }
            }
            Event::LevelDone(outcome) => {
                merged.add(*outcome);
                watch.done += 1;
                watch.busy.report(worker, 0.0);
                watch.signs.is_done(worker);
            }
            Event::Copy(measured) => watch.signs.copy(worker, measured, self.clock.now()),
            Event::Snapshot(measured) => {
                let mut level = self.so_far(watch.plan);
                if watch.aborting.ask_for_the_target() {
                    level.target = self.watcher.target_so_far();
                }
                if let Some(broken) = watch.aborting.take(*measured, &level) {
                    watch.broken = Some(broken.clone());
                    watch.cut_short(self.clock.now());
                    self.workers.order_all(|| Command::EndHold);
                }
            }
            event => self.other(event)?,
        }
        Ok(())
    }

    /// The level so far: its load and its duration, without measurements or figures of the target.
    fn so_far(&self, plan: &LevelPlan) -> Level {
        let mut level = blank(plan);
        let held = self.clock.now() - plan.hold().start;
        level.phases.duration_s = held.as_secs_f64();
        level
    }

    /// Forwards Ctrl-C to the workers: the first one ends the measured time, the second one ends everything.
    fn pass_on_stop(&mut self, watch: &mut Watch<'_>) {
        let asked = self.stop.asked();
        if asked > watch.stopping.asked {
            watch.stopping.asked = asked;
            if asked == 2 {
                watch.stopping.give_up = self.clock.now() + GIVE_UP;
            }
            watch.cut_short(self.clock.now());
            self.workers.order_all(|| {
                if asked > 1 {
                    Command::Abort
                } else {
                    Command::EndHold
                }
            });
        }
    }

    fn live(&self, watch: &Watch<'_>, merged: &Merged) -> Live {
        let (plan, levels) = (watch.plan, watch.levels);
        let elapsed = self.clock.now() - plan.start;
        let window = merged.last_window().cloned().unwrap_or_default();
        let per_s = if window.deliveries > 0 {
            window.deliveries
        } else {
            window.requests + window.round_trips
        };
        let awaited = watch.limit.awaited();
        Live {
            level: plan.index + 1,
            levels,
            users: plan.load.users,
            rate: plan.load.open.as_ref().map(|open| open.rate.clone()),
            phase: plan.phases.at(elapsed),
            elapsed_s: elapsed.as_secs_f64(),
            total_s: plan.phases.hold_ends.as_secs_f64(),
            per_s: per_s as f64,
            p95_ms: window.close(0.0).p95_ms,
            failed: merged.failed_so_far(),
            busy_percent: watch.busy.busiest() * 100.0,
            in_flight: (awaited.count > 0).then(|| InFlight {
                count: awaited.count,
                up_to_s: (awaited.until - self.clock.now()).as_secs_f64(),
            }),
        }
    }
}
