use std::collections::BTreeMap;

use serde::Serialize;
use stats::{Difference, after_history, interleaved, one_after_the_other};

use crate::figure::Reading;

/// Fewest days of a history for a statement about one new day.
pub const FEWEST_DAYS: usize = 6;

/// How two sets of runs are compared, which follows from their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The runs of both sets alternate, so that a drift of the machine affects both alike.
    Alternating,
    /// One set ran after the other. A difference may come from the time between them.
    OneAfterTheOther,
    /// The new runs are one more day after a history of several days.
    History,
    /// There is one run on a side, which shows nothing about how much runs differ.
    SingleRun,
}

/// The time of a run, and whether it belongs to the new set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) at: jiff::Timestamp,
    pub(crate) is_new: bool,
    /// Index in its set.
    pub(crate) index: usize,
}

impl Method {
    /// Chooses the method for runs in order of time.
    pub(crate) fn of(places: &[Place], is_history: bool) -> Self {
        let new = places.iter().filter(|place| place.is_new).count();
        let base = places.len() - new;
        let changes = places
            .windows(2)
            .filter(|pair| pair[0].is_new != pair[1].is_new)
            .count();
        if is_history {
            Self::History
        } else if base.min(new) < 2 {
            Self::SingleRun
        } else if changes >= base.min(new) {
            Self::Alternating
        } else {
            Self::OneAfterTheOther
        }
    }

    /// Compares readings in order of time. `scaled` converts a reading to the scale on which differences add up. `None`
    /// if there are too few runs.
    pub(crate) fn difference(
        self,
        readings: &[(Place, Reading)],
        scaled: impl Fn(f64) -> f64,
    ) -> Option<Difference> {
        let within: f64 = readings.iter().map(|(_, one)| one.within).sum();
        let within = within / readings.len() as f64;
        let values = |is_new: bool| -> Vec<f64> {
            let side = readings.iter().filter(|(place, _)| place.is_new == is_new);
            side.map(|(_, one)| scaled(one.value)).collect()
        };
        match self {
            Self::SingleRun => None,
            Self::OneAfterTheOther => one_after_the_other(&values(false), &values(true), within),
            Self::Alternating => {
                let runs = readings.iter();
                let runs: Vec<_> = runs
                    .map(|(place, one)| (place.is_new, scaled(one.value)))
                    .collect();
                interleaved(&runs, within)
            }
            Self::History => {
                let days = by_day(readings, &scaled);
                (days.len() >= FEWEST_DAYS)
                    .then(|| after_history(&days, mean(&values(true)), within))
                    .flatten()
            }
        }
    }
}

/// The mean of the base's runs of each day.
fn by_day(readings: &[(Place, Reading)], scaled: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut days: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for (place, one) in readings.iter().filter(|(place, _)| !place.is_new) {
        let day = place.at.as_second().div_euclid(86_400);
        days.entry(day).or_default().push(scaled(one.value));
    }
    days.values().map(|values| mean(values)).collect()
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
