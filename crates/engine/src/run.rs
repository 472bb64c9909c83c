use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use model::{Fault, Nanos};
use record::{Level, Load, Measured, Note, Phases, Run, ScriptInfo, Setup};
use script::ScriptFault;
use script::host::LogLevel;
use thiserror::Error;
use wire::TlsSettings;

use crate::ask;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::crew::{Crew, Heard};
use crate::exchange::{AsideOutcome, Command, Event, Fatal};
use crate::judge;
use crate::level::{LevelPlan, SetupResult, plans};
use crate::merge::Merged;
use crate::watcher::Watcher;

/// Time for the workers to make a level's users before it starts.
const LEAD: Nanos = Nanos::from_millis(50);
/// How often control looks up when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
/// Beyond its own limits a level or a set-up that does not end is given up.
const OVERDUE: Nanos = Nanos::from_secs(30);
/// The longest that `setup` or `teardown` may take.
const ASIDE_LIMIT: Nanos = Nanos::from_secs(600);

/// How often the user has asked to stop: once, the run ends early and in order; twice, at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Asks (again) to stop.
    pub fn ask(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |asked| {
                Some(asked.saturating_add(1))
            });
    }

    /// How often it was asked.
    pub fn asked(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is worth telling while a run is on.
#[derive(Clone, Debug)]
pub enum Notice {
    /// `setup` runs.
    SettingUp,
    /// Once a second while a level runs.
    Live(Live),
    /// A level is over.
    LevelDone(Box<Level>),
    /// A line of the script's `console`.
    Log(LogLevel, String),
}

/// The state of a level, for a live line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// From 1.
    pub level: u32,
    /// How many levels there are.
    pub levels: u32,
    /// Users of the level.
    pub users: u32,
    /// `ramp`, `warm-up`, `hold` or `settle`.
    pub phase: &'static str,
    /// Since the start of the level.
    pub elapsed_s: f64,
    /// Until the planned end of the hold.
    pub total_s: f64,
    /// Deliveries in the last second, or requests and exchanges where there are none.
    pub per_s: f64,
    /// 95th percentile of the last second.
    pub p95_ms: Option<f64>,
    /// Failed requests and exchanges so far.
    pub failed: u64,
    /// Share of its time in which the busiest worker was at work.
    pub busy_percent: f64,
}

/// Why a run could not be made or not be finished.
#[derive(Debug, Error)]
pub enum RunError {
    /// Nobody answers at the target before the start.
    #[error("cannot reach the target {target}: {fault}")]
    Unreachable {
        /// The target's URL.
        target: String,
        /// Why.
        fault: Fault,
    },
    /// The script cannot go on.
    #[error("{0}")]
    Script(Box<ScriptFault>),
    /// The options ask for what cannot be.
    #[error("{0}")]
    Usage(String),
    /// The generator's own trouble.
    #[error("{0}")]
    Generator(String),
}

/// What was measured, and why the run ended early if it did.
#[derive(Debug)]
pub struct Outcome {
    /// Everything that was measured until the end.
    pub record: Run,
    /// Why there is not more.
    pub error: Option<RunError>,
}

/// Runs the scenario: set-up, every level, tear-down. `tell` is called from this thread.
pub fn run(config: RunConfig, clock: Clock, stop: &Stop, tell: &mut dyn FnMut(Notice)) -> Outcome {
    let mut record = blank_record(&config);
    let result = Control::start(Arc::new(config), clock, stop, tell).and_then(|mut control| {
        let result = control.all(&mut record);
        control.crew.dismiss();
        result
    });
    record.ended_at = jiff::Timestamp::now().to_string();
    record.interrupted = stop.asked() > 0;
    record.verdict = judge::verdict(&record);
    Outcome {
        record,
        error: result.err(),
    }
}

fn blank_record(config: &RunConfig) -> Run {
    Run {
        tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
        started_at: jiff::Timestamp::now().to_string(),
        seed: config.seed,
        script: ScriptInfo {
            path: config.bundle.name().to_owned(),
            sha256: config.bundle.sha256(),
            source: config.bundle.main_source().to_owned(),
        },
        options: config.options_json.clone(),
        target: config.target.to_string(),
        machine: crate::watcher::machine(),
        workers: config.workers,
        ..Run::default()
    }
}

