use std::sync::Arc;
use std::time::Duration;

use model::{Fault, Nanos};
use record::{Level, Load, Phases, Run};
use wire::TlsSettings;

use crate::ask;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::crew::{Crew, Heard};
use crate::exchange::{Command, Event, Fatal};
use crate::judge;
use crate::level::{LevelPlan, plans};
use crate::merge::Merged;
use crate::run::{Live, Notice, RunError, Stop};
use crate::watcher::Watcher;

/// Time for the workers to make a level's users before it starts.
const LEAD: Nanos = Nanos::from_millis(50);
/// How often control looks up when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
/// Beyond its own limits a level or a set-up that does not end is given up.
const OVERDUE: Nanos = Nanos::from_secs(30);
/// The thread that plans the levels, watches target and generator, and puts together what the workers measured.
pub(crate) struct Control<'a> {
    pub(crate) config: Arc<RunConfig>,
    pub(crate) clock: Clock,
    pub(crate) tls: TlsSettings,
    pub(crate) crew: Crew,
    pub(crate) watcher: Watcher,
    pub(crate) stop: &'a Stop,
    pub(crate) tell: &'a mut dyn FnMut(Notice),
}

impl<'a> Control<'a> {
    pub(crate) fn start(
        config: Arc<RunConfig>,
        clock: Clock,
        stop: &'a Stop,
        tell: &'a mut dyn FnMut(Notice),
    ) -> Result<Self, RunError> {
        let tls = TlsSettings::new(config.options.insecure, config.ca_pem.as_deref())
            .map_err(|fault| RunError::Usage(fault.to_string()))?;
        ask::knock(&config.target, config.target_is_mine, &tls, clock)
            .map_err(|fault| unreachable(&config, fault))?;
        let crew = Crew::start(&config, clock, &tls).map_err(|why| {
            RunError::Generator(format!("cannot start the worker threads: {why}"))
        })?;
        let watcher = Watcher::new(&config);
        let mut control = Self {
            config,
            clock,
            tls,
            crew,
            watcher,
            stop,
            tell,
        };
        for _ in 0..control.crew.len() {
            control.until(OVERDUE, "loading the script", |event| {
                matches!(event, Event::Ready).then_some(())
            })?;
        }
        Ok(control)
    }

    pub(crate) fn all(&mut self, record: &mut Run) -> Result<(), RunError> {
        let setup = Arc::new(self.set_up(record)?);
        let options = &self.config.options;
        let levels = plans(&options.load, &options.grouping, options.settle, &setup);
        Self::check_pool(&levels)?;
        let result = self.each_level(levels, record);
        record.thresholds = judge::thresholds(&self.config.options.thresholds, &record.levels);
        result.and_then(|()| self.tear_down(setup, record))
    }

    fn each_level(&mut self, levels: Vec<LevelPlan>, record: &mut Run) -> Result<(), RunError> {
        let count = u32::try_from(levels.len()).unwrap_or(u32::MAX);
        for plan in levels {
            if self.stop.asked() > 0 {
                break;
            }
            let leftovers = self.leftovers(record);
            let mut merged = Merged::default();
            let mut plan = plan;
            plan.start = self.clock.now() + LEAD;
            let result = self.level(&plan, count, &mut merged);
            let level = self.close_level(&plan, merged, leftovers);
            (self.tell)(Notice::LevelDone(Box::new(level.clone())));
            record.levels.push(level);
            result?;
        }
        Ok(())
    }

    /// One level: start it, watch it, put together what the workers measured.
    fn level(&mut self, plan: &LevelPlan, count: u32, merged: &mut Merged) -> Result<(), RunError> {
        let shared = Arc::new(plan.clone());
        self.watcher.begin_level(plan.start);
        self.crew.order_all(|| Command::Level(Arc::clone(&shared)));
        let mut done = 0;
        let mut asked = 0;
        let mut busy: f64 = 0.0;
        let limit = plan.hold().end + plan.settle + plan.settle + OVERDUE;
        while done < self.crew.len() {
            self.pass_on_stop(&mut asked);
            self.watcher.watch(self.clock.now(), plan.hold());
            match self.crew.hear(LOOK) {
                Heard::Event(Event::Window {
                    second,
                    window,
                    busy: share,
                }) => {
                    merged.add_window(second, &window);
                    busy = busy.max(share);
                    let live = self.live(plan, count, merged, busy * 100.0);
                    (self.tell)(Notice::Live(live));
                    busy = 0.0;
                }
                Heard::Event(Event::LevelDone(outcome)) => {
                    merged.add(*outcome);
                    done += 1;
                }
                Heard::Event(event) => self.other(event)?,
                Heard::Died(worker) => return Err(died(&worker)),
                Heard::Nothing if self.clock.now() > limit => {
                    self.crew.order_all(|| Command::Abort);
                    return Err(RunError::Generator(
                        "a level did not come to its end".to_owned(),
                    ));
                }
                Heard::Nothing => {}
            }
        }
        Ok(())
    }

