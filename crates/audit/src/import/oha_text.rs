//! The text of oha and of hey, which oha's was made after. Neither counts an error of the server as one of its own.

use super::Source;
use super::pieces::{line, printed_time};
use crate::{Counts, Figure, Level, Results, Row, Times};

/// oha's.
pub(super) fn is(text: &str) -> bool {
    line(text, "Success rate:").is_some() && line(text, "Slowest:").is_some()
}

/// hey's.
pub(super) fn is_hey(text: &str) -> bool {
    ["Slowest:", "Fastest:", "Latency distribution:"]
        .iter()
        .all(|start| line(text, start).is_some())
}

pub(super) fn read(source: Source<'_>, form: &'static str) -> Results {
    let codes = codes(source);
    let answered: f64 = codes.iter().map(|(_, count)| count.value).sum();
    let row = Row {
        at: source.name.to_owned(),
        counts: Counts {
            sent: (answered > 0.0).then(|| Figure::exact(answered, source.name)),
            failures: codes
                .into_iter()
                .filter(|(code, _)| code.as_str() >= "400")
                .collect(),
            success_percent: success(source),
            ..Counts::default()
        },
        // Requests that the end cut off are in the rate of some versions and not in the codes.
        rate_per_s: source.number("Requests/sec:").map(|rate| Figure {
            slack: rate.value * 0.01,
            ..rate
        }),
        times: Times {
            min: source.time("Fastest:"),
            mean: source.time("Average:"),
            max: source.time("Slowest:"),
            percentiles: percentiles(source),
            fixed_list: true,
            ..Times::default()
        },
        ..Row::default()
    };
    let mut results = source.results(form);
    results.levels.push(Level {
        name: "run".to_owned(),
        at: source.name.to_owned(),
        duration_s: source.seconds("Total:"),
        total: row,
        ..Level::default()
    });
    results
}

/// `100.00%`, and `1.0000` in 0.5.4.
fn success(source: Source<'_>) -> Option<Figure> {
    let told = source.number("Success rate:")?;
    let percent = line(source.text, "Success rate:").is_some_and(|(_, rest)| rest.ends_with('%'));
    let scale = if percent { 1.0 } else { 100.0 };
    Some(Figure {
        value: told.value * scale,
        slack: told.slack * scale,
        ..told
    })
}

/// `99.00% in 7.8874 ms`, and `99%% in 0.0023 secs` in hey 0.1.5.
fn percentiles(source: Source<'_>) -> Vec<(f64, Figure)> {
    let read = |(index, line): (usize, &str)| {
        let (percent, rest) = line.trim().split_once("% in ")?;
        let (value, slack) = printed_time(rest)?;
        Some((
            percent.trim_end_matches('%').parse::<f64>().ok()? / 100.0,
            Figure::rounded(value, slack, source.place(index + 1)),
        ))
    };
    source.text.lines().enumerate().filter_map(read).collect()
}

/// `[200] 48824 responses`
fn codes(source: Source<'_>) -> Vec<(String, Figure)> {
    let read = |(index, line): (usize, &str)| {
        let (code, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
        let count = rest
            .trim()
            .strip_suffix("responses")?
            .trim()
            .parse::<f64>()
            .ok()?;
        Some((
            code.to_owned(),
            Figure::exact(count, source.place(index + 1)),
        ))
    };
    source.text.lines().enumerate().filter_map(read).collect()
}
