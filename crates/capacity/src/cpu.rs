//! Finds the CPU that limits the target: the quota of its cgroup, all cores, a pool of threads, or one thread.
//!
//! A thread is saturated if it ran, or was ready to run, nearly all of the time. If it was as busy at a clearly smaller
//! load, it spins, and is not the cause.

mod bottleneck;

use std::iter;

use record::{
    Advice, AllCores, Cause, Confidence, CpuQuota, Evidence, Finding, Level, Run, SaturatedPool,
    SaturatedThread, TargetUse, ThreadUse, Unknown,
};

use crate::levels::usable;
use crate::locks;
use crate::target;
use crate::target::{cores, wanted};
use crate::throughput::operations_per_s;
use bottleneck::{Bottleneck, bottleneck, of_name};

/// A load counts as smaller below this share of the operations per second.
const SMALLER: f64 = 0.8;
/// A smaller load counts as less busy below this share of the CPU.
const LESS_BUSY: f64 = 0.9;

/// Finds the exhausted CPU, if there is one.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let limited: Vec<(&Level, &TargetUse, Bottleneck<'_>)> = usable(run)
        .filter_map(|level| {
            let target = level.target.as_ref()?;
            Some((level, target, bottleneck(level, target)?))
        })
        // With a lock, one of several threads may run nearly always.
        .filter(|(level, _, found)| {
            !matches!(found, Bottleneck::Thread(_)) || !locks::limits(run, level)
        })
        .collect();
    let (level, target, found) = limited
        .iter()
        .max_by(|one, other| operations_per_s(one.0).total_cmp(&operations_per_s(other.0)))?;
    let lesser = lesser_load(run, level, found);
    if lesser.is_none() && spins(run, level) {
        return None;
    }
    let confidence = match (found, &lesser) {
        (Bottleneck::Quota { .. }, _) => Confidence::Certain,
        (_, Some(_)) => Confidence::High,
        (_, None) => Confidence::Low,
    };
    let mut evidence = evidence(target, found);
    evidence.extend(lesser);
    let mut unknown = Vec::new();
    if confidence == Confidence::Low {
        unknown.push(Unknown::BusyWithoutLoad);
    }
    if matches!(found, Bottleneck::Thread(_)) && cores(target) == 1 {
        unknown.push(Unknown::WouldUseMoreCores);
    }
    Some(Finding {
        cause: cause(target, found),
        confidence,
        levels: limited.iter().map(|(level, ..)| level.index).collect(),
        limits: Vec::new(),
        evidence,
        unknown,
        advice: advice(target, found),
    })
}

/// The CPU at the smallest load, if that load is clearly smaller and the same threads were clearly less busy.
fn lesser_load(run: &Run, than: &Level, found: &Bottleneck<'_>) -> Option<Evidence> {
    let here = busy(than, found)?;
    let (per_s, percent) = smaller(run, than)
        .filter_map(|level| Some((operations_per_s(level), busy(level, found)?)))
        .min_by(|one, other| one.0.total_cmp(&other.0))?;
    (percent < here * LESS_BUSY).then_some(Evidence::LessCpuAt { per_s, percent })
}

/// Whether the target was as busy at a clearly smaller load. Called if no smaller load was less busy.
fn spins(run: &Run, than: &Level) -> bool {
    smaller(run, than).any(|level| level.target.is_some())
}

fn smaller<'a>(run: &'a Run, than: &'a Level) -> impl Iterator<Item = &'a Level> {
    let is_smaller = |level: &&Level| operations_per_s(level) < operations_per_s(than) * SMALLER;
    usable(run).filter(is_smaller)
}

/// CPU of the bottleneck's threads in a level, in percent of one core.
fn busy(level: &Level, found: &Bottleneck<'_>) -> Option<f64> {
    let target = level.target.as_ref()?;
    match found {
        Bottleneck::Quota { .. } | Bottleneck::Cores => target.cpu_percent,
        Bottleneck::Pool { name, .. } => {
            Some(of_name(target, name).map(|thread| thread.cpu_percent).sum())
        }
        Bottleneck::Thread(thread) => Some(
            of_name(target, &thread.name)
                .map(|thread| thread.cpu_percent)
                .fold(0.0, f64::max),
        ),
    }
}

fn cause(target: &TargetUse, found: &Bottleneck<'_>) -> Cause {
    match found {
        Bottleneck::Quota {
            cores,
            periods,
            used_up,
            ..
        } => Cause::CpuQuota(CpuQuota {
            cores: *cores,
            throttled_percent: *used_up as f64 / *periods as f64 * 100.0,
        }),
        Bottleneck::Cores => Cause::AllCores(AllCores {
            cores: cores(target),
            cpu_percent: target.cpu_percent.unwrap_or_default(),
        }),
        Bottleneck::Pool { name, threads, .. } => Cause::SaturatedPool(SaturatedPool {
            name: (*name).to_owned(),
            threads: *threads,
        }),
        Bottleneck::Thread(thread) => Cause::SaturatedThread(SaturatedThread {
            name: thread.name.clone(),
            pid: thread.pid,
            runtime: event_loop(target, thread.pid == thread.tid),
        }),
    }
}

/// Runtimes whose main thread executes the whole program.
fn event_loop(target: &TargetUse, is_main: bool) -> Option<String> {
    let of_event_loop = |runtime: &&String| matches!(runtime.as_str(), "Node.js" | "Python");
    target
        .runtime
        .as_ref()
        .filter(of_event_loop)
        .filter(|_| is_main)
        .cloned()
}

fn evidence(target: &TargetUse, found: &Bottleneck<'_>) -> Vec<Evidence> {
    let of_whole = target::cpu(target);
    match found {
        Bottleneck::Quota {
            periods,
            used_up,
            seconds,
            ..
        } => vec![Evidence::Throttled {
            periods: *periods,
            used_up: *used_up,
            seconds: *seconds,
        }],
        Bottleneck::Cores => {
            let busiest = target.busiest_threads.iter();
            let waits = busiest.filter(|thread| wanted(thread) > thread.cpu_percent + 5.0);
            let waits = waits.take(1).map(thread_cpu);
            of_whole.into_iter().chain(waits).collect()
        }
        Bottleneck::Pool {
            threads,
            least_percent,
            ..
        } => {
            let pool = Evidence::PoolCpu {
                threads: *threads,
                least_percent: *least_percent,
            };
            let of_whole = of_whole.filter(|_| cores(target) > 1);
            iter::once(pool).chain(of_whole).collect()
        }
        Bottleneck::Thread(thread) => {
            let of_whole = of_whole.filter(|_| cores(target) > 1);
            iter::once(thread_cpu(thread)).chain(of_whole).collect()
        }
    }
}

fn thread_cpu(thread: &ThreadUse) -> Evidence {
    Evidence::ThreadCpu {
        name: thread.name.clone(),
        ran_percent: thread.cpu_percent,
        waited_percent: thread.waiting_percent,
    }
}

fn advice(target: &TargetUse, found: &Bottleneck<'_>) -> Vec<Advice> {
    let profile = |pid| Advice::Profile { pid };
    match found {
        Bottleneck::Quota { .. } => vec![Advice::RaiseQuota, profile(target.pid)],
        Bottleneck::Cores => vec![profile(target.pid), Advice::MoreCores],
        Bottleneck::Pool { .. } => vec![Advice::LargerPool, profile(target.pid)],
        Bottleneck::Thread(thread) => vec![profile(thread.pid), Advice::MoreThreads],
    }
}
