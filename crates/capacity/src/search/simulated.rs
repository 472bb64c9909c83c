//! Simulated targets whose ceiling is known from theory or from a very long simulation, and the search against them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use record::IssueCause;

use super::{Answer, Evidence, Outcome, SavedTrial, Search, Settings, ShareEvidence, Step, Trial};

/// Number of parts of a trial, by which its design effect is estimated.
const PARTS: usize = 20;
/// The upper bound of a design effect is about this many times the likely one, as in searches of real targets.
const UNCERTAIN: f64 = 3.0;
/// Load without measurement before a trial, in seconds.
const LEAD_S: f64 = 1.0;

/// A small generator of random numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }
}

/// The work that a request needs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Service {
    /// Always this many seconds.
    Fixed(f64),
    /// Exponentially distributed with this mean.
    Exponential(f64),
    /// A token bucket: no work, but requests without a token fail.
    Tokens { per_s: f64, burst: f64 },
    /// Counts requests in windows of one second: no work, but requests beyond the limit of their window fail.
    Window { per_s: f64 },
    /// Slower by this share with each request.
    Leaking { start: f64, each: f64 },
    /// Three times slower while the backlog exceeds a quarter of a second, until it has rested for this long.
    Collapsing { normal: f64, rest: f64 },
}

/// A target with `servers` servers, first come first served.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) servers: usize,
    pub(super) service: Service,
    pub(super) limit_s: f64,
    pub(super) allowed: f64,
    pub(super) poisson: bool,
    /// The highest rate of the generator.
    pub(super) generator: f64,
    /// Arrivals per second for one unit of load.
    pub(super) per_load: f64,
    pub(super) whole: bool,
    /// Probability that a passing disturbance doubles all times of a trial.
    pub(super) disturbed: f64,
    /// Pauses per second of work, and their mean duration in seconds.
    pub(super) pauses: (f64, f64),
}

impl Target {
    pub(super) fn queue(servers: usize, service: Service, limit_s: f64) -> Self {
        Self {
            servers,
            service,
            limit_s,
            allowed: 0.05,
            poisson: true,
            generator: 1e9,
            per_load: 1.0,
            whole: false,
            disturbed: 0.0,
            pauses: (0.0, 0.0),
        }
    }
}

/// A target under load.
#[derive(Debug)]
pub(super) struct World {
    target: Target,
    random: Random,
    now: f64,
    /// When each server is free.
    free: BinaryHeap<Reverse<Moment>>,
    tokens: f64,
    token_at: f64,
    served: f64,
    broken: bool,
    idle_since: f64,
    slow: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment(f64);

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The counts of a part of a trial.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    of: f64,
    beyond: f64,
}

impl World {
    pub(super) fn new(target: Target, seed: u64) -> Self {
        let free = (0..target.servers).map(|_| Reverse(Moment(0.0))).collect();
        Self {
            target,
            random: Random::new(seed),
            now: 0.0,
            free,
            tokens: 400.0,
            token_at: 0.0,
            served: 0.0,
            broken: false,
            idle_since: 0.0,
            slow: false,
        }
    }

    fn work(&mut self) -> f64 {
        self.served += 1.0;
        let seconds = match self.target.service {
            Service::Fixed(seconds) => seconds,
            Service::Exponential(mean) => self.random.exponential(mean),
            Service::Tokens { .. } | Service::Window { .. } => 0.002,
            Service::Leaking { start, each } => start * (1.0 + self.served * each),
            Service::Collapsing { normal, .. } if self.broken => normal * 3.0,
            Service::Collapsing { normal, .. } => normal,
        };
        let seconds = if self.slow { seconds * 2.0 } else { seconds };
        seconds + self.pause(seconds)
    }

    fn pause(&mut self, work_s: f64) -> f64 {
        let (per_s, mean_s) = self.target.pauses;
        if per_s > 0.0 && self.random.unit() < per_s * work_s {
            self.random.exponential(mean_s)
        } else {
            0.0
        }
    }

    /// The latency of a request that arrives at `at`. `None` if it fails.
    fn arrive(&mut self, at: f64) -> Option<f64> {
        if let Service::Tokens { per_s, burst } = self.target.service {
            self.tokens = (self.tokens + (at - self.token_at) * per_s).min(burst);
            self.token_at = at;
            if self.tokens < 1.0 {
                return None;
            }
            self.tokens -= 1.0;
            return Some(0.002);
        }
        if let Service::Window { per_s } = self.target.service {
            if at.floor() > self.token_at {
                (self.tokens, self.token_at) = (per_s, at.floor());
            }
            self.tokens -= 1.0;
            return (self.tokens >= 0.0).then_some(0.002);
        }
        let Reverse(Moment(free)) = self.free.pop().unwrap();
        if let Service::Collapsing { rest, .. } = self.target.service
            && self.broken
            && at - free.max(self.idle_since) > rest
        {
            self.broken = false;
        }
        let end = at.max(free) + self.work();
        self.free.push(Reverse(Moment(end)));
        self.idle_since = at;
        if matches!(self.target.service, Service::Collapsing { .. }) && end - at > 0.25 {
            self.broken = true;
        }
        Some(end - at)
    }

