//! The section about streams: whether they kept up, and when their results arrived.

use format::{Column, Row, Table, amount, count, estimate, part, visible};
use record::{Level, Run, Streams, Timings};

use super::timings::longest;
use super::{Block, Section, marked};

const ABOUT: &str = "rtf is the real-time factor: 1 means that replies came as fast as chunks were due, 0.4 that a \
    stream fell behind by 0.6 s per second. The lag is the time from the end of the audio to the last reply.";

/// Builds a table of the real-time factor and the lag, one of the chunks, and one of the results.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let pace = [
        "streams", "cut off", "failed", "rtf min", "rtf p5", "rtf p50", "lag p50", "lag p95",
        "lag max",
    ];
    let chunks = [
        "chunks",
        "answered",
        "unanswered",
        "dropped",
        "reordered",
        "surplus",
    ];
    let results = [
        "first results",
        "none",
        "p50",
        "p95",
        "final results",
        "none",
        "p50",
        "p95",
    ];
    let blocks = vec![
        Block::Text(ABOUT.to_owned()),
        Block::Table(table(run, &pace, pace_cells)),
        Block::Table(table(run, &chunks, chunk_cells)),
        Block::Table(table(run, &results, result_cells)),
    ];
    let any = run
        .levels
        .iter()
        .any(|level| !level.measured.streams.is_empty());
    Section::unless_empty("Streams", blocks).filter(|_| any)
}

/// Builds the table of one level, for the terminal.
pub(crate) fn of_level(level: &Level) -> Table {
    let columns = vec![
        Column::name("stream"),
        Column::number("streams").minor(3),
        Column::number("failed").minor(2),
        Column::number("rtf min"),
        Column::number("rtf p5").minor(4),
        Column::number("lag p95"),
        Column::number("first p95").minor(6),
        Column::number("final p95").minor(5),
        Column::number("unanswered"),
        Column::number("reordered").minor(1),
        Column::number("surplus").minor(1),
    ];
    let rows = level.measured.streams.iter().map(|(name, one)| {
        let factor = &one.real_time_factor;
        let p95 = |timings: &Timings| {
            let any = timings.count + timings.unfinished > 0;
            any.then(|| estimate(timings.response_at(0.95), timings.timeout))
        };
        let parts = [one.unanswered, one.reordered, one.surplus];
        let cells = vec![
            Some(visible(name)),
            Some(count(one.count)),
            Some(part(one.failed, one.count)),
            factor.min().map(amount),
            factor.stated(0.05).map(amount),
            p95(&one.lag),
            p95(&one.first),
            p95(&one.last),
        ];
        let parts = parts.map(|number| Some(part(number, one.chunks)));
        Row::plain([cells, parts.to_vec()].concat())
    });
    Table::new(columns, rows.collect())
}

fn table(run: &Run, titles: &[&'static str], cells: fn(&Streams) -> Vec<Option<String>>) -> Table {
    let mut rows: Vec<(&String, Row)> = Vec::new();
    for level in &run.levels {
        for (name, one) in &level.measured.streams {
            let cells = cells(one);
            // Streams without awaited results have no row of results.
            if cells.iter().any(Option::is_some) {
                let head = vec![Some(name.clone()), Some(marked(level))];
                rows.push((name, Row::plain([head, cells].concat())));
            }
        }
    }
    // The sort is stable, so the levels of a stream stay in order.
    rows.sort_by_key(|&(name, _)| name);
    let head = vec![Column::name("stream"), Column::words("load")];
    let columns = titles.iter().copied().map(Column::number);
    let rows = rows.into_iter().map(|(_, row)| row);
    Table::new(head.into_iter().chain(columns).collect(), rows.collect())
}

fn pace_cells(one: &Streams) -> Vec<Option<String>> {
    let factor = &one.real_time_factor;
    let lag = |q| Some(estimate(one.lag.response_at(q), one.lag.timeout));
    vec![
        Some(count(one.count)),
        Some(part(one.cut_off, one.count)),
        Some(part(one.failed, one.count)),
        factor.min().map(amount),
        factor.stated(0.05).map(amount),
        factor.stated(0.5).map(amount),
        lag(0.5),
        lag(0.95),
        longest(&one.lag),
    ]
}

fn chunk_cells(one: &Streams) -> Vec<Option<String>> {
    let parts = [
        one.answered,
        one.unanswered,
        one.dropped,
        one.reordered,
        one.surplus,
    ];
    let parts = parts.map(|number| Some(part(number, one.chunks)));
    [vec![Some(count(one.chunks))], parts.to_vec()].concat()
}

fn result_cells(one: &Streams) -> Vec<Option<String>> {
    let cells = |timings: &Timings| {
        let all = timings.count + timings.unfinished;
        let at = |q| estimate(timings.response_at(q), timings.timeout);
        let arrived = timings.count - timings.failed;
        let missing = part(all - arrived, all);
        [count(arrived), missing, at(0.5), at(0.95)].map(|cell| Some(cell).filter(|_| all > 0))
    };
    [cells(&one.first), cells(&one.last)].concat()
}
