use std::io;

use harness::HarnessError;
use model::FaultKind;
use record::{Deliveries, Level, Timings};
use serde_json::Value;
use thiserror::Error;

use crate::compare::CPU_WAIT_SHARE;

/// Average wait for a CPU, in microseconds, from which the measured times describe the machine's load. The limit
/// applies to the generator and to the server.
const CPU_WAIT_US: f64 = 25.0;

/// Maximum p99 of the lateness of the server's wake-ups, in microseconds.
const LATE_US: u64 = 200;

/// Why the self-test could not be run.
#[derive(Debug, Error)]
pub enum SelftestError {
    /// A part could not be started.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The truth server did not report its counts.
    #[error("cannot read the counts of the truth server: {0}")]
    Tell(#[from] io::Error),
    /// The control group of a server cannot be made or used.
    #[error("cannot limit the truth server's CPU: {0}")]
    Quota(#[source] io::Error),
    /// The part does not exist.
    #[error("unknown part `{0}`; known parts: {1}")]
    Unknown(String, String),
    /// A run ended before any level.
    #[error("part `{0}`: nothing was measured")]
    Nothing(&'static str),
}

/// Measurements and known values of one part.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// The level that headcount measured.
    pub(crate) level: Level,
    /// The counts of the server.
    pub(crate) truth: Value,
    /// The planned starts of an open load, in nanoseconds.
    pub(crate) planned: Vec<u64>,
}

impl Evidence {
    /// Returns the server's count at this path, or 0 if the server has no such count.
    pub(crate) fn told(&self, path: &[&str]) -> u64 {
        let place = path
            .iter()
            .try_fold(&self.truth, |place, name| place.get(name));
        place.and_then(Value::as_u64).unwrap_or(0)
    }

    /// Returns a count of the server for one URL path.
    pub(crate) fn route(&self, path: &str, count: &[&str]) -> u64 {
        self.told(&[&["routes", path], count].concat())
    }

    /// Returns how late the first arrival reached the server, compared with the plan. The server's schedule began with
    /// this arrival. The last arrival relates the plan to the server's clock.
    pub(crate) fn lead(&self, path: &str) -> u64 {
        let came = |which| self.route(path, &[which]);
        let came = came("last_request_ns").saturating_sub(came("first_request_ns"));
        let planned = self.planned.last().zip(self.planned.first());
        let planned = planned.map_or(0, |(last, first)| last - first);
        planned.saturating_sub(came)
    }

    pub(crate) fn requests(&self, name: &str) -> Timings {
        self.level
            .measured
            .requests
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    pub(crate) fn round_trips(&self, name: &str) -> Timings {
        self.level
            .measured
            .round_trips
            .get(name)
            .cloned()
            .unwrap_or_default()
    }

    pub(crate) fn deliveries(&self, channel: &str) -> Deliveries {
        self.level
            .measured
            .deliveries
            .get(channel)
            .cloned()
            .unwrap_or_default()
    }

    /// Returns the number of failures of `kind` in the operation called `what`.
    pub(crate) fn failures(&self, kind: FaultKind, what: &str) -> u64 {
        let all = self.level.measured.failures.iter();
        all.filter(|failure| failure.kind == kind && failure.what == what)
            .map(|failure| failure.count)
            .sum()
    }

    /// Returns the strongest disturbance of the CPU during the level.
    pub(crate) fn disturbance(&self) -> Disturbance {
        if self.level.is_invalid() {
            let causes = report::invalid_because(&self.level).join("; ");
            return Disturbance::complete(format!("the measurement was invalid: {causes}"));
        }
        let late_us = self.told(&["lateness", "p99_ns"]) / 1000;
        if late_us > LATE_US {
            let why = format!("the truth server woke up {late_us} µs late at p99");
            return Disturbance::complete(why);
        }
        let generator = &self.level.generator;
        let share = generator.cpu_wait_percent.unwrap_or(0.0) / 100.0;
        let each_us = generator.cpu_wait_each_us.unwrap_or(0.0);
        let generator = Disturbance::waited("the generator", share, each_us);
        let thread = |name| self.told(&["thread", name]) as f64;
        let (waited_ns, runs) = (thread("waited_ns"), thread("runs").max(1.0));
        let share = waited_ns / 1e9 / self.level.phases.duration_s.max(1.0);
        let server = Disturbance::waited("the truth server", share, waited_ns / runs / 1000.0);
        if server.share > generator.share {
            server
        } else {
            generator
        }
    }
}

/// A disturbance by other work that used the machine's CPU.
#[derive(Clone, Debug)]
pub(crate) struct Disturbance {
    /// The share of the time that was disturbed. 1 if every measured time may be wrong.
    pub(crate) share: f64,
    pub(crate) why: String,
}

impl Disturbance {
    fn complete(why: String) -> Self {
        Self { share: 1.0, why }
    }

    fn waited(who: &str, share: f64, each_us: f64) -> Self {
        let percent = 100.0 * share;
        let why = format!(
            "{who} waited for a CPU for {percent:.2} % of the time, {each_us:.0} µs each time"
        );
        let is_complete = each_us > CPU_WAIT_US || share > CPU_WAIT_SHARE;
        Self {
            share: if is_complete { 1.0 } else { share },
            why,
        }
    }

    /// Whether every measured time may be wrong.
    pub(crate) fn is_complete(&self) -> bool {
        self.share >= 1.0
    }
}
