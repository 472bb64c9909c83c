//! Searches for the ceiling of one scenario, in a short time and on one process of the system, after the other parts of a
//! study. If the generator was the limit, the system is searched again with a CPU quota, which it can fill.

mod figures;

use std::time::Duration;

use capacity::search::{Answer, Ended, Purpose, Search, Settings, Step, Trial, outcome};
use engine::{Clock, Stop};
use harness::{Changes, CpuQuota, Harness, HarnessError, Notice, Part, System};
use plan::Overrides;
use record::{Finding, Run};
use serde_json::json;

use crate::causes;
pub(crate) use figures::figures;

/// Ramp-up and warm-up time of a trial, in milliseconds.
const RAMP_MS: u32 = 1000;
const WARM_UP_MS: u32 = 500;
/// Time of a trial for starting the workers and ending the users, in seconds.
const OVERHEAD_S: f64 = 0.3;
/// Longest pause between two checks for a stop, in seconds.
const PAUSE_S: f64 = 0.05;
/// The CPU quota of the second search, in cores, and its period. In a longer one, requests wait longer for the next.
const QUOTA_CORES: f64 = 0.2;
const QUOTA_PERIOD: Duration = Duration::from_millis(20);
/// The time for the second search in seconds. With a quota, users take longer to connect.
const QUOTA_BUDGET_S: f64 = 150.0;
/// Distance of the seeds of the two searches. The second has other users and rooms: the store still has those of the first.
const OTHER_SEEDS: u64 = 1 << 32;

/// What the search varies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Varied {
    /// The number of users.
    Users,
    /// The number of groups.
    Groups,
    /// The rate of an open load with random arrivals, and the largest number of groups at a time.
    Rate {
        /// Groups that are in use at a time, at most.
        groups: u64,
    },
}

/// A search for the largest load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CeilingPart {
    /// The scenario, which declares thresholds.
    pub(crate) part: Part,
    /// Environment variables that the scenario reads, with their values.
    pub(crate) env: &'static [(&'static str, &'static str)],
    /// What the search varies.
    pub(crate) varied: Varied,
    /// The words before the largest load, such as "The bridge holds", and after it, such as "users in five rooms".
    pub(crate) words: (&'static str, &'static str),
    /// The first load.
    pub(crate) first: f64,
    /// The largest load.
    pub(crate) most: f64,
    /// The time for the search in seconds.
    pub(crate) budget_s: f64,
    /// The longest time limit of a threshold in seconds.
    pub(crate) limit_s: f64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) struct CeilingRun {
    /// The ceiling, or what is known about it.
    pub(crate) answer: Answer,
    /// The causes that limit the system, found in all trials together.
    pub(crate) findings: Vec<Finding>,
    /// The thresholds that decided.
    pub(crate) thresholds: Vec<String>,
    /// Why the search ended before its time. What it had found until then counts.
    pub(crate) failure: Option<String>,
    /// The words before and after the largest load.
    pub(crate) words: (&'static str, &'static str),
}

impl CeilingRun {
    /// Whether the generator was full before the system, whose ceiling is therefore unknown.
    pub(crate) fn ended_at_generator(&self) -> bool {
        self.answer.generator.is_some() && self.answer.stable.is_none()
    }
}

/// A search with a CPU quota, or why there can be no quota.
pub(crate) type QuotaRun = Result<CeilingRun, String>;

/// The searches at the end of a study.
#[derive(Clone, Debug)]
pub(crate) struct Ceilings {
    /// The search on the system's cores.
    pub(crate) on_cores: CeilingRun,
    /// The search with a CPU quota. `None` if the first search was enough, or the study was stopped.
    pub(crate) with_quota: Option<QuotaRun>,
}

/// What is searched for, and on which system.
struct Task<'a> {
    of: &'a CeilingPart,
    /// The name and the flags of the system.
    system: (&'a str, &'a [String]),
    harness: &'a Harness,
    stop: &'a Stop,
}