    /// The first Ctrl-C ends the hold, the second ends everything.
    fn pass_on_stop(&mut self, passed: &mut u8) {
        let asked = self.stop.asked();
        if asked > *passed {
            *passed = asked;
            self.crew.order_all(|| {
                if asked > 1 {
                    Command::Abort
                } else {
                    Command::EndHold
                }
            });
        }
    }

    fn live(&self, plan: &LevelPlan, levels: u32, merged: &Merged, busy_percent: f64) -> Live {
        let elapsed = self.clock.now() - plan.start;
        let phase = match elapsed {
            elapsed if elapsed < plan.phases.ramp_ends => "ramp",
            elapsed if elapsed < plan.phases.hold_starts => "warm-up",
            elapsed if elapsed < plan.phases.hold_ends => "hold",
            _ => "settle",
        };
        let window = merged.last_window().cloned().unwrap_or_default();
        let per_s = if window.deliveries > 0 {
            window.deliveries
        } else {
            window.requests + window.exchanges
        };
        Live {
            level: plan.index + 1,
            levels,
            users: plan.load.users,
            phase,
            elapsed_s: elapsed.as_secs_f64(),
            total_s: plan.phases.hold_ends.as_secs_f64(),
            per_s: per_s as f64,
            p95_ms: window.close(0.0).p95_ms,
            failed: merged.failed_so_far(),
            busy_percent,
        }
    }

    fn close_level(&mut self, plan: &LevelPlan, merged: Merged, leftovers: Option<f64>) -> Level {
        let phases = Phases {
            ramp_s: plan.ramp.as_secs_f64(),
            warmup_s: (plan.phases.hold_starts - plan.phases.ramp_ends).as_secs_f64(),
            hold_s: merged.hold_s.unwrap_or_default(),
            settle_s: merged.settle_s,
            drain_s: merged.drain_s,
        };
        let little = merged.at_work.law(phases.hold_s).filter(|_| !plan.once);
        let (measured, mut generator, series) = merged.finish(plan.load.users.into());
        let target = self.watcher.end_level(&mut generator);
        let mut level = Level {
            index: plan.index as usize,
            load: load_of(plan),
            phases,
            sound: true,
            unsound_reasons: Vec::new(),
            suspicions: Vec::new(),
            little,
            measured,
            series,
            target,
            generator,
            leftovers,
            shares_cores_with_target: self.watcher.shares_cores(),
        };
        level.unsound_reasons = judge::unsound_reasons(&level);
        level.sound = level.unsound_reasons.is_empty();
        level
    }

    /// Listens until `pick` takes an event.
    pub(crate) fn until<T>(
        &mut self,
        limit: Nanos,
        what: &str,
        mut pick: impl FnMut(Event) -> Option<T>,
    ) -> Result<T, RunError> {
        let until = self.clock.now() + limit;
        loop {
            match self.crew.hear(LOOK) {
                Heard::Event(event @ (Event::Fatal(_) | Event::Log(..))) => self.other(event)?,
                Heard::Event(event) => {
                    if let Some(picked) = pick(event) {
                        return Ok(picked);
                    }
                }
                Heard::Died(worker) => return Err(died(&worker)),
                Heard::Nothing if self.stop.asked() > 0 => {
                    return Err(RunError::Usage(format!("interrupted during {what}")));
                }
                Heard::Nothing if self.clock.now() > until => {
                    return Err(RunError::Generator(format!(
                        "{what} did not end within {limit}"
                    )));
                }
                Heard::Nothing => {}
            }
        }
    }

    fn other(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::Log(level, line) => (self.tell)(Notice::Log(level, line)),
            Event::Fatal(fatal) => {
                self.crew.order_all(|| Command::Abort);
                return Err(match *fatal {
                    Fatal::Script(fault) => RunError::Script(Box::new(fault)),
                    Fatal::Generator(why) => RunError::Generator(why),
                });
            }
            _ => {}
        }
        Ok(())
    }
}

fn unreachable(config: &RunConfig, fault: Fault) -> RunError {
    RunError::Unreachable {
        target: config.target.to_string(),
        fault,
    }
}

fn died(worker: &str) -> RunError {
    RunError::Generator(format!("{worker} died: this is a fault of headcount"))
}

fn load_of(plan: &LevelPlan) -> Load {
    let (least, most) = (plan.load.users / plan.load.groups, plan.load.group_size(0));
    let group_size = match &plan.roles {
        Some(roles) => roles
            .iter()
            .map(|(role, count)| format!("{count} {role}"))
            .collect::<Vec<_>>()
            .join(", "),
        None if least == most => most.to_string(),
        None => format!("{least} to {most}"),
    };
    let open = plan.load.open.as_ref();
    Load {
        users: plan.load.users.into(),
        groups: plan.load.groups.into(),
        group_size,
        rate_per_s: open.map(|open| open.arrivals.mean_rate()),
        rate: open.map(|open| open.rate.clone()),
        arrivals: open.map(|open| spacing(open.arrivals.spacing()).to_owned()),
        once: plan.once,
    }
}

fn spacing(spacing: plan::Spacing) -> &'static str {
    match spacing {
        plan::Spacing::Even => "even",
        plan::Spacing::Poisson => "poisson",
    }
}
