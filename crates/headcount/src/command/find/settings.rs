//! The settings of a search, from the command line and from the scenario.

use anyhow::{Context as _, bail};
use capacity::search::{Production, Quantity, Settings};
use engine::RunConfig;
use model::{Nanos, Unit};
use plan::{Aggregate, Threshold};

use super::load::LoadShape;
use crate::args::SearchArgs;
use crate::command::fleet::Fleet;

/// Default time for a search.
const BUDGET: &str = "4m";
/// Shortest time for a search, in seconds.
pub(super) const SHORTEST_S: f64 = 20.0;
/// Default precision in percent.
const PRECISION: u8 = 5;
/// Time of a trial in addition to its ramp-up, warm-up and measurement: starting the workers and ending the users.
const OVERHEAD_S: f64 = 0.3;
/// The same on a fleet: its agents prepare each trial anew, and their clocks are measured before and after it.
const OVERHEAD_OF_FLEET_S: f64 = 1.5;

/// The settings of the search, from the command line and from the scenario, and what is stated about production.
pub(super) fn search_settings(
    declared: &RunConfig,
    shape: &LoadShape,
    range: &SearchArgs,
    fleet: Option<&Fleet>,
) -> anyhow::Result<(Settings, Production)> {
    let budget_s = budget_s(range.budget.as_deref().unwrap_or(BUDGET))?;
    if budget_s < SHORTEST_S {
        bail!("--budget: a search needs at least {SHORTEST_S} s");
    }
    let whole = shape.quantity != Quantity::Rate;
    let (least, most) = shape.range();
    let first = range.first.unwrap_or(shape.first()).clamp(least, most);
    let largest = range.most.unwrap_or(most).min(most);
    if largest < first {
        bail!("--most {largest} is less than the first load, {first}: lower --first");
    }
    let settings = Settings {
        first,
        least,
        most: largest,
        whole,
        precision: f64::from(range.precision.unwrap_or(PRECISION)) / 100.0,
        budget_s,
        extended_s: 0.0,
        limit_s: longest_limit_s(&declared.options.thresholds),
        lead_s: shape.lead_s() + fleet.map_or(OVERHEAD_S, |_| OVERHEAD_OF_FLEET_S),
    };
    Ok((settings, production(range)?))
}

fn production(range: &SearchArgs) -> anyhow::Result<Production> {
    let every = range.person_every.as_deref().map(|every| {
        let every_s = plan::duration::parse(every).map(Nanos::as_secs_f64);
        every_s.with_context(|| format!("--person-every {every}"))
    });
    Ok(Production {
        growth_percent: range.growth.map(f64::from),
        nodes: range.nodes,
        person_every_s: every.transpose()?,
    })
}

pub(super) fn budget_s(text: &str) -> anyhow::Result<f64> {
    let budget = plan::duration::parse(text).with_context(|| format!("--budget {text}"))?;
    Ok(budget.as_secs_f64())
}

/// The longest time limit of a percentile in seconds; 0 without such a limit.
pub(super) fn longest_limit_s(thresholds: &[Threshold]) -> f64 {
    let percentile = |one: &&Threshold| {
        matches!(one.aggregate, Aggregate::Percentile(_)) && one.limit.unit == Unit::Nanos
    };
    let limits = thresholds.iter().filter(percentile);
    limits.map(|one| one.limit.value / 1e9).fold(0.0, f64::max)
}
