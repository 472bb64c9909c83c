//! The live page: the run so far, and what has changed since a page asked last.
//!
//! Every change has a number. A page asks for the changes after the last one that it knows, so it continues after a lost
//! connection, and gets everything after a reload. The number of points is bounded: if there are too many, each two are
//! merged (`point`), and the page receives the level again.

mod history;
mod point;
mod second;
mod update;

use std::fmt;

use model::without_credentials;
use record::{Deliveries, Level, Load, Run, ThresholdResult};
use stats::HeatMap;

use crate::html;
use crate::progress::Live;
use crate::section::label;
use history::History;
pub use second::LiveSecond;
use update::{End, Finished, Latest, LevelUpdate, Stage, Start, State, Update};

/// Maximum number of points of all levels together.
const MOST: usize = 6000;
/// Maximum number of warnings. There are at most a few for each threshold.
const WARNINGS: usize = 100;
/// The state is sent once a second, and not with each report of a worker.
const PAUSE_S: f64 = 0.9;

/// The plan of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveLevel {
    /// Its load.
    pub load: Load,
    /// Seconds from the start of the run to the start of the level.
    pub started_s: f64,
    /// Planned start and end of the measured time, in seconds since the start of the level.
    pub measured_s: (f64, f64),
}

/// A run in progress, as its page shows it.
#[derive(Default)]
pub struct LiveRun {
    change: u64,
    /// The record so far, without time series.
    run: Run,
    state: State,
    levels: Vec<(Start, History)>,
    /// Each with the number of the change.
    finished: Option<(u64, Finished)>,
    warnings: (u64, Vec<String>),
    end: Option<(u64, End)>,
}

impl fmt::Debug for LiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LiveRun");
        shown
            .field("change", &self.change)
            .field("state", &self.state);
        shown.finish_non_exhaustive()
    }
}

impl LiveRun {
    /// The number of the latest change.
    pub fn change(&self) -> u64 {
        self.change
    }

    /// Whether no more updates will follow.
    pub fn is_over(&self) -> bool {
        self.end.as_ref().is_some_and(|(_, end)| end.last)
    }

    /// Sets the record of the run, which has no measurements yet.
    pub fn begin(&mut self, run: Run) {
        self.change += 1;
        self.run = run;
    }

    /// Returns the page in HTML. It has no measurements; its script asks for them.
    pub fn page(&self) -> String {
        // Without the levels that are over: the time that they took is not that of the run.
        let run = Run {
            levels: Vec::new(),
            ..self.run.clone()
        };
        without_credentials(&html::live(&run)).into_owned()
    }

    /// `setup` has started.
    pub fn set_up(&mut self) {
        self.stage(Stage::SettingUp);
    }

    /// A level has started.
    pub fn start_level(&mut self, plan: &LiveLevel) {
        self.stage(Stage::Level);
        (self.state.live, self.state.latest) = (None, None);
        let start = Start {
            label: label(&plan.load),
            load: plan.load.amount(),
            open: plan.load.rate_per_s.is_some(),
            started_s: plan.started_s,
            measured: plan.measured_s,
        };
        self.levels.push((start, History::default()));
    }

    /// Sets the state of the running level.
    pub fn show(&mut self, live: Live) {
        let is_due = self.state.live.as_ref().is_none_or(|shown| {
            shown.phase != live.phase || (live.elapsed_s - shown.elapsed_s).abs() > PAUSE_S
        });
        if is_due {
            self.change += 1;
            self.state.live = Some(live);
        }
    }

    /// Adds a second of the level with this number, from 1.
    pub fn add(&mut self, level: u32, second: LiveSecond) {
        let index = level.saturating_sub(1) as usize;
        let Some((_, history)) = self.levels.get_mut(index) else {
            return;
        };
        self.change += 1;
        self.state.latest = Some(Latest::of(&second));
        history.add(second, self.change);
        while self.levels.iter().map(length).sum::<usize>() > MOST {
            match self.levels.iter_mut().max_by_key(|level| length(level)) {
                Some((_, longest)) if longest.points().len() > 1 => longest.halve(self.change),
                _ => break, // more levels than points
            }
        }
    }

