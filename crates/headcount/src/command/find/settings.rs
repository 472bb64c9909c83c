//! The settings of a search, from the command line and from the scenario.

use anyhow::{Context as _, bail};
use capacity::search::{Production, Quantity, Search, Settings, Step};
use format::span;
use model::{Nanos, Unit};
use plan::{Aggregate, Threshold};

use super::load::LoadShape;
use crate::args::SearchArgs;

/// Default time for a search.
const BUDGET: &str = "4m";
/// Shortest time for a search, in seconds.
pub(super) const SHORTEST_S: f64 = 20.0;
/// Measured time of the trial that shows what there is to limit, in seconds.
pub(super) const LOOK_S: f64 = 2.0;
/// Default precision in percent.
const PRECISION: u8 = 5;
/// Time of a trial in addition to its ramp-up, warm-up and measurement: starting the workers and ending the users.
const OVERHEAD_S: f64 = 0.3;
/// The same on a fleet: its agents prepare each trial anew, and their clocks are measured before and after it.
const OVERHEAD_OF_FLEET_S: f64 = 1.5;

/// The settings of the search, from the command line and from the scenario.
pub(super) fn search_settings(
    thresholds: &[Threshold],
    shape: &LoadShape,
    range: &SearchArgs,
    on_fleet: bool,
) -> anyhow::Result<Settings> {
    let budget_s = budget_s(range.budget.as_deref().unwrap_or(BUDGET))?;
    if budget_s < SHORTEST_S {
        bail!("--budget: a search needs at least {SHORTEST_S} s");
    }
    let (least, most) = shape.range();
    let first = match range.first {
        Some(load) => shape.checked("--first", load)?,
        None => shape.first(),
    };
    let largest = match range.most {
        Some(load) => shape.checked("--most", load)?,
        None => most,
    };
    if largest < first {
        bail!("--most {largest} is less than the first load, {first}: lower --first");
    }
    let overhead_s = if on_fleet {
        OVERHEAD_OF_FLEET_S
    } else {
        OVERHEAD_S
    };
    Ok(Settings {
        first,
        least,
        most: largest,
        whole: shape.quantity != Quantity::Rate,
        precision: f64::from(range.precision.unwrap_or(PRECISION)) / 100.0,
        budget_s,
        extended_s: 0.0,
        limit_s: longest_limit_s(thresholds),
        lead_s: shape.lead_s() + overhead_s,
        ramp_s: shape.ramp_s(),
    })
}

/// Fails if the budget is too short for the first trial. `looks`: whether a trial comes before it, to choose thresholds.
pub(super) fn check_budget(
    settings: Settings,
    shape: &LoadShape,
    looks: bool,
) -> anyhow::Result<()> {
    let look_s = if looks { LOOK_S + settings.lead_s } else { 0.0 };
    let mut search = Search::new(Settings {
        budget_s: settings.budget_s - look_s,
        ..settings
    });
    if matches!(search.next_step(), Step::Done(_)) {
        bail!(
            "--budget: {} is too short, because each trial begins with {}: use a longer --budget, or a shorter `ramp` or \
             `warmup`",
            span(settings.budget_s),
            shape.lead()
        );
    }
    Ok(())
}

