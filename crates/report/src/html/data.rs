//! The data of the charts: figures of each level, in the form in which the script draws them.
//!
//! A figure that was not measured is `null`, and the charts draw nothing in its place. Texts for readers are those of
//! the other reports.

mod channels;
mod legs;
mod level;
mod limits;
mod scalability;
mod series;
mod steps;
mod times;

use record::{Level, Run};
use serde::Serialize;

use crate::section::levels::Lead;

use level::LevelData;
use limits::Limit;
use scalability::FittedCurve;

/// Everything that the script draws.
#[derive(Serialize)]
pub(crate) struct PageData {
    /// The run's main subject: `requests`.
    subject: &'static str,
    /// What the times are: `response time, from the planned start`.
    times: &'static str,
    /// Whether the load is a rate of arrivals. Otherwise it is a number of users.
    open: bool,
    /// Limits of latency, which the charts show as lines.
    limits: Vec<Limit>,
    /// The fit of the Universal Scalability Law, if the levels support one.
    usl: Option<FittedCurve>,
    levels: Vec<LevelData>,
}

impl PageData {
    pub(super) fn of(run: &Run) -> Self {
        let lead = Lead::of(run);
        let is_open = |level: &Level| level.load.rate_per_s.is_some();
        Self {
            subject: lead.rate_title(),
            times: lead.times_title(),
            open: run.levels.iter().any(is_open),
            limits: limits::of(run, lead),
            usl: FittedCurve::of(run, lead),
            levels: LevelData::all(run, lead),
        }
    }

    pub(super) fn json(&self) -> String {
        // Plain structures of numbers and texts can always be encoded.
        serde_json::to_string(self).unwrap_or_else(|_| "null".to_owned())
    }
}
