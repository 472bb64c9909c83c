use model::LevelPhase;
use record::{Forecast, Level, Load, Note, Run, ThresholdResult, Window};
use script::host::LogLevel;

/// An event of a run to show to the user.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The run begins. Sent first: the record without measurements.
    Started(Box<Run>),
    /// A level will have too few samples for a threshold. Sent before the first byte.
    TooFewSamples(Forecast),
    /// `setup` has started.
    SettingUp,
    /// A level starts.
    LevelStarted(Box<LevelStarted>),
    /// The state of the running level, once a second.
    Live(Live),
    /// A second of the running level that is complete, in order.
    Second(Second),
    /// A remark that the user should see before the run ends. Sent after the first level.
    Warning(Note),
    /// A level is over.
    LevelDone(Box<LevelDone>),
    /// A line of the script's `console`.
    Log(LogLevel, String),
}

/// The start of a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelStarted {
    /// The number of the level, from 1.
    pub level: u32,
    /// The number of levels.
    pub levels: u32,
    /// The load of the level.
    pub load: Load,
    /// Seconds from the start of the run to the start of the level.
    pub started_s: f64,
    /// Planned start and end of the measured time, in seconds since the start of the level.
    pub measured_s: (f64, f64),
}

/// A level that is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelDone {
    /// Its measurements.
    pub level: Level,
    /// The results of the thresholds that apply to it.
    pub thresholds: Vec<ThresholdResult>,
}

/// A second of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Second {
    /// The number of the level, from 1.
    pub level: u32,
    /// Its figures.
    pub window: Window,
    /// Percentage of the latest second in which the busiest worker was busy. `None` for seconds reported at the end of a
    /// level.
    pub busiest_worker_percent: Option<f64>,
    /// CPU of the target's process in the latest second, in percent of one core. `None` if no process was found, and
    /// outside the measured time.
    pub target_cpu_percent: Option<f64>,
}

/// The state of a level, for a live line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The number of the level, from 1.
    pub level: u32,
    /// The number of levels.
    pub levels: u32,
    /// Number of users of the level. In an open load, the maximum at the same time.
    pub users: u32,
    /// The rate of an open load, as the user wrote it.
    pub rate: Option<String>,
    /// The phase of the level.
    pub phase: LevelPhase,
    /// Seconds since the start of the level.
    pub elapsed_s: f64,
    /// Seconds from the start of the level to the planned end of the measured time.
    pub total_s: f64,
    /// Its latest second.
    pub latest: LatestSecond,
    /// Deliveries found to be lost so far. `None` if there were no messages, and for passive audiences, whose losses are
    /// counted after the level.
    pub lost: Option<u64>,
    /// Failed requests and round trips so far.
    pub failed: u64,
    /// Operations for which headcount still waits after the measured time.
    pub in_flight: Option<InFlight>,
    /// The agents, if there is a fleet.
    pub agents: Vec<BusyAgent>,
}

/// How busy an agent of a fleet is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BusyAgent {
    /// The agent's name.
    pub name: String,
    /// Percentage of the latest second in which its busiest worker was busy.
    pub busy_percent: f64,
}

/// The latest second of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatestSecond {
    /// Deliveries or, if there are none, requests and round trips.
    pub per_s: f64,
    /// 95th percentile of the times, in milliseconds.
    pub p95_ms: Option<f64>,
    /// Percentage of the time in which the busiest worker was busy.
    pub busy_percent: f64,
}

/// Operations in flight after the measured time. Each is awaited until its own time limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InFlight {
    /// The number of operations.
    pub count: u64,
    /// Seconds until the latest time limit of these operations ends.
    pub up_to_s: f64,
}
