//! The values that the target's Prometheus endpoint reported in the measured time.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::Nanos;
use plan::Watch;
use probe::{Exposition, ProcessFigures};
use record::{Scrapes, TargetEnd, TargetSample, TargetUse, WatchedMetric};
use url::Url;

use super::endpoint::Answer;
use super::use_of_process::{growth, seconds};

/// Maximum number of series that are stored. One name may select thousands.
const MOST_SERIES: usize = 200;
/// A start time that moved by more than this means a restart. Smaller changes occur because client libraries recompute
/// the start time from rounded clocks.
const RESTART_S: f64 = 2.0;

#[derive(Debug, Default)]
pub(super) struct Scraped {
    asked: u64,
    failed: u64,
    first_failure: Option<String>,
    figures: Vec<(Nanos, ProcessFigures)>,
    series: BTreeMap<String, Series>,
    left_out: u64,
}

#[derive(Debug, Default)]
struct Series {
    counts: bool,
    values: Vec<(Nanos, f64)>,
}

impl Scraped {
    pub(super) fn add(&mut self, answer: Answer, watch: &Watch) {
        self.asked += 1;
        match answer.result {
            Ok(exposition) => {
                self.figures
                    .push((answer.at, ProcessFigures::of(&exposition)));
                self.keep(&exposition, answer.at, watch);
            }
            Err(fault) => {
                self.failed += 1;
                self.first_failure.get_or_insert(fault.to_string());
            }
        }
    }

    fn keep(&mut self, exposition: &Exposition, at: Nanos, watch: &Watch) {
        let mut left_out = 0;
        for sample in &exposition.samples {
            if !sample.value.is_finite() || !watch.keeps(&sample.name) {
                continue;
            }
            let name = format!("{}{}", sample.name, sample.labels);
            if self.series.len() >= MOST_SERIES && !self.series.contains_key(&name) {
                left_out += 1;
                continue;
            }
            let series = self.series.entry(name).or_default();
            series.counts = sample.counts;
            series.values.push((at, sample.value));
        }
        self.left_out = self.left_out.max(left_out);
    }

    /// Whether the endpoint reports on its process.
    pub(super) fn tells_of_a_process(&self) -> bool {
        let says = |figures: &ProcessFigures| figures.cpu_seconds.or(figures.memory).is_some();
        self.figures.iter().any(|(_, figures)| says(figures))
    }

    /// The start time of the endpoint's process, in seconds of the Unix epoch.
    pub(super) fn process_started_at(&self) -> Option<f64> {
        self.figures.last()?.1.started_at
    }

    pub(super) fn scrapes(&self, url: &Url) -> Scrapes {
        Scrapes {
            url: url.to_string(),
            asked: self.asked,
            failed: self.failed,
            first_failure: self.first_failure.clone(),
            series_left_out: self.left_out,
        }
    }

    /// The figures of the process.
    pub(super) fn target(&self, started: Nanos) -> TargetUse {
        let last = self.figures.last().map(|(_, figures)| figures.clone());
        let last = last.unwrap_or_default();
        let runtime = last.runtime.unzip();
        let memory: Vec<(f64, f64)> = self
            .each(|figures| figures.memory)
            .map(|(at, bytes)| (at.as_secs_f64(), bytes))
            .collect();
        let megabytes = |look: &(f64, f64)| look.1 / 1e6;
        let ends = self.restarts(started);
        let descriptors = most(self.each(|figures| figures.descriptors));
        let limit = last.descriptor_limit;
        TargetUse {
            runtime: runtime.0.map(str::to_owned),
            runtime_version: runtime.1.flatten(),
            cpu_percent: self.cpu_percent(),
            memory_mb_start: memory.first().map(megabytes),
            memory_mb_end: memory.last().map(megabytes),
            memory_mb_max: memory.iter().map(megabytes).reduce(f64::max),
            memory_growth: ends.is_empty().then(|| growth(&memory)).flatten(),
            threads: most(self.each(|figures| figures.threads)).map(whole),
            descriptors: descriptors.map(whole),
            descriptor_limit: limit.map(whole),
            descriptors_used_percent: last
                .descriptors
                .zip(limit.filter(|limit| *limit > 0.0))
                .map(|(open, limit)| open / limit * 100.0),
            ends,
            samples: self.samples(started),
            ..TargetUse::default()
        }
    }

    fn each(
        &self,
        pick: impl Fn(&ProcessFigures) -> Option<f64>,
    ) -> impl Iterator<Item = (Nanos, f64)> {
        self.figures
            .iter()
            .filter_map(move |(at, figures)| Some((*at, pick(figures)?)))
    }

