//! Reads the text output of oha, and that of hey, after which oha's was modelled. Neither counts a server error as a
//! failure.

use super::pieces::{line, printed_time};
use super::source::Source;
use crate::figure::Figure;
use crate::results::{Counts, Level, Results, Row, Times};

/// Whether the text is oha's output.
pub(super) fn is(text: &str) -> bool {
    line(text, "Success rate:").is_some() && line(text, "Slowest:").is_some()
}

/// Whether the text is hey's output.
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
        // In some versions, the rate includes requests that the end of the run aborted, but the status codes do not.
        rate_per_s: source.number("Requests/sec:").map(|rate| Figure {
            slack: rate.value * 0.01,
            ..rate
        }),
        times: Times {
            min: source.time("Fastest:"),
            mean: source.time("Average:"),
            max: source.time("Slowest:"),
            percentiles: percentiles(source),
            undefined: undefined(source),
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

/// Reads the success rate: `100.00%`, or `1.0000` as printed by 0.5.4.
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

/// Reads a percentile: `99.00% in 7.8874 ms`, or `99%% in 0.0023 secs` as printed by hey 0.1.5.
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

/// Returns the place of the first time that is printed as NaN. hey prints NaN if no request received a response.
fn undefined(source: Source<'_>) -> Option<String> {
    let is_time = |line: &str| {
        let named = ["Slowest:", "Fastest:", "Average:"];
        named.iter().any(|name| line.starts_with(name)) || line.contains("% in ")
    };
    let mut lines = source.text.lines().map(str::trim);
    let index = lines
        .position(|line| is_time(line) && line.split_whitespace().any(|word| word == "NaN"))?;
    Some(source.place(index + 1))
}

/// Reads the count of a status code: `[200] 48824 responses`.
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