    /// Ends a level. Its record replaces the plan.
    pub fn end_level(&mut self, mut level: Level, thresholds: Vec<ThresholdResult>) {
        self.stage(Stage::AfterLevel);
        // The points are there already, and samples of the target are in the report after the run.
        self.count_lost(&level);
        level.series = Vec::new();
        level.heat_map = HeatMap::default();
        if let Some(target) = &mut level.target {
            target.samples = Vec::new();
        }
        self.run.levels.push(level);
        self.run.thresholds.extend(thresholds);
        let finished = Finished {
            data: html::page_data(&self.run),
            tables: html::live_tables(&self.run),
        };
        self.finished = Some((self.change, finished));
    }

    /// Shows all lost deliveries of a level that is over. Some are found only when it ends.
    fn count_lost(&mut self, level: &Level) {
        let deliveries = level.measured.deliveries.values();
        let lost = deliveries.map(Deliveries::lost_count).reduce(|a, b| a + b);
        if let Some(live) = &mut self.state.live {
            live.lost = lost;
        }
    }

    /// Adds a warning.
    pub fn warn(&mut self, text: String) {
        let (change, warnings) = &mut self.warnings;
        if warnings.len() < WARNINGS {
            self.change += 1;
            *change = self.change;
            warnings.push(text);
        }
    }

    /// Somebody has asked to end the run early.
    pub fn stop(&mut self) {
        if !std::mem::replace(&mut self.state.stopping, true) {
            self.change += 1;
        }
    }

    /// The run is over. Its report is not saved yet.
    pub fn end(&mut self, end: &LiveEnd) {
        self.stage(Stage::Ended);
        let end = End {
            verdict: end.verdict.clone(),
            error: end.error.clone(),
            report: None,
            last: false,
        };
        self.end = Some((self.change, end));
    }

    /// Everything is saved; `report` is the path of the report, if there is one.
    pub fn close(&mut self, report: Option<String>) {
        self.change += 1;
        if let Some((change, end)) = &mut self.end {
            *change = self.change;
            end.report = report;
            end.last = true;
        }
    }

    /// Returns everything that has changed after this change, as JSON. A number that lies ahead, which this run has not
    /// given out, gets everything.
    pub fn update(&self, after: u64) -> String {
        let after = if after > self.change { 0 } else { after };
        let levels = self.levels.iter().enumerate();
        let levels = levels
            .filter_map(|(index, (start, history))| LevelUpdate::of(index, start, history, after));
        let (warned, warnings) = &self.warnings;
        let update = Update {
            change: self.change,
            state: &self.state,
            levels: levels.collect(),
            finished: newer(self.finished.as_ref(), after),
            warnings: (*warned > after).then_some(warnings),
            end: newer(self.end.as_ref(), after),
        };
        // Plain structures of numbers and texts can always be encoded.
        let json = serde_json::to_string(&update).unwrap_or_else(|_| "null".to_owned());
        without_credentials(&json).into_owned()
    }

    fn stage(&mut self, stage: Stage) {
        self.change += 1;
        self.state.stage = stage;
    }
}

/// The end of a run, for its page.
#[derive(Clone, Debug)]
pub struct LiveEnd {
    verdict: String,
    error: Option<String>,
}

impl LiveEnd {
    /// Returns the verdict of a finished run, with the error that ended it.
    pub fn of(run: &Run, error: Option<String>) -> Self {
        Self {
            verdict: html::verdict(run),
            error,
        }
    }
}

fn length((_, history): &(Start, History)) -> usize {
    history.points().len()
}

fn newer<T>(changed: Option<&(u64, T)>, after: u64) -> Option<&T> {
    changed
        .filter(|(change, _)| *change > after)
        .map(|(_, value)| value)
}
