//! Rows from single samples: their figures are worked out here, and only those that the samples carry.

use std::collections::BTreeMap;

use crate::{Counts, Figure, Row, Times};

/// Samples of one operation.
#[derive(Debug, Default)]
pub(super) struct Samples {
    times_ms: Vec<f64>,
    failed: u64,
    kinds: BTreeMap<String, u64>,
    /// When the first began and the last ended, in milliseconds.
    span: Option<(f64, f64)>,
}

impl Samples {
    /// Notes one that began at `began_ms`, on whatever clock.
    pub(super) fn note(&mut self, began_ms: f64, took_ms: f64, failure: Option<String>) {
        self.times_ms.push(took_ms);
        let (first, last) = self.span.unwrap_or((began_ms, began_ms));
        self.span = Some((first.min(began_ms), last.max(began_ms + took_ms)));
        if let Some(kind) = failure {
            self.failed += 1;
            *self.kinds.entry(kind).or_default() += 1;
        }
    }

    /// From the first start to the last end, in seconds.
    pub(super) fn duration_s(&self) -> Option<f64> {
        self.span.map(|(first, last)| (last - first) / 1000.0)
    }

    pub(super) fn row(mut self, name: &str, at: &str, resolution_ms: f64) -> Row {
        self.times_ms.sort_by(f64::total_cmp);
        let count = self.times_ms.len();
        let exact = |value: f64| Figure::exact(value, at);
        let time = |value: f64| Figure::rounded(value, resolution_ms, at);
        let carried = stats::REPORTED
            .iter()
            .filter(|percentile| stats::needed_samples(percentile.q) <= count as u64);
        let percentiles = carried.map(|percentile| {
            let rank = usize::try_from(stats::rank_of(count as u64, percentile.q)).unwrap_or(count);
            (percentile.q, time(self.times_ms[rank.max(1) - 1]))
        });
        Row {
            name: name.to_owned(),
            at: at.to_owned(),
            times: Times {
                min: self.times_ms.first().map(|value| time(*value)),
                mean: (count > 0).then(|| time(self.times_ms.iter().sum::<f64>() / count as f64)),
                max: self.times_ms.last().map(|value| time(*value)),
                percentiles: percentiles.collect(),
                ..Times::default()
            },
            counts: Counts {
                sent: Some(exact(count as f64)),
                failed: Some(exact(self.failed as f64)),
                ok: Some(exact(count as f64 - self.failed as f64)),
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