    pub(super) fn run(&mut self, trial: &Trial) -> Outcome {
        let began = self.now;
        self.now += trial.pause_s;
        self.slow = self.random.unit() < self.target.disturbed;
        let wanted = trial.load * self.target.per_load;
        let rate = wanted.min(self.target.generator);
        let lead_s = if trial.purpose == super::Purpose::Recovery {
            0.0
        } else {
            LEAD_S
        };
        let begin = self.now + lead_s;
        let width = trial.duration_s / PARTS as f64;
        let mut parts = [Part::default(); PARTS];
        let (mut index, mut latencies) = (0, Vec::new());
        let mut ends_late = 0.0;
        let half = begin + trial.duration_s / 2.0;
        let end = begin + trial.duration_s;
        let mut at = self.now + self.gap(rate) * self.random.unit();
        while at < end {
            let latency = self.arrive(at);
            if at >= begin {
                while index + 1 < PARTS && at >= begin + width * (index + 1) as f64 {
                    index += 1;
                }
                let part = &mut parts[index];
                part.of += 1.0;
                let late = latency.is_none_or(|latency| latency > self.target.limit_s);
                part.beyond += f64::from(u8::from(late));
                latencies.extend(latency);
            }
            let done = at + latency.unwrap_or(0.0);
            ends_late += f64::from(u8::from(half <= done && done < end));
            at += self.gap(rate);
        }
        // The generator waits for requests in flight, up to its own limit of thirty seconds.
        let drained = self.free.iter().map(|one| one.0.0).fold(end, f64::max);
        self.now = drained.min(end + 30.0) + 0.3;
        self.outcome(
            trial,
            &parts,
            latencies,
            ends_late,
            (rate < 0.999 * wanted, began),
        )
    }

    fn gap(&mut self, rate: f64) -> f64 {
        if self.target.poisson {
            self.random.exponential(1.0 / rate)
        } else {
            1.0 / rate
        }
    }

    fn outcome(
        &self,
        trial: &Trial,
        parts: &[Part],
        mut latencies: Vec<f64>,
        ends_late: f64,
        (limited, began): (bool, f64),
    ) -> Outcome {
        let late: f64 = parts[PARTS / 2..].iter().map(|part| part.of).sum();
        let lack = 1.0 - ends_late / late.max(1.0);
        let refuses = matches!(
            self.target.service,
            Service::Tokens { .. } | Service::Window { .. }
        );
        let behind = !refuses && late > 30.0 && lack > (3.0 / late.sqrt()).max(0.05);
        let of: f64 = parts.iter().map(|part| part.of).sum();
        let beyond: f64 = parts.iter().map(|part| part.beyond).sum();
        latencies.sort_by(f64::total_cmp);
        let completed = ends_late / (trial.duration_s / 2.0);
        Outcome {
            took_s: self.now - began,
            generator: if limited {
                vec![IssueCause::NotMeasured]
            } else {
                Vec::new()
            },
            evidence: Evidence::Share(ShareEvidence {
                beyond,
                of,
                allowed: self.target.allowed,
                design_effect: design_effect(parts).map(|likely| UNCERTAIN * likely),
                likely_design_effect: design_effect(parts),
            }),
            arrived: (self.target.poisson).then_some(of / trial.duration_s / self.target.per_load),
            completed: behind.then_some(completed / self.target.per_load),
            median_ms: latencies.get(latencies.len() / 2).map(|s| s * 1e3),
            succeeded: Some(latencies.len() as f64 / of.max(1.0)),
            succeeded_per_s: Some(latencies.len() as f64 / trial.duration_s),
            ..Outcome::default()
        }
    }
}

/// The largest ratio of the variance of the parts, of pairs and of fours, to the binomial variance.
fn design_effect(parts: &[Part]) -> Option<f64> {
    let of: f64 = parts.iter().map(|part| part.of).sum();
    let beyond: f64 = parts.iter().map(|part| part.beyond).sum();
    if beyond <= 0.0 || beyond >= of {
        return None;
    }
    let share = beyond / of;
    let worst = [1, 2, 4].map(|size| {
        let groups = parts.chunks(size);
        let count = groups.len() as f64;
        let squares = groups.map(|group| {
            let of: f64 = group.iter().map(|part| part.of).sum();
            let beyond: f64 = group.iter().map(|part| part.beyond).sum();
            (beyond - share * of).powi(2)
        });
        squares.sum::<f64>() * count / (count - 1.0) / (of * share * (1.0 - share))
    });
    Some(worst.into_iter().fold(1.0, f64::max))
}

pub(super) fn settings(target: &Target) -> Settings {
    Settings {
        first: if target.whole { 1.0 } else { 10.0 },
        least: 1.0,
        most: 1e6,
        whole: target.whole,
        precision: 0.05,
        budget_s: 240.0,
        extended_s: 0.0,
        limit_s: target.limit_s,
        lead_s: LEAD_S + 0.3,
        ramp_s: 0.0,
    }
}

/// Runs a whole search. Panics if it does not end.
pub(super) fn search(target: &Target, seed: u64) -> (Answer, Vec<Trial>) {
    let (answer, trials) = recorded(settings(target), target, seed);
    (answer, trials.into_iter().map(|done| done.trial).collect())
}

/// Like [`search`], with other settings and with the outcomes of the trials.
pub(super) fn recorded(
    settings: Settings,
    target: &Target,
    seed: u64,
) -> (Answer, Vec<SavedTrial>) {
    let mut search = Search::new(settings);
    let mut world = World::new(target.clone(), seed);
    let mut trials = Vec::new();
    for _ in 0..1000 {
        let trial = match search.next_step() {
            Step::Try(trial) => trial,
            Step::Done(answer) => return (*answer, trials),
        };
        let outcome = world.run(&trial);
        trials.push(SavedTrial {
            trial,
            failed: outcome.failed(),
            outcome: outcome.clone(),
        });
        search.record(outcome);
    }
    panic!("the search does not end: {trials:?}");
}