struct Control<'a> {
    config: Arc<RunConfig>,
    clock: Clock,
    tls: TlsSettings,
    crew: Crew,
    watcher: Watcher,
    stop: &'a Stop,
    tell: &'a mut dyn FnMut(Notice),
}

impl<'a> Control<'a> {
    fn start(
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

    fn all(&mut self, record: &mut Run) -> Result<(), RunError> {
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
        let (measured, mut generator, series) = merged.finish(plan.load.users.into());
        let target = self.watcher.end_level(&mut generator, phases.hold_s);
        let mut level = Level {
            index: plan.index as usize,
            load: load_of(plan),
            phases,
            sound: true,
            unsound_reasons: Vec::new(),
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

    /// What an earlier run or level left behind on the target, if the scenario says where to look.
    fn leftovers(&mut self, record: &mut Run) -> Option<f64> {
        let asked = self.config.options.leftovers.clone()?;
        let number = self
            .config
            .target
            .join(&asked.url)
            .map_err(|why| why.to_string())
            .and_then(|url| {
                let response = ask::get(&url, self.config.target_is_mine, &self.tls, self.clock)
                    .map_err(|why| why.to_string())?;
                let body: serde_json::Value =
                    serde_json::from_slice(&response.body).map_err(|why| why.to_string())?;
                body.pointer(&asked.at)
                    .and_then(serde_json::Value::as_f64)
                    .ok_or(format!("no number at {}", asked.at))
            });
        match number {
            Ok(number) => Some(number),
            Err(why) => {
                let text = format!("leftovers could not be looked for at {}: {why}", asked.url);
                record.notes.push(Note {
                    kind: "leftovers".to_owned(),
                    text,
                });
                None
            }
        }
    }

    fn set_up(&mut self, record: &mut Run) -> Result<SetupResult, RunError> {
        if !self.config.has_setup {
            return Ok(SetupResult::default());
        }
        (self.tell)(Notice::SettingUp);
        let began = self.clock.now();
        self.crew.order(0, Command::Setup);
        let outcome = self.aside("setup")?;
        record.setup = Some(setup_record(&outcome, self.clock.now() - began));
        let value = outcome
            .result
            .map_err(|fault| RunError::Script(Box::new(fault)))?;
        Ok(SetupResult {
            value: value.map(Into::into),
            pool: outcome.pool,
        })
    }

    fn tear_down(&mut self, setup: Arc<SetupResult>, record: &mut Run) -> Result<(), RunError> {
        if !self.config.has_teardown || self.stop.asked() > 1 {
            return Ok(());
        }
        self.crew.order(0, Command::Teardown(setup));
        let outcome = self.aside("teardown")?;
        if let Err(fault) = outcome.result {
            record.notes.push(Note {
                kind: "teardown".to_owned(),
                text: format!("teardown failed: {fault}"),
            });
        }
        Ok(())
    }

    fn aside(&mut self, what: &str) -> Result<AsideOutcome, RunError> {
        self.until(ASIDE_LIMIT, what, |event| match event {
            Event::AsideDone(outcome) => Some(*outcome),
            _ => None,
        })
    }

    /// Every user of the largest level needs a place in the pool, if there is one: shared accounts measure something else.
    fn check_pool(levels: &[LevelPlan]) -> Result<(), RunError> {
        let pool = levels.first().map_or(0, |plan| plan.setup.pool.len());
        let needed = levels.iter().map(|plan| plan.load.users).max().unwrap_or(0);
        if pool == 0 || pool >= needed as usize {
            return Ok(());
        }
        Err(RunError::Usage(format!(
            "setup's pool has {pool} users, the largest level needs {needed}: make more of them, or lower the load"
        )))
    }

    /// Listens until `pick` takes an event.
    fn until<T>(
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
    Load {
        users: plan.load.users.into(),
        groups: plan.load.groups.into(),
        group_size,
        rate_per_s: None,
        once: plan.once,
    }
}

fn setup_record(outcome: &AsideOutcome, took: Nanos) -> Setup {
    let Measured {
        requests, failures, ..
    } = &outcome.measured;
    Setup {
        took_s: took.as_secs_f64(),
        users: outcome.users,
        requests: requests.clone(),
        failed: requests.values().map(|timings| timings.failed).sum(),
        failures: failures.clone(),
    }
}
