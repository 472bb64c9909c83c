//! Finds a target that works on a fixed number of requests at a time, while the others wait although CPUs are free: a
//! pool of connections or of blocked threads, a semaphore, a lock.
//!
//! The number of places is throughput × time of a request that does not wait. It shows only if the load rises beyond
//! the places: then more requests are in flight, and no more are completed.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, FixedConcurrency, Level, Run, Unknown, Upstream,
    UpstreamPool,
};

use crate::levels::usable;
use crate::throughput::{MORE_IN_FLIGHT, Throughput, of_main_operation, seconds};
use crate::{locks, target, writer};

/// Throughputs within this share count as the same.
const FLAT: f64 = 0.07;
/// Throughput without waiting as a share of the throughput of the full level. Above it, requests may have waited there,
/// too.
const WITHOUT_WAITING: f64 = 0.8;
/// Failures above this share take places of their own, or none.
const FEW_FAILED: f64 = 0.05;
/// A measured number of places may be below a whole number by this share.
const LESS: f64 = 0.12;
/// A measured number of places may be above a whole number by this number or a tenth, whichever is more: disturbances
/// lengthen requests, so the number comes out too high.
const MORE: f64 = 0.25;
/// Share by which the number of connections to a service may differ from that of places.
const OTHER_COUNT: f64 = 0.08;
/// From this number on, every number is a whole number within the error.
const TOO_MANY_TO_COUNT: f64 = 6.0;

/// The three levels that show a fixed concurrency.
struct Shown<'a> {
    /// Nothing waits.
    free: (&'a Level, Throughput),
    /// All places are in use: the smallest load that completes as much as the overfull level.
    full: (&'a Level, Throughput),
    /// More are in flight, and no more are completed.
    overfull: (&'a Level, Throughput),
}

/// Finds a fixed concurrency. Three levels of different load are needed.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    // Threads that take turns, and those that write in turn, are one place.
    let take_turns = locks::find(run).is_some() || writer::find(run).is_some();
    let shown = shown(run).filter(|_| !take_turns)?;
    let (free, full, overfull) = (shown.free.1, shown.full.1, shown.overfull.1);
    // Both complete the same. The longer level shows more exactly how much.
    let per_s = if seconds(shown.overfull.0) > seconds(shown.full.0) {
        overfull.per_s
    } else {
        full.per_s
    };
    let places = per_s * free.time_s;
    let counted = whole_number(places).filter(|_| overfull.in_flight >= places * MORE_IN_FLIGHT)?;
    let is_countable = places < TOO_MANY_TO_COUNT;
    let upstream = upstream(&shown, counted);
    let fixed = FixedConcurrency {
        places: counted,
        work_ms: free.time_s * 1e3,
        per_s,
    };
    let (unknown, advice) = match upstream {
        Some(_) => (Unknown::UpstreamCapacity, Advice::LargerUpstreamPool),
        None => (
            Unknown::WhatHasPlaces,
            Advice::ComparePools { places: counted },
        ),
    };
    Some(Finding {
        cause: match upstream {
            Some(upstream) => Cause::UpstreamPool(UpstreamPool {
                connections: upstream.most,
                address: upstream.address.clone(),
                per_s,
            }),
            None => Cause::FixedConcurrency(fixed),
        },
        confidence: if is_countable || upstream.is_some() {
            Confidence::High
        } else {
            Confidence::Low
        },
        levels: vec![shown.full.0.index, shown.overfull.0.index],
        limits: Vec::new(),
        evidence: evidence(&shown).chain(upstream.map(connections)).collect(),
        unknown: vec![unknown],
        advice: vec![advice],
    })
}

fn evidence(shown: &Shown<'_>) -> impl Iterator<Item = Evidence> {
    let (free, full, overfull) = (shown.free.1, shown.full.1, shown.overfull.1);
    let flat = overfull.flat_beyond(&full);
    let free = Evidence::TimeWithoutWaiting {
        in_flight: free.in_flight,
        ms: free.time_s * 1e3,
    };
    let cpu = shown.overfull.0.target.as_ref().and_then(target::cpu);
    [flat, free].into_iter().chain(cpu)
}

/// The service to which the target had as many connections as it has places, in every sample of both full levels.
fn upstream<'a>(shown: &Shown<'a>, places: f64) -> Option<&'a Upstream> {
    let of_level = |level: &'a Level| level.target.iter().flat_map(|target| &target.upstreams);
    let fits = |one: &&Upstream| {
        let count = one.most as f64;
        one.least == one.most && (count - places).abs() <= (places * OTHER_COUNT).max(0.5)
    };
    let mut found = of_level(shown.overfull.0).filter(fits);
    found.find(|one| {
        let mut at_full = of_level(shown.full.0).filter(fits);
        at_full.any(|other| other.address == one.address && other.most == one.most)
    })
}

fn connections(upstream: &Upstream) -> Evidence {
    Evidence::UpstreamConnections {
        count: upstream.most,
        address: upstream.address.clone(),
    }
}

fn shown(run: &Run) -> Option<Shown<'_>> {
    let mut levels: Vec<(&Level, &str, Throughput)> = usable(run)
        .filter_map(|level| {
            let (name, throughput) = of_main_operation(level)?;
            (!level.load.once && throughput.failed <= FEW_FAILED)
                .then_some((level, name, throughput))
        })
        .collect();
    levels.sort_by(|one, other| one.2.in_flight.total_cmp(&other.2.in_flight));
    let (&(level, name, free), rest) = levels.split_first()?;
    let (&overfull, rest) = rest.split_last()?;
    let &full = rest
        .iter()
        .find(|one| overfull.2.is_flat_beyond(&one.2, FLAT))?;
    let same = levels.iter().all(|(_, other, _)| *other == name);
    let does_not_wait = free.per_s <= full.2.per_s * WITHOUT_WAITING;
    let cpu_is_free = has_free_cpu(full.0) && has_free_cpu(overfull.0);
    (same && does_not_wait && cpu_is_free).then_some(Shown {
        free: (level, free),
        full: (full.0, full.2),
        overfull: (overfull.0, overfull.2),
    })
}

/// The number of places if it is nearly a whole number, or too large to tell.
fn whole_number(places: f64) -> Option<f64> {
    if places >= TOO_MANY_TO_COUNT {
        return Some(places);
    }
    let is_near = |whole: &f64| {
        let most = whole + MORE.max(whole * 0.1);
        (whole * (1.0 - LESS)..=most).contains(&places)
    };
    (1..=6).map(f64::from).find(is_near)
}

/// Whether the target's CPUs are free. Without figures for the target, CPUs may be what limits it.
fn has_free_cpu(level: &Level) -> bool {
    level.target.as_ref().is_some_and(target::has_free_cpu)
}