/// Searches for the ceiling as the last part of a study, after `parts` others. `None` if the study was stopped before.
pub(crate) fn search_last(
    of: &CeilingPart,
    parts: usize,
    system: (&str, &[String]),
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Option<Ceilings>, HarnessError> {
    if stop.asked() > 0 {
        return Ok(None);
    }
    let task = Task {
        of,
        system,
        harness,
        stop,
    };
    let part = |number: usize, title| Notice::Part {
        number,
        parts: number,
        title,
    };
    tell(part(parts + 1, of.part.title));
    let on_cores = task.search(task.start()?, settings(of), harness.seed, tell)?;
    let with_quota = if on_cores.ended_at_generator() && stop.asked() == 0 {
        tell(part(parts + 2, "the same search with a CPU quota"));
        Some(task.search_with_quota(tell)?)
    } else {
        None
    };
    Ok(Some(Ceilings {
        on_cores,
        with_quota,
    }))
}

impl Task<'_> {
    fn start(&self) -> Result<System, HarnessError> {
        let (name, flags) = self.system;
        let harness = self.harness;
        Ok(System::start(
            &harness.exe,
            name,
            flags,
            &harness.system_cores,
        )?)
    }

    fn search_with_quota(
        &self,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<QuotaRun, HarnessError> {
        let quota = match CpuQuota::new(QUOTA_CORES, QUOTA_PERIOD) {
            Ok(quota) => quota,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let system = self.start()?;
        if let Err(why) = quota.limit(&system) {
            return Ok(Err(why.to_string()));
        }
        let first = (self.of.first * QUOTA_CORES).ceil();
        let settings = Settings {
            first,
            least: first,
            budget_s: QUOTA_BUDGET_S,
            ..settings(self.of)
        };
        let seed = self.harness.seed.wrapping_add(OTHER_SEEDS);
        self.search(system, settings, seed, tell).map(Ok)
    }

    /// Searches for the ceiling. A stop ends the search after the current trial.
    fn search(
        &self,
        mut system: System,
        settings: Settings,
        mut seed: u64,
        tell: &mut dyn FnMut(Notice<'_>),
    ) -> Result<CeilingRun, HarnessError> {
        let Self {
            of, harness, stop, ..
        } = self;
        let mut search = Search::new(settings);
        let mut seen = Run::default();
        let mut thresholds = Vec::new();
        let mut failure = None;
        let mut answer = loop {
            let trial = match search.next_step() {
                Step::Done(answer) => break *answer,
                Step::Try(trial) => trial,
            };
            let clock = Clock::start();
            pause(trial.pause_s, clock, stop);
            if stop.asked() > 0 {
                break search.so_far(Ended::Interrupted);
            }
            // The same arrivals again would not be an independent trial.
            seed = seed.wrapping_add(1);
            let prepared = harness.prepare_on(&of.part, system, changes(of, &trial, seed))?;
            let declared = prepared.config.options.thresholds.clone();
            let ran = prepared.run(stop, &mut |notice| {
                if let Notice::Run(_) = notice {
                    tell(notice);
                }
            });
            let record = match ran {
                Ok((record, same)) => {
                    system = same;
                    record
                }
                Err(why) => {
                    failure = Some(why.to_string());
                    break search.so_far(Ended::TrialError);
                }
            };
            let Some(outcome) = outcome(&record, &declared, clock.now().as_secs_f64()) else {
                break search.so_far(Ended::TrialError);
            };
            let outcome = search.record(outcome);
            thresholds = declared.iter().map(ToString::to_string).collect();
            // During a recovery, the system still works on what the trial before has left.
            if trial.purpose != Purpose::Recovery && !outcome.not_ready {
                causes::add(&mut seen, record);
            }
        };
        if answer.ended == Ended::FirstLoadFailed {
            answer.fails = Some(settings.first); // there is no lower load to try
        }
        Ok(CeilingRun {
            answer,
            findings: capacity::findings(&seen),
            thresholds,
            failure,
            words: of.words,
        })
    }
}

fn settings(of: &CeilingPart) -> Settings {
    Settings {
        first: of.first,
        least: of.first,
        most: of.most,
        whole: true,
        precision: 0.05,
        budget_s: of.budget_s,
        extended_s: 0.0,
        limit_s: of.limit_s,
        lead_s: f64::from(RAMP_MS + WARM_UP_MS) / 1e3 + OVERHEAD_S,
        ramp_s: f64::from(RAMP_MS) / 1e3,
    }
}

fn changes(of: &CeilingPart, trial: &Trial, seed: u64) -> Changes {
    let millis = |ms: f64| format!("{ms:.0}ms");
    let mut load = json!({
        "duration": millis(trial.duration_s * 1e3),
        "warmup": millis(WARM_UP_MS.into()),
    });
    let (key, amount) = match of.varied {
        Varied::Users => ("users", json!(trial.load.ceil())),
        Varied::Groups => ("groups", json!(trial.load.ceil())),
        Varied::Rate { .. } => ("rate", json!(format!("{:.0}/s", trial.load))),
    };
    load[key] = amount;
    if let Varied::Rate { groups } = of.varied {
        load["groups"] = json!(groups);
        load["arrivals"] = json!("poisson");
    } else {
        load["ramp"] = json!(millis(trial.ramp_s.map_or(RAMP_MS.into(), |s| s * 1e3)));
    }
    Changes {
        overrides: Overrides {
            load: Some(load),
            seed: Some(seed),
            ..Overrides::default()
        },
        env: of.env.to_vec(),
    }
}

/// Waits without load, or until a stop.
fn pause(seconds: f64, clock: Clock, stop: &Stop) {
    let left = || seconds - clock.now().as_secs_f64();
    while left() > 0.0 && stop.asked() == 0 {
        let next = left().clamp(0.0, PAUSE_S);
        std::thread::sleep(std::time::Duration::from_secs_f64(next));
    }
}
