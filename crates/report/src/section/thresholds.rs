//! The outcome of each threshold, with the observed figures.

use format::{Column, Row, Table, Tone};
use record::{Run, ThresholdResult};

use super::inconclusive::observed;
use super::{Block, Section, label_at};

/// The results of one threshold in all levels.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) tone: Tone,
    pub(crate) word: &'static str,
    pub(crate) text: String,
}

/// Returns one line per threshold, broken thresholds first. A line shows the first level that broke the threshold, or
/// otherwise the last observation.
pub(crate) fn lines(run: &Run) -> Vec<Line> {
    let mut conditions: Vec<(&str, &str)> = Vec::new();
    for result in &run.thresholds {
        let condition = (result.metric.as_str(), result.condition.as_str());
        if !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    let mut lines: Vec<Line> = conditions
        .into_iter()
        .filter_map(|of| line(run, of))
        .collect();
    lines.sort_by_key(|line| match line.tone {
        Tone::Bad => 0,
        Tone::Doubtful => 1,
        _ => 2,
    });
    lines
}

fn line(run: &Run, (metric, condition): (&str, &str)) -> Option<Line> {
    let of = |result: &&ThresholdResult| result.metric == metric && result.condition == condition;
    let mut results: Vec<&ThresholdResult> = run.thresholds.iter().filter(of).collect();
    results.sort_by_key(|result| result.level);
    let find = |held: Option<bool>| results.iter().find(|result| result.held == held).copied();
    let (told, tone, word) = find(Some(false))
        .map(|broken| (broken, Tone::Bad, "broken"))
        .or_else(|| find(None).map(|untold| (untold, Tone::Doubtful, "inconclusive")))
        .or_else(|| Some((last_of(run, &results)?, Tone::Good, "held")))?;
    let place = label_at(&run.levels, told.level);
    let observed = observed(run, told);
    // The reason for an inconclusive threshold may be long, so the place is in front of it.
    let text = match told.held {
        Some(_) => format!("{metric} {condition}: {observed} at {place}"),
        None => format!("{metric} {condition} at {place}: {observed}"),
    };
    Some(Line { tone, word, text })
}

/// Returns the result at the highest load that was judged. Levels that are not invalid are preferred.
fn last_of<'a>(run: &Run, results: &[&'a ThresholdResult]) -> Option<&'a ThresholdResult> {
    let is_usable = |result: &&&ThresholdResult| {
        let level = run.levels.iter().find(|level| level.index == result.level);
        level.is_some_and(|level| !level.is_invalid())
    };
    let usable = results.iter().rfind(is_usable);
    usable.or(results.last()).copied()
}

/// Builds the full table of thresholds.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let columns = vec![
        Column::name("metric"),
        Column::name("threshold"),
        Column::words("load"),
        Column::words("observed"),
        Column::words("outcome"),
    ];
    let row = |result: &ThresholdResult| {
        let outcome = match result.held {
            Some(true) => "held",
            Some(false) => "broken",
            None => "inconclusive",
        };
        let cells = [
            result.metric.clone(),
            result.condition.clone(),
            label_at(&run.levels, result.level),
            observed(run, result),
            outcome.to_owned(),
        ];
        Row::plain(cells.into_iter().map(Some).collect())
    };
    let table = Table::new(columns, run.thresholds.iter().map(row).collect());
    Section::unless_empty("Thresholds", vec![Block::Table(table)])
}
