//! Finds concurrent creations that collide: the target refuses them with status 409, more often the more
//! operations run at once.
//!
//! A scenario that sends equal values is refused as often at every load, so it is no finding.

use record::{
    Advice, Cause, Confidence, Evidence, Finding, FirstFailure, Level, Run, UniquenessCollisions,
    Unknown,
};

use crate::levels::counted;
use crate::throughput::{operations, seconds};

/// Status of a conflict.
const CONFLICT: u16 = 409;
/// Fewest conflicts.
const FEWEST: u64 = 10;
/// Smallest share of the requests.
const SMALLEST: f64 = 0.01;
/// A load counts as smaller below this share of the requests per second.
const SMALLER: f64 = 0.67;
/// The share of conflicts at a smaller load is at most this part of the share.
const FEWER: f64 = 0.6;

/// The conflicts of one request in a level.
struct Conflicts<'a> {
    level: usize,
    name: &'a str,
    count: u64,
    of: u64,
    per_s: f64,
}

impl Conflicts<'_> {
    fn share(&self) -> f64 {
        self.count as f64 / self.of.max(1) as f64
    }
}

/// Finds colliding creations. A smaller load with fewer conflicts is needed.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let all: Vec<Conflicts<'_>> = counted(run).flat_map(conflicts).collect();
    let is_material = |one: &&Conflicts<'_>| one.count >= FEWEST && one.share() >= SMALLEST;
    let main = all
        .iter()
        .filter(is_material)
        .max_by(|one, other| one.share().total_cmp(&other.share()))?;
    let same = || all.iter().filter(|one| one.name == main.name);
    let lesser = same()
        .filter(|one| one.per_s < main.per_s * SMALLER)
        .min_by(|one, other| one.per_s.total_cmp(&other.per_s))
        .filter(|one| one.share() <= main.share() * FEWER)?;
    Some(Finding {
        cause: Cause::UniquenessCollisions(UniquenessCollisions {
            name: main.name.to_owned(),
            share_percent: main.share() * 100.0,
        }),
        confidence: Confidence::High,
        levels: same().filter(is_material).map(|one| one.level).collect(),
        limits: Vec::new(),
        evidence: vec![Evidence::Conflicts {
            count: main.count,
            of: main.of,
            than_percent: lesser.share() * 100.0,
            than_per_s: lesser.per_s,
        }],
        unknown: vec![Unknown::SameValuesSent],
        advice: vec![Advice::UniqueByStore],
    })
}

/// The conflicts of each request. Iterations are counted whose first failure is a conflict.
fn conflicts(level: &Level) -> impl Iterator<Item = Conflicts<'_>> {
    operations(&level.measured).map(|(name, timings)| {
        let of_name =
            |failure: &&FirstFailure| failure.what == name && failure.status == Some(CONFLICT);
        let failures = level.measured.funnel.first_failures.iter();
        Conflicts {
            level: level.index,
            name,
            count: failures
                .filter(of_name)
                .map(|failure| failure.failed + failure.succeeded)
                .sum(),
            of: timings.count,
            per_s: timings.count as f64 / seconds(level),
        }
    })
}
