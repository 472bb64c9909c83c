//! The table of the loads that a search tried.

use std::collections::BTreeMap;

use capacity::search::{Evidence, Purpose, SavedSearch, SavedTrial};
use format::{Column, Row, Table, Tone, count, millis, percent, seconds};

use super::load;

/// The trials at one load, ascending by load.
pub(super) fn of(search: &SavedSearch) -> Table {
    let columns = vec![
        Column::words("load"),
        Column::number("trials"),
        Column::number("measured"),
        Column::number("held"),
        Column::number("failed"),
        Column::number("beyond the limit"),
        Column::number("median").minor(1),
        Column::number("succeeded").minor(2),
    ];
    let mut by_load: BTreeMap<u64, Vec<&SavedTrial>> = BTreeMap::new();
    for trial in search.trials.iter().filter(|one| bears_on_the_ceiling(one)) {
        // The bits of positive numbers are in the same order as the numbers.
        let key = trial.trial.load.to_bits();
        by_load.entry(key).or_default().push(trial);
    }
    let rows = by_load.into_values().map(|all| row(search, &all));
    Table::new(columns, rows.collect())
}

fn bears_on_the_ceiling(trial: &SavedTrial) -> bool {
    let is_other = matches!(
        trial.trial.purpose,
        Purpose::WarmUp | Purpose::Recovery | Purpose::Reference | Purpose::Drift
    );
    !is_other && !trial.outcome.not_ready
}

fn row(search: &SavedSearch, all: &[&SavedTrial]) -> Row {
    let valid: Vec<_> = all.iter().filter(|one| one.outcome.is_valid()).collect();
    let failed = valid.iter().filter(|one| one.failed).count();
    let held = valid.iter().filter(|one| one.outcome.held()).count();
    let measured: f64 = all.iter().map(|one| one.trial.duration_s).sum();
    let counts = valid.iter().filter_map(|one| match one.outcome.evidence {
        Evidence::Share(counts) => Some((counts.beyond, counts.of)),
        _ => None,
    });
    let (beyond, of) = counts.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mean = |figure: &dyn Fn(&SavedTrial) -> Option<f64>| {
        let known: Vec<f64> = valid.iter().filter_map(|one| figure(one)).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    Row {
        cells: vec![
            Some(load(all[0].trial.load, search.quantity)),
            Some(count(all.len() as u64)),
            Some(seconds(measured)),
            Some(count(held as u64)),
            Some(count(failed as u64)),
            (of > 0.0).then(|| percent(beyond / of * 100.0)),
            mean(&|one| one.outcome.median_ms).map(millis),
            mean(&|one| one.outcome.succeeded).map(|share| percent(share * 100.0)),
        ],
        tone: if failed > 0 { Tone::Bad } else { Tone::Plain },
    }
}
