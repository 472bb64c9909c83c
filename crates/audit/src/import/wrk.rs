//! Reads the output of wrk and wrk2. wrk is a closed loop of connections, but adds times of requests that it considers
//! missed (`stats_correct`). wrk does not print the number of added times. Little's law does not hold for added times.
//! wrk2 starts requests on a schedule and measures times from the planned start.

use super::pieces::{first_number, line, printed_time, step};
use super::source::Source;
use crate::figure::Figure;
use crate::import_error::ImportError;
use crate::results::{Counts, Level, Loop, Results, Row, Times};

pub(super) fn is(text: &str) -> bool {
    line(text, "Thread Stats").is_some() && line(text, "Requests/sec:").is_some()
}

pub(super) fn read(source: Source<'_>) -> Result<Results, ImportError> {
    let text = source.text;
    let planned = text.contains("HdrHistogram");
    let connections = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.trim_end().ends_with("connections"));
    let users = connections.and_then(|(index, line)| {
        let (_, count) = line.split_once(" and ")?;
        Some(Figure::exact(
            first_number(count)?.0,
            source.place(index + 1),
        ))
    });
    let whole = text
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(" requests in "));
    let Some((index, words)) = whole else {
        return Err(source.broken("wrk's output", "it has no line `N requests in T`"));
    };
    let (count, rest) = words.trim().split_once(" requests in ").unwrap_or_default();
    let sent = count
        .parse()
        .ok()
        .map(|count| Figure::exact(count, source.place(index + 1)));
    let span = rest.split(',').next().and_then(printed_time);
    let rate = line(text, "Requests/sec:").and_then(|(index, rest)| {
        let (value, slack) = first_number(rest)?;
        Some(Figure::rounded(value, slack, source.place(index)))
    });
    let failed = line(text, "Non-2xx or 3xx responses:")
        .and_then(|(index, rest)| Some(Figure::exact(rest.parse().ok()?, source.place(index))));
    let mut results = source.results(if planned { "wrk2 text" } else { "wrk text" });
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        users,
        duration_s: span.map(|(value, slack)| {
            Figure::rounded(value / 1e3, slack / 1e3, source.place(index + 1))
        }),
        shape: planned.then_some(Loop::Open),
        total: Row {
            at: source.name.to_owned(),
            counts: Counts {
                sent,
                failed,
                unanswered: unanswered(source),
                ..Counts::default()
            },
            rate_per_s: rate,
            times: times(source, planned),
            ..Row::default()
        },
        ..Level::default()
    });
    Ok(results)
}

/// The requests without a response, in the line `Socket errors: connect 0, read 4, write 0, timeout 2`. They are not
/// among wrk's requests. Its timeouts are: they are responses that came too late.
fn unanswered(source: Source<'_>) -> Option<Figure> {
    let (index, rest) = line(source.text, "Socket errors:")?;
    let count = |kind: &str| {
        let mut kinds = rest.split(',').map(str::trim);
        let count = kinds.find_map(|one| one.strip_prefix(kind))?;
        count.trim().parse::<f64>().ok()
    };
    let all = count("connect")? + count("read")? + count("write")?;
    Some(Figure::exact(all, source.place(index)))
}

fn times(source: Source<'_>, planned: bool) -> Times {
    let latency =
        line(source.text, "Latency ").filter(|(_, rest)| !rest.starts_with("Distribution"));
    let cell = |which: usize| {
        let (index, rest) = latency?;
        let (value, slack) = printed_time(rest.split_whitespace().nth(which)?)?;
        Some(Figure::rounded(value, slack, source.place(index)))
    };
    let lines = source.text.lines().enumerate();
    let percentiles = lines.filter_map(|(index, line)| {
        let (percent, rest) = line.trim().split_once('%')?;
        let percent: f64 = percent
            .parse()
            .ok()
            .filter(|percent| (0.0..100.0).contains(percent))?;
        let (value, slack) = printed_time(rest)?;
        // wrk2's histogram has three digits.
        let slack = if planned {
            slack + 0.001 * value
        } else {
            slack
        };
        Some((
            percent / 100.0,
            Figure::rounded(value, slack, source.place(index + 1)),
        ))
    });
    // wrk2 counts the requests of its calibration phase, but does not record their times.
    let samples = line(source.text, "#[Max").and_then(|(index, rest)| {
        let (_, count) = rest.split_once("Total count")?;
        let (count, _) = first_number(count)?;
        Some(Figure::exact(count, source.place(index)))
    });
    let mean = || {
        let (index, rest) = line(source.text, "#[Mean")?;
        let number = rest.trim_start_matches('=').trim().split(',').next()?;
        Some(Figure::rounded(
            number.parse().ok()?,
            step(number),
            source.place(index),
        ))
    };
    Times {
        mean: mean().or_else(|| cell(0)),
        stdev: cell(1),
        max: cell(2).map(|max| Figure {
            slack: max.slack + 0.001 * max.value,
            ..max
        }),
        percentiles: percentiles.collect(),
        samples_unknown: samples.is_none(),
        samples,
        fixed_list: true,
        ..Times::default()
    }
}
