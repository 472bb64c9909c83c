use std::collections::BTreeMap;

use crate::{Claim, Figure};

/// Published results in one neutral shape. A figure that was not published is `None`, never 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// What they were read from.
    pub source: String,
    /// Which kind of file it was: `k6 summary`, `audit.toml`.
    pub form: &'static str,
    /// The loads that were put on, in the order of the source.
    pub levels: Vec<Level>,
    /// What is said about them.
    pub claims: Vec<Claim>,
}

/// One load and what was measured under it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// Its name in the source: `C16`, `300 users`.
    pub name: String,
    /// Where it stands.
    pub at: String,
    /// Users at work at the same time.
    pub users: Option<Figure>,
    /// How long it was measured, in seconds.
    pub duration_s: Option<Figure>,
    /// Over how many seconds its users came, where that is told.
    pub ramp_s: Option<Figure>,
    /// Starts per second that were planned.
    pub offered_per_s: Option<Figure>,
    /// Ended well per second, the waiting for the last answer included.
    pub answered_per_s: Option<Figure>,
    /// Starts that were planned and not made.
    pub dropped: Option<Figure>,
    /// How the load was made.
    pub shape: Option<Loop>,
    /// Users' pause between an answer and the next request, in milliseconds.
    pub think_ms: Option<Figure>,
    /// Receivers of each message, as stated.
    pub fan_out: Option<Figure>,
    /// Sessions that the target counted at the end.
    pub sessions: Option<Figure>,
    /// How often it was run.
    pub repetitions: Option<Figure>,
    /// The generator's use of the CPU that it can use, in per cent.
    pub generator_cpu_percent: Option<Figure>,
    /// How much was counted in each window of time, in order.
    pub windows: Vec<Figure>,
    /// How long one of those windows is, in seconds.
    pub window_s: Option<Figure>,
    /// Names of the levels whose samples were thrown together here.
    pub pooled: Vec<String>,
    /// What was set for it: `version = "2.9.3"`.
    pub conditions: BTreeMap<String, String>,
    /// Whether its rows are the steps of one flow, of which each needs the one before.
    pub flow: bool,
    /// The whole of it.
    pub total: Row,
    /// Its operations.
    pub rows: Vec<Row>,
}

/// How a load is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Each user waits for an answer before the next request.
    Closed,
    /// Starts do not wait for answers.
    Open,
}

/// How percentiles were worked out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// From all samples, or from bins whose width is in the slack of the figures.
    #[default]
    Samples,
    /// From a sketch without a bound on its error (t-digest): not used for bounds.
    Sketch,
}

/// One operation, or the whole of a level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name in the source; empty for the whole of a level.
    pub name: String,
    /// Where it stands.
    pub at: String,
    /// How many there were.
    pub counts: Counts,
    /// Per second, as published.
    pub rate_per_s: Option<Figure>,
    /// How long they took.
    pub times: Times,
    /// The longest that was waited for an answer, in milliseconds.
    pub timeout_ms: Option<Figure>,
    /// The upper edges of the histogram's buckets, in milliseconds.
    pub edges_ms: Vec<Figure>,
    /// How much of a live stream each of them carries, in milliseconds, where the next waits for the answer.
    pub carries_ms: Option<Figure>,
    /// Whether what it counts is counted in other rows too: a transaction of several requests.
    pub repeats: bool,
}

/// How many. Nothing is worked out from the others here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Started: requests, messages.
    pub sent: Option<Figure>,
    /// Messages that arrived, at all receivers together.
    pub received: Option<Figure>,
    /// Ended well.
    pub ok: Option<Figure>,
    /// Ended badly.
    pub failed: Option<Figure>,
    /// Not ended when the counting stopped.
    pub unfinished: Option<Figure>,
    /// The failed by kind.
    pub failures: Vec<(String, Figure)>,
    /// Ended well, in per cent of all, as published.
    pub success_percent: Option<Figure>,
}

