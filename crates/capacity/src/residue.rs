//! Finds sessions that earlier levels have left in the target, as the target reports them.

use record::{Advice, Cause, Confidence, Evidence, Finding, Level, ResidualSessions, Run, Unknown};

/// Fewest sessions that are reported.
const FEWEST: f64 = 2.0;
/// Sessions below this share of the users are those of users who are still leaving.
const LEAVING: f64 = 0.1;

/// Finds residual sessions. The scenario must say where the target reports them (`leftovers`). The first and the last
/// report count: sessions that have ended in between were not left.
pub(crate) fn find(run: &Run) -> Option<Finding> {
    let reported: Vec<(&Level, f64)> = run
        .levels
        .iter()
        .filter_map(|level| Some((level, level.leftovers?)))
        .collect();
    let &(_, before) = reported.first()?;
    let &(last, after) = reported.last()?;
    let left = after - before;
    let earlier: Vec<&Level> = run
        .levels
        .iter()
        .take_while(|level| level.index != last.index)
        .collect();
    let users = earlier.iter().map(|level| level.load.users).max()?;
    if left < FEWEST.max(users as f64 * LEAVING) {
        return None;
    }
    let iterations: u64 = earlier
        .iter()
        .map(|level| level.measured.iterations.started)
        .sum();
    let grew = |(_, found): &&(&Level, f64)| *found > before;
    Some(Finding {
        cause: Cause::ResidualSessions(ResidualSessions {
            left,
            per_iteration: (iterations > 0).then(|| left / iterations as f64),
        }),
        confidence: Confidence::Certain,
        levels: reported
            .iter()
            .filter(grew)
            .map(|(level, _)| level.index)
            .collect(),
        limits: Vec::new(),
        evidence: vec![Evidence::LeftoversGrew {
            before,
            after,
            iterations,
        }],
        unknown: vec![Unknown::SessionsExpire],
        advice: vec![Advice::EndSessions],
    })
}
