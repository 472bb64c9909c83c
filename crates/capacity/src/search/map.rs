//! The ceiling map: the ceiling of a scenario for each of several group sizes, and what dominates the cost in between.
//!
//! Users of a group send to each other. If a user costs the target the same in every group, the number of users at the
//! ceiling does not depend on the group size. If each delivery costs the same, the number of users × members who
//! receive each message is constant. So the slope of users over receivers, both logarithmic, shows what the target
//! spends its time on: 0, 1, or more if a delivery costs more in a larger group.

use serde::{Deserialize, Serialize};

use super::saved::SavedSearch;

/// A steeper slope than this is not explained by a constant cost per user.
const PER_DELIVERY: f64 = 0.5;
/// A steeper slope than this is not explained by a constant cost per delivery.
const MORE: f64 = 1.5;

/// The root of the file of a ceiling map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CeilingMap {
    /// Always `headcount-find-map`.
    pub kind: String,
    /// Version of the file format.
    pub version: u32,
    /// One search for each group size, ascending.
    pub searches: Vec<SizedSearch>,
}

/// The search at one group size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizedSearch {
    /// Users per group.
    pub group_size: u64,
    /// The search.
    pub search: SavedSearch,
}

/// What the target spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dominates {
    /// Each user costs the same, whatever the group size.
    Users,
    /// Each delivery costs the same, so fan-out dominates.
    Deliveries,
    /// A delivery costs more in a larger group.
    MoreThanDeliveries,
}

/// The comparison of two neighbouring group sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The smaller size.
    pub from: u64,
    /// The larger size.
    pub to: u64,
    /// How often the users at the ceiling of the smaller size contain those of the larger.
    pub fewer_users: f64,
    /// The slope.
    pub slope: f64,
    /// What dominates. `None` if the confidence intervals of the ceilings allow more than one answer.
    pub dominates: Option<Dominates>,
}

impl CeilingMap {
    /// The value of `kind`.
    pub const KIND: &'static str = "headcount-find-map";
    /// The current version of the file format.
    pub const VERSION: u32 = 1;

    /// Compares neighbouring group sizes whose ceilings are both confirmed.
    pub fn slopes(&self) -> Vec<Slope> {
        let pairs = self.searches.windows(2);
        pairs.filter_map(|pair| slope(&pair[0], &pair[1])).collect()
    }
}

impl SizedSearch {
    /// Users at the ceiling, and the bounds of its confidence interval. `None` without a confirmed ceiling.
    pub fn users(&self) -> Option<(f64, f64, f64)> {
        let stable = self.search.answer.stable?;
        let size = self.group_size as f64;
        let interval = stable.interval;
        Some((
            stable.load * size,
            interval.low * size,
            interval.high * size,
        ))
    }
}

fn slope(small: &SizedSearch, large: &SizedSearch) -> Option<Slope> {
    let receivers = |size: u64| size.saturating_sub(1) as f64;
    let (few, many) = (receivers(small.group_size), receivers(large.group_size));
    if few <= 0.0 || many <= few {
        return None; // nobody receives anything in a group of one
    }
    let (users, low, high) = small.users()?;
    let (fewer, fewer_low, fewer_high) = large.users()?;
    let steepness = |times: f64| times.ln() / (many / few).ln();
    let least = dominates(steepness(low / fewer_high));
    let most = dominates(steepness(high / fewer_low));
    Some(Slope {
        from: small.group_size,
        to: large.group_size,
        fewer_users: users / fewer,
        slope: steepness(users / fewer),
        dominates: (least == most).then_some(least),
    })
}

fn dominates(slope: f64) -> Dominates {
    if slope > MORE {
        Dominates::MoreThanDeliveries
    } else if slope > PER_DELIVERY {
        Dominates::Deliveries
    } else {
        Dominates::Users
    }
}

#[cfg(test)]
mod tests;
