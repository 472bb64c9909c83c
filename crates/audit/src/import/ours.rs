//! Reads a `run.json` of headcount. Its histograms have three significant digits.

use record::{Level as Recorded, Timings};
use stats::Histogram;

use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Results, Row, Times};

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let run = record::from_json(source.text)
        .map_err(|why| source.broken("a run.json of headcount", why.to_string()))?;
    let mut results = source.results("headcount run.json");
    results.levels = run.levels.iter().map(level).collect();
    Ok(results)
}

fn level(recorded: &Recorded) -> Level {
    let at = format!("levels[{}]", recorded.index);
    let measured = &recorded.measured;
    let mut rows = Vec::new();
    let families = [
        ("connections", &measured.connections),
        ("requests", &measured.requests),
        ("round_trips", &measured.round_trips),
        ("steps", &measured.steps),
    ];
    for (family, all) in families {
        rows.extend(
            all.iter().map(|(name, timings)| {
                row(name, timings, format!("{at}.measured.{family}.{name}"))
            }),
        );
    }
    for (name, deliveries) in &measured.deliveries {
        let at = format!("{at}.measured.deliveries.{name}");
        let count = |value: u64| Some(exact(value, &at));
        let lost = deliveries
            .lost
            .iter()
            .map(|(reason, lost)| (reason.id().to_owned(), exact(*lost, &at)));
        rows.push(Row {
            name: format!("delivery {name}"),
            at: at.clone(),
            counts: Counts {
                sent: count(deliveries.expected),
                ok: count(deliveries.received()),
                failed: count(deliveries.lost_count()),
                unfinished: count(deliveries.cut_off.count()),
                failures: lost.collect(),
                ..Counts::default()
            },
            times: times(&deliveries.latency, &at),
            ..Row::default()
        });
    }
    let generator = recorded.load.users;
    Level {
        name: format!("{generator} users"),
        users: Some(exact(generator, &at)),
        duration_s: Some(Figure::exact(recorded.phases.duration_s, at.clone()))
            .filter(|_| !recorded.load.once),
        at,
        rows,
        ..Level::default()
    }
}

fn row(name: &str, timings: &Timings, at: String) -> Row {
    let count = |value: u64| Some(exact(value, &at));
    Row {
        name: name.to_owned(),
        counts: Counts {
            sent: count(timings.count + timings.unfinished),
            unfinished: count(timings.unfinished),
            ok: count(timings.count.saturating_sub(timings.failed)),
            failed: count(timings.failed),
            ..Counts::default()
        },
        // Operations that timed out are not in the histogram, so its percentiles would cover only the others.
        times: if timings.timed_out == 0 {
            times(&timings.response, &at)
        } else {
            Times {
                samples: count(0),
                ..Times::default()
            }
        },
        at,
        ..Row::default()
    }
}

/// Adds only the percentiles that the number of samples supports, because the record states no others.
fn times(histogram: &Histogram, at: &str) -> Times {
    /// The relative error of three significant digits.
    const SHARE: f64 = 0.001;
    let time = |nanos: model::Nanos| {
        let ms = nanos.as_secs_f64() * 1e3;
        Figure::rounded(ms, ms * SHARE + 1e-6, at)
    };
    let count = histogram.count();
    let carried = stats::REPORTED
        .iter()
        .filter(|percentile| stats::needed_samples(percentile.q) <= count);
    Times {
        min: histogram.min().map(time),
        mean: histogram.mean().map(time),
        max: histogram.max().map(time),
        percentiles: carried
            .filter_map(|percentile| Some((percentile.q, time(histogram.quantile(percentile.q)?))))
            .collect(),
        samples: Some(exact(count, at)),
        ..Times::default()
    }
}

fn exact(value: u64, at: &str) -> Figure {
    Figure::exact(value as f64, at)
}
