use std::collections::BTreeMap;

use crate::claim::{Claim, Kind};
use crate::figure::Figure;

/// Published results in one neutral format. A figure that was not published is `None`, never 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The file or title of the source.
    pub source: String,
    /// The format of the source: `k6 summary`, `audit.toml`.
    pub form: &'static str,
    /// The loads, in the order of the source.
    pub levels: Vec<Level>,
    /// The claims of the report.
    pub claims: Vec<Claim>,
}

/// One load and its measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Name of the level in the source: `C16`, `300 users`.
    pub name: String,
    /// Place of the level in the source.
    pub at: String,
    /// Number of users that are active at the same time.
    pub users: Option<Figure>,
    /// Measured duration, in seconds.
    pub duration_s: Option<Figure>,
    /// Ramp-up time in seconds, if it is stated.
    pub ramp_s: Option<Figure>,
    /// Planned starts per second.
    pub offered_per_s: Option<Figure>,
    /// Successful operations per second. The time includes the wait for the last response.
    pub answered_per_s: Option<Figure>,
    /// Number of planned starts that did not happen.
    pub dropped: Option<Figure>,
    /// Whether the load is closed or open.
    pub shape: Option<Loop>,
    /// Pause of a user between a response and the next request, in milliseconds.
    pub think_ms: Option<Figure>,
    /// Stated number of receivers of each message.
    pub fan_out: Option<Figure>,
    /// Number of sessions that the target counted at the end.
    pub sessions: Option<Figure>,
    /// Number of times that the level was repeated.
    pub repetitions: Option<Figure>,
    /// CPU use of the generator, in per cent of the CPU that it may use.
    pub generator_cpu_percent: Option<Figure>,
    /// The count of each time window, in order.
    pub windows: Vec<Figure>,
    /// Length of each of the `windows`, in seconds.
    pub window_s: Option<Figure>,
    /// Names of the levels whose samples were merged into this one.
    pub pooled: Vec<String>,
    /// The conditions of the level: `version = "2.9.3"`.
    pub conditions: BTreeMap<String, String>,
    /// Whether the operations are the steps of one flow. Each step then requires the previous one.
    pub flow: bool,
    /// Figures of the whole level.
    pub total: Row,
    /// Figures of each operation of the level.
    pub rows: Vec<Row>,
}

/// Whether requests wait for earlier responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Each user waits for a response before sending the next request.
    Closed,
    /// Requests start regardless of responses.
    Open,
}

/// How percentiles were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// From all samples, or from bins whose width is included in the figures' slack.
    #[default]
    Samples,
    /// From a sketch without an error bound (t-digest). Percentiles from a sketch yield no bounds.
    Sketch,
}

/// The figures of one operation, or of a whole level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Name of the operation in the source. Empty for a whole level.
    pub name: String,
    /// Place of the operation in the source.
    pub at: String,
    /// The numbers of operations.
    pub counts: Counts,
    /// Operations per second, as published.
    pub rate_per_s: Option<Figure>,
    /// The times of the operations.
    pub times: Times,
    /// The client's timeout, in milliseconds.
    pub timeout_ms: Option<Figure>,
    /// Upper edges of the histogram's buckets, in milliseconds.
    pub edges_ms: Vec<Figure>,
    /// Length of the piece of a live stream that one operation carries, in milliseconds. Set only if the next operation
    /// waits for the response.
    pub carries_ms: Option<Figure>,
    /// Whether other rows count the same operations too. An example is a transaction of several requests.
    pub repeats: bool,
}

/// Numbers of operations, as published. None of them is computed from the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Number of requests or messages started.
    pub sent: Option<Figure>,
    /// Number of messages received, summed over all receivers.
    pub received: Option<Figure>,
    /// Number of operations that succeeded.
    pub ok: Option<Figure>,
    /// Number of operations that failed.
    pub failed: Option<Figure>,
    /// Number of operations in flight when the counting stopped.
    pub unfinished: Option<Figure>,
    /// Number of failures of each kind.
    pub failures: Vec<(String, Figure)>,
    /// Number of requests without a response that the tool does not include in `sent`.
    pub unanswered: Option<Figure>,
    /// Share of operations that succeeded, in per cent, as published.
    pub success_percent: Option<Figure>,
}

/// Published times, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The shortest time.
    pub min: Option<Figure>,
    /// The mean time.
    pub mean: Option<Figure>,
    /// The standard deviation.
    pub stdev: Option<Figure>,
    /// The longest time.
    pub max: Option<Figure>,
    /// Quantiles (0 to 1) with their times, in ascending order.
    pub percentiles: Vec<(f64, Figure)>,
    /// Number of samples behind the times, if it differs from the number of operations sent.
    pub samples: Option<Figure>,
    /// Whether the number of samples is unknown. The number of operations sent then does not replace it.
    pub samples_unknown: bool,
    /// Place of the first time that is printed as NaN.
    pub undefined: Option<String>,
    /// How the percentiles were computed.
    pub method: Method,
    /// Possible error of the percentiles and the mean in addition to their slack, as a share of the value. Above 0 if
    /// the histogram behind the percentiles is unknown.
    pub resolution: f64,
    /// Whether the tool always prints the same percentiles. Percentiles beyond p99 are then not a claim of the author.
    pub fixed_list: bool,
}

