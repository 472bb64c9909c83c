//! A search before it runs its first trial.

use capacity::search::{Ended, Production, SavedSearch, Search};
use engine::{Clock, RunConfig, Stop};

use super::load::LoadShape;
use super::settings::{check_budget, production, search_settings};
use super::subject::Subject;
use super::trial_runner::TrialRunner;
use crate::args::SearchArgs;
use crate::command::fleet::Fleet;

/// A search that can begin or go on.
pub(super) struct PreparedSearch {
    pub(super) clock: Clock,
    pub(super) subject: Subject,
    pub(super) shape: LoadShape,
    pub(super) saved: SavedSearch,
}

impl PreparedSearch {
    /// A search from the beginning. `range` has the options of the search, and whether it runs on a fleet.
    pub(super) fn new(
        scenario: String,
        subject: Subject,
        declared: &RunConfig,
        shape: LoadShape,
        (range, on_fleet): (&SearchArgs, bool),
        clock: Clock,
    ) -> anyhow::Result<Self> {
        let thresholds = &declared.options.thresholds;
        let settings = search_settings(thresholds, &shape, range, on_fleet)?;
        let saved = SavedSearch {
            kind: SavedSearch::KIND.to_owned(),
            version: SavedSearch::VERSION,
            tool: concat!("headcount ", env!("CARGO_PKG_VERSION")).to_owned(),
            started_at: clock.started_at(),
            ended_at: String::new(),
            scenario,
            target: String::new(),
            seed: declared.seed,
            quantity: shape.quantity,
            group_size: shape.group_size,
            production: production(range, Production::default())?,
            thresholds: thresholds.iter().map(ToString::to_string).collect(),
            default_thresholds: false,
            settings,
            answer: Search::new(settings).so_far(Ended::Interrupted),
            findings: Vec::new(),
            scalability: None,
            trials: Vec::new(),
        };
        Ok(Self {
            clock,
            subject,
            shape,
            saved,
        })
    }

    /// Fails if the budget is too short for the first trial.
    pub(super) fn check_budget(&self) -> anyhow::Result<()> {
        let looks = self.saved.thresholds.is_empty();
        check_budget(self.saved.settings, &self.shape, looks)
    }

    pub(super) fn start(
        self,
        stop: Stop,
        fleet: Option<Fleet>,
        quiet: bool,
    ) -> (TrialRunner, SavedSearch) {
        let runner = TrialRunner::new(self.subject, self.shape, self.clock, stop, quiet).on(fleet);
        (runner, self.saved)
    }
}