    /// The CPU time used between each two consecutive responses. Intervals with a restart are left out.
    fn cpu_steps(&self) -> Vec<(Nanos, Nanos, f64)> {
        let seconds: Vec<(Nanos, f64)> = self.each(|figures| figures.cpu_seconds).collect();
        let steps = seconds.windows(2).filter_map(|pair| {
            let (over, used) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            (over > Nanos::ZERO && used >= 0.0).then_some((pair[1].0, over, used))
        });
        steps.collect()
    }

    fn cpu_percent(&self) -> Option<f64> {
        let steps = self.cpu_steps();
        let over: f64 = steps.iter().map(|(_, over, _)| over.as_secs_f64()).sum();
        let used: f64 = steps.iter().map(|(_, _, used)| used).sum();
        (over > 0.0).then(|| used / over * 100.0)
    }

    fn samples(&self, started: Nanos) -> Vec<TargetSample> {
        let steps = self.cpu_steps();
        let sample = |(at, figures): &(Nanos, ProcessFigures)| {
            let step = steps.binary_search_by_key(at, |(at, ..)| *at).ok();
            TargetSample {
                at_s: seconds(*at, started),
                cpu_percent: step.map(|step| {
                    let (_, over, used) = steps[step];
                    used / over.as_secs_f64() * 100.0
                }),
                memory_mb: figures.memory.map(|bytes| bytes / 1e6),
                threads: figures.threads.map(whole),
                descriptors: figures.descriptors.map(whole),
                ..TargetSample::default()
            }
        };
        self.figures.iter().map(sample).collect()
    }

    /// The restarts, recognised by a start time that moved.
    fn restarts(&self, started: Nanos) -> Vec<TargetEnd> {
        let starts: Vec<(Nanos, f64)> = self.each(|figures| figures.started_at).collect();
        let moved = starts
            .windows(2)
            .filter(|pair| pair[1].1 > pair[0].1 + RESTART_S);
        let end = |pair: &[(Nanos, f64)]| TargetEnd {
            at_s: seconds(pair[1].0, started),
            next_at_s: Some(seconds(pair[1].0, started)),
            ..TargetEnd::default()
        };
        moved.map(end).collect()
    }

    /// The series that the scenario selects.
    pub(super) fn metrics(&self, started: Nanos) -> BTreeMap<String, WatchedMetric> {
        let entries = self.series.iter();
        entries
            .map(|(name, series)| (name.clone(), series.close(started)))
            .collect()
    }
}

impl Series {
    fn close(&self, started: Nanos) -> WatchedMetric {
        let points = if self.counts {
            self.rates()
        } else {
            self.values.clone()
        };
        let values = || points.iter().map(|(_, value)| *value);
        let increase = self.increase();
        let mean = if self.counts {
            increase.zip(self.over()).map(|(sum, over)| sum / over)
        } else {
            Some(values().sum::<f64>() / points.len() as f64).filter(|mean| mean.is_finite())
        };
        WatchedMetric {
            rate: self.counts,
            increase: increase.filter(|_| self.counts),
            mean,
            min: values().reduce(f64::min),
            max: values().reduce(f64::max),
            last: values().next_back(),
            series: points
                .iter()
                .map(|(at, value)| (seconds(*at, started), *value))
                .collect(),
        }
    }

    fn over(&self) -> Option<f64> {
        let over = self.values.last()?.0 - self.values.first()?.0;
        Some(over.as_secs_f64()).filter(|over| *over > 0.0)
    }

    /// The increase from one value to the next. A value that falls has started again from zero.
    fn gains(&self) -> impl Iterator<Item = (Nanos, Nanos, f64)> {
        self.values.windows(2).map(|pair| {
            let gain = pair[1].1 - pair[0].1;
            let gain = if gain < 0.0 { pair[1].1 } else { gain };
            (pair[1].0, pair[1].0 - pair[0].0, gain)
        })
    }

    fn increase(&self) -> Option<f64> {
        (self.values.len() > 1).then(|| self.gains().map(|(_, _, gain)| gain).sum())
    }

    fn rates(&self) -> Vec<(Nanos, f64)> {
        let gains = self.gains().filter(|(_, over, _)| *over > Nanos::ZERO);
        gains
            .map(|(at, over, gain)| (at, gain / over.as_secs_f64()))
            .collect()
    }
}

fn most(values: impl Iterator<Item = (Nanos, f64)>) -> Option<f64> {
    values.map(|(_, value)| value).reduce(f64::max)
}

/// Prometheus reports counts as floating-point numbers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "finite and not negative, and a cast saturates"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}
