//! What a page of the run receives: what has changed since it asked last, as JSON.

use serde::Serialize;

use super::LiveSecond;
use super::history::History;
use super::point::Point;
use crate::html::PageData;
use crate::progress::Live;

/// What the run does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    /// Before the first level.
    #[default]
    Starting,
    /// `setup` runs.
    SettingUp,
    /// A level runs.
    Level,
    /// A level is over, and the next one has not started.
    AfterLevel,
    /// The run is over.
    Ended,
}

/// The state of the run.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct State {
    pub(super) stage: Stage,
    /// Whether somebody has asked to end the run early.
    pub(super) stopping: bool,
    /// The running level, or the last one.
    pub(super) live: Option<Live>,
    /// Its latest second.
    pub(super) latest: Option<Latest>,
}

/// Figures of one second.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Latest {
    operations: u64,
    deliveries: u64,
    p95_ms: Option<f64>,
    target_cpu_percent: Option<f64>,
}

impl Latest {
    pub(super) fn of(second: &LiveSecond) -> Self {
        let window = &second.window;
        Self {
            operations: window.requests + window.round_trips,
            deliveries: window.deliveries,
            p95_ms: window.p95_ms,
            target_cpu_percent: second.target_cpu_percent,
        }
    }
}

/// The plan of a level.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Start {
    /// Name of the level: `50 users`.
    pub(super) label: String,
    /// Users, or planned arrivals per second.
    pub(super) load: f64,
    /// Whether the load is a rate of arrivals.
    pub(super) open: bool,
    /// Seconds since the start of the run.
    pub(super) started_s: f64,
    /// Planned start and end of the measured time, in seconds since the start of the level.
    pub(super) measured: (f64, f64),
}

/// The end of the run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct End {
    /// The verdict as a section of HTML.
    pub(super) verdict: String,
    /// The error that ended the run.
    pub(super) error: Option<String>,
    /// The path of the report. `None` before it is saved, and if nothing is saved.
    pub(super) report: Option<String>,
    /// Whether no more updates will follow.
    pub(super) last: bool,
}

/// Finished levels.
#[derive(Serialize)]
pub(super) struct Finished {
    /// The data of their charts, without time series.
    pub(super) data: PageData,
    /// Their tables in HTML.
    pub(super) tables: String,
}

/// What has changed.
#[derive(Serialize)]
pub(super) struct Update<'a> {
    /// The number of the latest change. The page sends it with its next request.
    pub(super) change: u64,
    pub(super) state: &'a State,
    pub(super) levels: Vec<LevelUpdate<'a>>,
    pub(super) finished: Option<&'a Finished>,
    pub(super) warnings: Option<&'a [String]>,
    pub(super) end: Option<&'a End>,
}

/// What has changed in one level.
#[derive(Serialize)]
pub(super) struct LevelUpdate<'a> {
    index: usize,
    start: &'a Start,
    /// The points of the page from this index on are replaced.
    from: usize,
    series: Columns,
}

impl<'a> LevelUpdate<'a> {
    /// Returns the update of a level. `None` if nothing has changed after this change.
    pub(super) fn of(
        index: usize,
        start: &'a Start,
        history: &History,
        after: u64,
    ) -> Option<Self> {
        let from = history.changed_from(after);
        let new = &history.points()[from..];
        let is_new = !new.is_empty();
        is_new.then(|| Self {
            index,
            start,
            from,
            series: Columns::of(new),
        })
    }
}

/// Points in columns, as in the data of the report. Counts are those of all seconds of a point.
#[derive(Serialize)]
struct Columns {
    start_s: Vec<f64>,
    seconds: Vec<u32>,
    users: Vec<u64>,
    operations: Vec<u64>,
    failed: Vec<u64>,
    messages: Vec<u64>,
    deliveries: Vec<u64>,
    p50_ms: Vec<Option<f64>>,
    p95_ms: Vec<Option<f64>>,
    p99_ms: Vec<Option<f64>>,
    max_ms: Vec<Option<f64>>,
    busy_percent: Vec<Option<f64>>,
    target_cpu_percent: Vec<Option<f64>>,
}

impl Columns {
    fn of(points: &[Point]) -> Self {
        let counts = |of: fn(&Point) -> u64| points.iter().map(of).collect();
        let figures = |of: fn(&Point) -> Option<f64>| {
            let rounded = |point: &Point| of(point).map(|value| (value * 1e3).round() / 1e3);
            points.iter().map(rounded).collect()
        };
        Self {
            start_s: points
                .iter()
                .map(|point| point.second.window.start_s)
                .collect(),
            seconds: points.iter().map(|point| point.seconds).collect(),
            users: counts(|point| point.second.window.users),
            operations: counts(|point| {
                point.second.window.requests + point.second.window.round_trips
            }),
            failed: counts(|point| point.second.window.failed),
            messages: counts(|point| point.second.window.messages),
            deliveries: counts(|point| point.second.window.deliveries),
            p50_ms: figures(|point| point.second.window.p50_ms),
            p95_ms: figures(|point| point.second.window.p95_ms),
            p99_ms: figures(|point| point.second.window.p99_ms),
            max_ms: figures(|point| point.second.window.max_ms),
            busy_percent: figures(|point| point.second.busy_percent),
            target_cpu_percent: figures(|point| point.second.target_cpu_percent),
        }
    }
}
