//! The levels with the fewest and the most operations in flight, whose comparison shows what grows with the load.

use record::{Level, Run};

use crate::levels::usable;
use crate::throughput::of_all_operations;

/// Ratio of the operations in flight from which two levels have a different load.
const DIFFERENT: f64 = 1.5;

/// Two levels of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremes<'a> {
    /// The smaller load.
    pub(crate) least: &'a Level,
    /// The larger load.
    pub(crate) most: &'a Level,
}

/// Returns the two levels. `None` if all loads are nearly the same.
pub(crate) fn extremes(run: &Run) -> Option<Extremes<'_>> {
    let mut levels: Vec<(&Level, f64)> = usable(run)
        .filter(|level| !level.load.once)
        .filter_map(|level| Some((level, of_all_operations(level)?.in_flight)))
        .collect();
    levels.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (least, most) = (levels.first()?, levels.last()?);
    (most.1 >= least.1 * DIFFERENT).then_some(Extremes {
        least: least.0,
        most: most.0,
    })
}