impl Results {
    /// Returns the claims of one kind.
    pub(crate) fn claims_of(&self, kind: Kind) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(move |claim| claim.kind == kind)
    }

    /// Whether the results contain neither figures nor claims.
    pub fn is_empty(&self) -> bool {
        let rows = || self.levels.iter().flat_map(Level::all_rows);
        let users = self.levels.iter().any(|level| level.users.is_some());
        self.claims.is_empty() && !users && rows().all(Row::is_empty)
    }
}

impl Level {
    /// Returns the row of the whole level, followed by the rows of its operations.
    pub fn all_rows(&self) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.total).chain(&self.rows)
    }

    /// Returns the name of a row of this level for people: `300 users, health`.
    pub fn call(&self, row: &Row) -> String {
        if row.name.is_empty() {
            self.name.clone()
        } else {
            format!("{}, {}", self.name, row.name)
        }
    }
}

impl Row {
    fn is_empty(&self) -> bool {
        let nothing =
            |count: &Option<Figure>| count.as_ref().is_none_or(|count| count.value == 0.0);
        let counts = &self.counts;
        let none = *counts == Counts::default()
            || counts.sent.is_some()
                && [&counts.sent, &counts.ok, &counts.failed]
                    .iter()
                    .all(|count| nothing(count));
        self.times.is_empty() && self.rate_per_s.is_none() && none
    }

    /// Returns the number of samples behind the times of the row. `None` if it is unknown.
    pub fn samples(&self) -> Option<&Figure> {
        let times = &self.times;
        let sent = self.counts.sent.as_ref();
        times
            .samples
            .as_ref()
            .or(sent.filter(|_| !times.samples_unknown))
    }

    /// Returns all possible numbers of samples behind the times, according to the published counts. If some operations
    /// failed or did not end, the times may cover all operations, those that ended or those that succeeded. Empty if a
    /// count is not exact.
    pub fn sample_counts(&self) -> Vec<f64> {
        if self.times.samples_unknown {
            return Vec::new();
        }
        if let Some(samples) = &self.times.samples {
            return nearly(samples);
        }
        let counts = &self.counts;
        let Some(sent) = counts.sent.as_ref().and_then(exactly) else {
            return Vec::new();
        };
        let gone = |of: &Option<Figure>| match of {
            Some(figure) => exactly(figure),
            None => Some(0.0),
        };
        let (Some(failed), Some(unfinished)) = (gone(&counts.failed), gone(&counts.unfinished))
        else {
            return Vec::new();
        };
        let mut all = vec![
            sent,
            sent - failed,
            sent - unfinished,
            sent - failed - unfinished,
        ];
        if let Some(ok) = &counts.ok {
            let Some(ok) = exactly(ok) else {
                return Vec::new();
            };
            all.extend([ok, ok + failed]);
        }
        all.retain(|count| *count >= 1.0);
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// Whether [`Row::sample_counts`] covers every case. If the number of failed or unfinished operations is not
    /// stated, the times may exclude those operations.
    pub(crate) fn samples_are_told(&self) -> bool {
        let ended = self.counts.ok.is_some() && self.counts.failed.is_some();
        self.times.tool_is_known() || self.times.samples.is_some() || ended
    }

    /// Returns the smallest possible number of samples behind the times. If the counts do not show it, a share of the
    /// operations started is assumed: a tenth if failures are stated, otherwise a hundredth.
    pub(crate) fn fewest_samples(&self) -> f64 {
        let known = self.sample_counts().first().copied().unwrap_or(0.0);
        match &self.counts.failed {
            _ if self.samples_are_told() => known,
            Some(_) => known / 10.0,
            None => known / 100.0,
        }
    }

    /// Returns the published time at quantile `q`.
    pub fn percentile(&self, q: f64) -> Option<&Figure> {
        let mut all = self.times.percentiles.iter();
        all.find(|(of, _)| (of - q).abs() < 1e-9)
            .map(|(_, time)| time)
    }
}

/// Returns all whole numbers within the precision of a count. Empty if there are too many.
fn nearly(count: &Figure) -> Vec<f64> {
    const FEW: f64 = 2.0;
    if count.slack > FEW {
        return Vec::new();
    }
    let first = count.low().ceil();
    let all = (0..5u8).map(|more| first + f64::from(more));
    all.take_while(|value| *value <= count.high()).collect()
}

fn exactly(count: &Figure) -> Option<f64> {
    (count.slack == 0.0).then_some(count.value)
}

impl Times {
    /// Whether no time is published.
    pub fn is_empty(&self) -> bool {
        self.mean.is_none() && self.max.is_none() && self.percentiles.is_empty()
    }

    /// Whether the tool is known. The slack then covers the tool's histogram and rounding.
    pub(crate) fn tool_is_known(&self) -> bool {
        self.resolution == 0.0
    }

    /// Returns every time with its name, except the standard deviation.
    pub fn each(&self) -> impl Iterator<Item = (String, &Figure)> {
        let named = [("min", &self.min), ("mean", &self.mean), ("max", &self.max)];
        let single = named
            .into_iter()
            .filter_map(|(name, time)| Some((name.to_owned(), time.as_ref()?)));
        let listed = self.percentiles.iter();
        single.chain(listed.map(|(q, time)| (format::percentile(*q), time)))
    }
}
