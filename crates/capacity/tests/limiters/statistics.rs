//! The statistics of refused requests, computed from a list of all of them. `engine` adds them up while a level runs.

use std::collections::BTreeMap;

use record::{Limited, LimitedBin};

/// Number of time bins that `engine` records at most.
const BINS: u32 = 1200;

/// A request that was refused with status 429.
#[derive(Clone, Copy)]
pub(crate) struct Refused {
    pub(crate) at_s: f64,
    /// Number of requests that had passed by then.
    pub(crate) passed: u64,
    /// The wait that the response stated.
    pub(crate) wait_s: Option<f64>,
}

/// Computes the statistics of a level that ended at `end_s`, in which `passed` requests were let through.
pub(crate) fn statistics(refused: &[Refused], end_s: f64, passed: u64) -> Limited {
    let last_s = refused.last().map_or(0.0, |last| last.at_s);
    let passed_before = refused.last().map_or(0, |last| last.passed);
    let mut bin_s = 0.1;
    while last_s / bin_s >= f64::from(BINS) {
        bin_s *= 2.0;
    }
    let waits = refused.iter().filter_map(|one| one.wait_s);
    Limited {
        count: refused.len() as u64,
        passed,
        passed_after: passed - passed_before,
        first_s: refused.first().map_or(0.0, |first| first.at_s),
        last_s,
        end_s,
        bin_s,
        bins: bins(refused, bin_s),
        names: [("GET /".to_owned(), refused.len() as u64)].into(),
        told_to_wait: waits.clone().count() as u64,
        longest_wait_s: waits.fold(0.0, f64::max),
        free_at_s: reset_times(refused),
        ..Limited::default()
    }
}

fn bins(refused: &[Refused], bin_s: f64) -> Vec<LimitedBin> {
    let mut bins = BTreeMap::new();
    let mut before = 0;
    for one in refused {
        let at = (one.at_s / bin_s) as u32;
        let bin = bins.entry(at).or_insert(LimitedBin {
            at,
            ..LimitedBin::default()
        });
        bin.limited += 1;
        bin.passed += one.passed - before;
        bin.turns += u64::from(one.passed > before);
        before = one.passed;
    }
    bins.into_values().collect()
}

/// The earliest of all reset times that are at most 1.1 s apart.
fn reset_times(refused: &[Refused]) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::new();
    for one in refused {
        let Some(wait_s) = one.wait_s else { continue };
        let free_s = one.at_s + wait_s;
        let known = times.iter().position(|known| (known - free_s).abs() <= 1.1);
        match known {
            Some(known) => times[known] = times[known].min(free_s),
            None if times.len() < 32 => times.push(free_s),
            None => {}
        }
    }
    times
}