/// What the command line states about production. The statements of a resumed search, `before`, remain unless they are
/// given anew.
pub(super) fn production(range: &SearchArgs, before: Production) -> anyhow::Result<Production> {
    let every = range.person_every.as_deref().map(|every| {
        let every_s = plan::duration::parse(every).map(Nanos::as_secs_f64);
        let every_s = every_s.with_context(|| format!("--person-every {every}"))?;
        if every_s <= 0.0 {
            bail!("--person-every {every}: a person needs some time for an iteration, such as 5m");
        }
        Ok(every_s)
    });
    Ok(Production {
        growth_percent: range.growth.map(f64::from).or(before.growth_percent),
        nodes: range.nodes.or(before.nodes),
        person_every_s: every.transpose()?.or(before.person_every_s),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(quantity: Quantity) -> LoadShape {
        LoadShape::example(quantity, 1, Nanos::from_secs(1))
    }

    fn of(quantity: Quantity, first: Option<f64>, most: Option<f64>) -> Result<Settings, String> {
        let range = SearchArgs {
            first,
            most,
            ..SearchArgs::default()
        };
        search_settings(&[], &shape(quantity), &range, false).map_err(|why| why.to_string())
    }

    #[test]
    fn loads_that_cannot_be_tried_are_refused() {
        let cases = [
            (Quantity::Rate, f64::NAN),
            (Quantity::Rate, f64::INFINITY),
            (Quantity::Rate, 0.5),
            (Quantity::Rate, 2e6),
            (Quantity::Users, 0.0),
            (Quantity::Users, f64::INFINITY),
            (Quantity::Users, 2.5),
            (Quantity::Groups, 1.5),
        ];
        for (quantity, load) in cases {
            let first = of(quantity, Some(load), None).unwrap_err();
            assert!(first.starts_with("--first"), "{first}");
            let most = of(quantity, Some(1.0), Some(load)).unwrap_err();
            assert!(most.starts_with("--most"), "{most}");
        }
        let why = of(Quantity::Groups, Some(1.5), None).unwrap_err();
        assert_eq!(
            why,
            "--first 1.5: the number of groups must be a whole number"
        );
        let why = of(Quantity::Rate, Some(0.5), None).unwrap_err();
        assert_eq!(
            why,
            "--first 0.5: a search can try 1 to 1,000,000 iterations per second"
        );
    }

    #[test]
    fn the_first_load_is_at_most_the_largest() {
        let found = of(Quantity::Rate, Some(2.5), Some(2.5)).unwrap();
        assert_eq!((found.first, found.most), (2.5, 2.5));
        let why = of(Quantity::Users, Some(9.0), Some(8.0)).unwrap_err();
        assert!(why.contains("lower --first"), "{why}");
    }

    #[test]
    fn a_group_has_its_share_of_the_most_users() {
        let groups = LoadShape::example(Quantity::Groups, 50, Nanos::from_secs(1));
        let found = search_settings(&[], &groups, &SearchArgs::default(), false).unwrap();
        assert_eq!((found.first, found.most), (1.0, 20_000.0));
    }

    #[test]
    fn a_budget_without_time_for_a_trial_is_refused() {
        let long = LoadShape::example(Quantity::Users, 1, Nanos::from_secs(120));
        let settings = search_settings(&[], &long, &SearchArgs::default(), false).unwrap();
        let why = check_budget(settings, &long, false)
            .unwrap_err()
            .to_string();
        assert_eq!(
            why,
            "--budget: 4 min is too short, because each trial begins with `ramp` (2 min) and `warmup` (2 min): use a \
             longer --budget, or a shorter `ramp` or `warmup`"
        );
        // One trial of two minutes fits into four minutes, but no second one.
        let long = LoadShape::example(Quantity::Users, 1, Nanos::from_secs(60));
        let settings = search_settings(&[], &long, &SearchArgs::default(), false).unwrap();
        assert!(check_budget(settings, &long, false).is_ok());
        assert!(check_budget(settings, &long, true).is_err());
    }

    #[test]
    fn the_shortest_budget_suffices_for_usual_loads() {
        let range = SearchArgs {
            budget: Some("20s".to_owned()),
            ..SearchArgs::default()
        };
        for quantity in [Quantity::Rate, Quantity::Users, Quantity::Groups] {
            for (on_fleet, looks) in [(false, true), (true, false)] {
                let shape = shape(quantity);
                let settings = search_settings(&[], &shape, &range, on_fleet).unwrap();
                assert!(check_budget(settings, &shape, looks).is_ok());
            }
        }
    }

    #[test]
    fn statements_about_production_remain_unless_given_anew() {
        let before = Production {
            growth_percent: Some(20.0),
            nodes: Some(3),
            person_every_s: None,
        };
        let range = SearchArgs {
            growth: Some(50),
            person_every: Some("5m".to_owned()),
            ..SearchArgs::default()
        };
        let expected = Production {
            growth_percent: Some(50.0),
            nodes: Some(3),
            person_every_s: Some(300.0),
        };
        assert_eq!(production(&range, before).unwrap(), expected);
    }
}