/// Times, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// The shortest.
    pub min: Option<Figure>,
    /// The mean.
    pub mean: Option<Figure>,
    /// The standard deviation.
    pub stdev: Option<Figure>,
    /// The longest.
    pub max: Option<Figure>,
    /// Quantiles (0 to 1) and their times, ascending in the quantile.
    pub percentiles: Vec<(f64, Figure)>,
    /// Of how many samples, where that is not all that was sent.
    pub samples: Option<Figure>,
    /// Whether it is not known of how many: what was sent is then not it.
    pub samples_unknown: bool,
    /// How the percentiles were worked out.
    pub method: Method,
    /// How far percentiles and mean may be off, as a share of themselves, beside their slack: where it is not known
    /// which histogram they were kept in.
    pub resolution: f64,
    /// Whether the tool lists the same percentiles whatever it measured: then those beyond p99 are no statement.
    pub fixed_list: bool,
}

impl Results {
    /// Whether there is no figure and no statement in it.
    pub fn is_empty(&self) -> bool {
        let rows = || self.levels.iter().flat_map(Level::all_rows);
        let users = self.levels.iter().any(|level| level.users.is_some());
        self.claims.is_empty() && !users && rows().all(Row::is_empty)
    }
}

impl Level {
    /// The whole of it and its operations.
    pub fn all_rows(&self) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.total).chain(&self.rows)
    }

    /// What people call a row of it: `300 users, health`.
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

    /// How many samples its times were made of, if that is known.
    pub fn samples(&self) -> Option<&Figure> {
        let times = &self.times;
        let sent = self.counts.sent.as_ref();
        times
            .samples
            .as_ref()
            .or(sent.filter(|_| !times.samples_unknown))
    }

    /// All numbers of samples that its times can be made of, by what is published: where some failed or did not end,
    /// times may be of all, of what ended or of what ended well. Empty where that is not known exactly.
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

    /// Whether it is told how many samples its times can be of, as [`Row::sample_counts`] says. A report that does not
    /// tell what failed, or what had not ended, may leave those out of its times.
    pub(crate) fn samples_are_told(&self) -> bool {
        let ended = self.counts.ok.is_some() && self.counts.failed.is_some();
        self.times.tool_is_known() || self.times.samples.is_some() || ended
    }

    /// The smallest number of samples that its times can be of, by sense where it is not told: a tenth of what was
    /// started where it is told what failed, else a hundredth.
    pub(crate) fn fewest_samples(&self) -> f64 {
        let known = self.sample_counts().first().copied().unwrap_or(0.0);
        match &self.counts.failed {
            _ if self.samples_are_told() => known,
            Some(_) => known / 10.0,
            None => known / 100.0,
        }
    }

    /// The time that is published for quantile `q`.
    pub fn percentile(&self, q: f64) -> Option<&Figure> {
        let mut all = self.times.percentiles.iter();
        all.find(|(of, _)| (of - q).abs() < 1e-9)
            .map(|(_, time)| time)
    }
}

/// All whole numbers that it can be, if they are few.
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
    /// Whether anything is published.
    pub fn is_empty(&self) -> bool {
        self.mean.is_none() && self.max.is_none() && self.percentiles.is_empty()
    }

    /// Whether it is known how they were kept and printed, which is then in their slack.
    pub(crate) fn tool_is_known(&self) -> bool {
        self.resolution == 0.0
    }

    /// Every time with its name, the deviation left out.
    pub fn each(&self) -> impl Iterator<Item = (String, &Figure)> {
        let named = [("min", &self.min), ("mean", &self.mean), ("max", &self.max)];
        let single = named
            .into_iter()
            .filter_map(|(name, time)| Some((name.to_owned(), time.as_ref()?)));
        let listed = self.percentiles.iter();
        single.chain(listed.map(|(q, time)| (crate::number::percentile(*q), time)))
    }
}
