//! Computes rows from individual samples. Includes only the percentiles that the number of samples supports.

use std::collections::BTreeMap;

use stats::Values;

use crate::figure::Figure;
use crate::results::{Counts, Row, Times};

/// The samples of one operation. Memory use does not grow with their number.
#[derive(Debug, Default)]
pub(super) struct Samples {
    times_ms: Values,
    failed: u64,
    kinds: BTreeMap<String, u64>,
    /// Start of the first sample and end of the last one, in milliseconds.
    span: Option<(f64, f64)>,
}

/// Samples, keyed by the name of their operation. If URLs contain numbers, every sample may have a new name. Names
/// beyond the first thousand therefore share one row, so that memory use does not grow with the file.
#[derive(Debug, Default)]
pub(super) struct Named(BTreeMap<String, Samples>);

impl Named {
    const MOST: usize = 1000;
    const OTHERS: &str = "all other names";

    /// Adds a sample of the operation called `name`.
    pub(super) fn note(
        &mut self,
        name: &str,
        began_ms: f64,
        took_ms: f64,
        failure: Option<String>,
    ) {
        let room = self.0.len() < Self::MOST || self.0.contains_key(name);
        let name = if room { name } else { Self::OTHERS };
        // Looking up the borrowed name first allocates it once per name, not once per sample.
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), Samples::default());
        }
        if let Some(samples) = self.0.get_mut(name) {
            samples.note(began_ms, took_ms, failure);
        }
    }

    pub(super) fn rows(&self, at: &str, resolution_ms: f64) -> Vec<Row> {
        let row = |(name, samples): (&String, &Samples)| samples.row(name, at, resolution_ms);
        self.0.iter().map(row).collect()
    }
}

impl Samples {
    /// Maximum number of failure kinds. Further kinds are counted together.
    const KINDS: usize = 100;

    /// Adds a sample that began at `began_ms`. The clock may have any origin.
    pub(super) fn note(&mut self, began_ms: f64, took_ms: f64, failure: Option<String>) {
        self.times_ms.record(took_ms);
        let (first, last) = self.span.unwrap_or((began_ms, began_ms));
        self.span = Some((first.min(began_ms), last.max(began_ms + took_ms)));
        if let Some(kind) = failure {
            self.failed += 1;
            let room = self.kinds.len() < Self::KINDS || self.kinds.contains_key(&kind);
            let kind = if room { kind } else { "others".to_owned() };
            *self.kinds.entry(kind).or_default() += 1;
        }
    }

    /// Returns the time from the first start to the last end, in seconds.
    pub(super) fn duration_s(&self) -> Option<f64> {
        self.span.map(|(first, last)| (last - first) / 1000.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.times_ms.count() == 0
    }

    pub(super) fn row(&self, name: &str, at: &str, resolution_ms: f64) -> Row {
        /// The relative error of a histogram with three digits.
        const SHARE: f64 = 0.001;
        let times = &self.times_ms;
        let count = times.count();
        let exact = |value: f64| Figure::exact(value, at);
        let time = |value: f64| Figure::rounded(value, resolution_ms, at);
        let listed = |value: f64| Figure::rounded(value, resolution_ms + SHARE * value.abs(), at);
        let carried = stats::REPORTED
            .iter()
            .filter_map(|percentile| Some((percentile.q, listed(times.stated(percentile.q)?))));
        Row {
            name: name.to_owned(),
            at: at.to_owned(),
            times: Times {
                min: times.min().map(time),
                mean: times.mean().map(time),
                max: times.max().map(time),
                percentiles: carried.collect(),
                samples: Some(exact(count as f64)),
                ..Times::default()
            },
            counts: Counts {
                sent: Some(exact(count as f64)),
                failed: Some(exact(self.failed as f64)),
                ok: Some(exact(count.saturating_sub(self.failed) as f64)),
                failures: self
                    .kinds
                    .iter()
                    .map(|(kind, count)| (kind.clone(), exact(*count as f64)))
                    .collect(),
                ..Counts::default()
            },
            ..Row::default()
        }
    }
}
