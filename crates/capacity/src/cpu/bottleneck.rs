//! The exhausted CPU of one level.

use record::{Level, TargetUse, ThreadUse};

use crate::target::{cores, wanted};

/// Share of the time in which a saturated thread ran or was ready to run, in percent.
const SATURATED: f64 = 95.0;
/// Share of the time in which a saturated thread ran. A thread that ran less was short of CPUs, and the cause is what
/// used them.
const RAN: f64 = 75.0;
/// A target that uses at least this share of its cores, together with the generator on the same cores, is limited by
/// them.
const ALL: f64 = 0.95;
/// Without a saturated thread, the target itself must use at least this share of its cores.
const MOST: f64 = 0.8;
/// Share of the periods in which an exhausted quota was used up. Short bursts use up some periods of any quota.
const THROTTLED: f64 = 0.25;
/// A target that uses less than this share of its quota is not limited by it.
const OF_QUOTA: f64 = 0.7;

/// What limits the target in one level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bottleneck<'a> {
    /// The CPU quota of the cgroup.
    Quota {
        /// The quota in cores.
        cores: f64,
        /// Number of periods in which the quota was enforced.
        periods: u64,
        /// Number of periods in which it was used up.
        used_up: u64,
        /// Total time for which threads were stopped, in seconds.
        seconds: f64,
    },
    /// All cores that the target may run on.
    Cores,
    /// All threads with one name.
    Pool {
        /// The common part of their names.
        name: &'a str,
        threads: u64,
        /// The smallest share of the time in which one of them ran or was ready to run, in percent.
        least_percent: f64,
    },
    /// One thread.
    Thread(&'a ThreadUse),
}

/// Returns what limits the target in this level, as far as CPUs are concerned.
pub(super) fn bottleneck<'a>(level: &Level, target: &'a TargetUse) -> Option<Bottleneck<'a>> {
    quota(target).or_else(|| threads(level, target))
}

fn quota<'a>(target: &TargetUse) -> Option<Bottleneck<'a>> {
    let cgroup = target.cgroup?;
    let (cores, cpu) = (cgroup.cpu_limit_cores?, target.cpu_percent?);
    let (periods, used_up) = (cgroup.periods?, cgroup.throttled_periods?);
    let is_used_up = used_up as f64 >= periods as f64 * THROTTLED && used_up > 0;
    (is_used_up && cpu >= cores * 100.0 * OF_QUOTA).then(|| Bottleneck::Quota {
        cores,
        periods,
        used_up,
        seconds: cgroup.throttled_s.unwrap_or_default(),
    })
}

fn threads<'a>(level: &Level, target: &'a TargetUse) -> Option<Bottleneck<'a>> {
    let saturated: Vec<&ThreadUse> = target
        .busiest_threads
        .iter()
        .filter(|thread| wanted(thread) >= SATURATED)
        .collect();
    let all = cores(target) as f64 * 100.0;
    let own = target.cpu_percent.unwrap_or_default();
    let is_full = all > 0.0 && own + beside(level, target) >= all * ALL;
    // Threads with little work each, or that take turns, fill the cores without being saturated.
    let is_spread = saturated.is_empty() && own >= all * MOST;
    if is_full && (saturated.len() > 1 || is_spread) {
        return Some(Bottleneck::Cores);
    }
    let &first = saturated.first()?;
    if first.cpu_percent < RAN {
        return None;
    }
    let name = stem(&first.name);
    let pool: Vec<&ThreadUse> = of_name(target, name).collect();
    let least_percent = pool
        .iter()
        .map(|thread| wanted(thread))
        .fold(f64::INFINITY, f64::min);
    match (saturated.len(), pool.len()) {
        (1, _) => Some(Bottleneck::Thread(first)),
        (all, of_pool) if all == of_pool && least_percent >= SATURATED => Some(Bottleneck::Pool {
            name,
            threads: of_pool as u64,
            least_percent,
        }),
        // Some threads of a pool are idle, or threads of different kinds are busy: the limit is not in their number.
        _ => None,
    }
}

/// CPU of the generator on the target's cores, in percent of one core.
fn beside(level: &Level, target: &TargetUse) -> f64 {
    let shares = target
        .shared_cores
        .as_ref()
        .is_some_and(|cores| !cores.is_empty());
    let own = level.generator.cpu_percent.filter(|_| shares);
    own.unwrap_or_default()
}

/// The threads whose names begin with this stem.
pub(super) fn of_name<'a>(
    target: &'a TargetUse,
    name: &'a str,
) -> impl Iterator<Item = &'a ThreadUse> {
    let threads = target.busiest_threads.iter();
    threads.filter(move |thread| stem(&thread.name) == stem(name))
}

/// The name without its number: `worker-3` and `worker-12` are threads of one pool.
fn stem(name: &str) -> &str {
    let is_numbering = |letter: char| letter.is_ascii_digit() || "-_#:/. ".contains(letter);
    let stem = name.trim_end_matches(is_numbering);
    if stem.is_empty() { name } else { stem }
}
