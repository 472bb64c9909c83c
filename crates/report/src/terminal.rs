//! Renders one screen at the end of a run: the verdict first, then the most important parts that fit. Output that does
//! not go to a terminal is never cut.

mod brief;
mod code_frame;
mod frame;
mod page;
mod trouble;

use format::{Table, Tone, count, paint};
use record::{Level, Run};

use crate::section::levels::{self, Lead};
use crate::section::operations::Operations;
use crate::section::{
    counts, findings, funnel, marked, overstated_by, pass_rate, streams, verdict,
};
use frame::{foot, headline, notes, threshold_lines};
pub(crate) use page::Page;
use page::{NOTE, cut, cut_entries, cut_parts};

/// Options of the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal<'a> {
    /// Whether to use colours.
    pub colour: bool,
    /// Width of the terminal in characters. `None` for a file or a pipe, where lines are neither cut nor wrapped.
    pub width: Option<usize>,
    /// Whether the run was a trace (`run --trace`), which showed its requests and messages before. Only the outcome and
    /// the failures follow.
    pub trace: bool,
    /// Path of the saved record. `None` if it was not saved.
    pub saved_to: Option<&'a str>,
}

/// Number of lines reserved for failures and for findings, and of rows for streams and for the script's own metrics.
const FAILURES: usize = 8;
const FINDING: usize = 9;
const ROWS: usize = 6;

/// Description of hidden rows if all rows that failed and the slowest are shown.
const HEALTHY: &str = ", all faster and without failures";

/// Renders the result of a run, ending with a line break.
pub fn terminal(run: &Run, options: Terminal<'_>) -> String {
    let page = Page::new(options.colour, options.width);
    let parts = if options.trace {
        brief::of_trace(run, page)
    } else if brief::is_enough(run) {
        brief::parts(run, page)
    } else {
        parts(run, page)
    };
    let mut lines: Vec<String> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        lines.extend(part);
        lines.push(String::new());
    }
    if let Some(path) = options.saved_to {
        // The line with the path follows the last part without an empty line.
        lines.pop();
        lines.extend([page.labelled("saved", path), String::new()]);
    }
    lines.join("\n")
}

/// Returns the parts of the screen from top to bottom.
fn parts(run: &Run, page: Page) -> Vec<Vec<String>> {
    let head = head(run, page);
    let foot = foot(run, page);
    // The line with the saved path is always reserved, so that a loaded run renders like the original.
    let voices = last_level(run, ("Streams", "stream"), streams::of_level, page);
    let own = last_level(run, ("Own metrics", "metric"), counts::metrics_of, page);
    let operations = run.levels.last().map(Operations::of);
    let of_telling = lines_of_telling(operations.as_ref());
    let last = [&voices, &own].map(|part| part.len() + usize::from(!part.is_empty()));
    let kept = of_telling + last.iter().sum::<usize>();
    let left = |used: &[&[String]]| {
        let lines: usize = used.iter().map(|part| part.len() + 1).sum();
        page.lines.saturating_sub(lines + 1 + kept)
    };
    // The parts get the remaining lines in this order: thresholds, failures, findings, steps, names, metrics.
    let room = left(&[&head, &foot]).max(4) / 2;
    let verdicts = threshold_lines(run, room, page);
    let room = left(&[&head, &foot, &verdicts]).max(FAILURES);
    let failed = cut_parts(trouble::parts(run, page), room, "failure line");
    let found = finding_lines(run, page);
    let room = left(&[&head, &foot, &verdicts, &failed]).max(FINDING);
    let found = cut(found, room, "finding line");
    let used: [&[String]; 5] = [&head, &foot, &verdicts, &failed, &found];
    let steps = steps(run, left(&used), page);
    let used: [&[String]; 6] = [&head, &foot, &verdicts, &failed, &found, &steps];
    let names = by_name(run, operations, left(&used) + of_telling, page);
    vec![
        head, steps, names, voices, own, found, failed, verdicts, foot,
    ]
}

/// Returns the verdict, the notes and the table of levels.
fn head(run: &Run, page: Page) -> Vec<String> {
    let mut lines = headline(&verdict::headline(run), page);
    lines.extend(notes(&verdict::remarks(run), page));
    if run.levels.is_empty() {
        return lines;
    }
    let lead = Lead::of(run);
    lines.push(String::new());
    let about = format!("{}; {}", lead.rate_title(), lead.times_title());
    lines.push(page.title(&format!("Levels ({about})")));
    let table = levels::table(run, false);
    let unavailable = table.has_unavailable();
    lines.extend(page.table(table));
    if unavailable {
        lines.push(page.quiet(&too_few()));
    }
    if pass_rate::any(run) {
        let about = page.wrapped(pass_rate::ABOUT, 2, 2);
        lines.extend(about.iter().map(|line| page.quiet(line)));
    }
    if let Some(bound) = run.levels.iter().filter_map(overstated_by).max() {
        let bound = format!("times are up to {} too long", format::duration(bound));
        lines.push(page.quiet(&bound));
    }
    lines
}

fn too_few() -> String {
    let needs = [0.5, 0.95, 0.99].map(|q| count(stats::needed_samples(q)));
    let [p50, p95, p99] = needs;
    format!("n/a: too few samples; p50 needs {p50}, p95 {p95}, p99 {p99}")
}

/// Returns the steps of the last level and the first failures, as far as they fit.
fn steps(run: &Run, room: usize, page: Page) -> Vec<String> {
    let Some(last) = run.levels.last() else {
        return Vec::new();
    };
    // Without steps, the section of failures shows the same information.
    let told = |level: &Level| level.load.once || !level.measured.funnel.steps.is_empty();
    if !run.levels.iter().any(told) {
        return Vec::new();
    }
    let mut causes = first_failures(run, page);
    let unfinished = funnel::unfinished(run).into_iter();
    causes.extend(unfinished.map(|text| vec![format!("  {text}")]));
    let all = last.measured.funnel.steps.len();
    // Three lines are reserved: the title, the table's header, and the number of hidden steps.
    let causes = cut_entries(causes, ((room / 3).max(3), 1), "cause");
    let fitting = room.saturating_sub(3 + causes.len()).max(3);
    let mut lines = Vec::new();
    if all > 0 {
        lines.push(page.title(&format!("Steps at {} ({ITERATIONS})", marked(last))));
        let table = funnel::of_level(last, fitting);
        let shown = table.len();
        lines.extend(page.table(table));
        let hidden = page.hidden(all, shown, "step");
        lines.extend(hidden.map(|hidden| hidden + HEALTHY));
    }
    lines.extend(causes);
    lines
}

const ITERATIONS: &str = "iterations; percentiles cover those measured";

/// Returns the lines of each first failure.
fn first_failures(run: &Run, page: Page) -> Vec<Vec<String>> {
    let firsts = funnel::firsts(run);
    let lines = |first: &funnel::First<'_>| {
        let side = first.side().to_string();
        let mut lines = page.wrapped(&format!("first failure, {side}: {}", first.line()), 4, 2);
        // The side is coloured after wrapping, because colour codes would count as width.
        let painted = paint(&side, Tone::Bad, page.colour);
        lines[0] = format!("  {}", lines[0].trim_start()).replacen(&side, &painted, 1);
        lines
    };
    firsts.iter().map(lines).collect()
}

/// Returns the number of lines of the operations that are always shown, including the lines around them.
fn lines_of_telling(operations: Option<&Operations>) -> usize {
    let telling = operations.filter(|named| named.say_more());
    telling.map_or(0, |named| named.rows_of(named.telling()) + 4)
}

/// Builds the table of the named operations of the last level. Failing operations and the slowest are always shown.
fn by_name(run: &Run, operations: Option<Operations>, room: usize, page: Page) -> Vec<String> {
    let (Some(last), Some(operations)) = (run.levels.last(), operations) else {
        return Vec::new();
    };
    let all = operations.len();
    // Three lines are reserved: the title, the table's header, and the number of hidden operations.
    let fitting = operations.fitting(room.saturating_sub(3));
    let fitting = fitting.max(operations.telling());
    if !operations.say_more() {
        return Vec::new();
    }
    let rest = match operations.failing_beyond(fitting) {
        0 => HEALTHY.to_owned(),
        failing => format!(
            ", {} of them with failures or losses",
            count(failing as u64)
        ),
    };
    let table = operations.table(fitting);
    let order = if all > fitting {
        ", failing and slowest first"
    } else {
        ""
    };
    let mut lines = vec![page.title(&format!("By name at {}{order}", marked(last)))];
    lines.extend(page.table(table));
    let hidden = page.hidden(all, fitting, "name");
    lines.extend(hidden.map(|hidden| hidden + &rest));
    lines
}

/// Builds a table of the last level, with its title and the noun for a row.
fn last_level(
    run: &Run,
    (title, noun): (&str, &str),
    table: fn(&Level) -> Table,
    page: Page,
) -> Vec<String> {
    let Some(last) = run.levels.last() else {
        return Vec::new();
    };
    let mut table = table(last);
    if table.is_empty() {
        return Vec::new();
    }
    let all = table.len();
    let fitting = if page.is_cut() { ROWS } else { usize::MAX };
    table.truncate(fitting);
    let mut lines = vec![page.title(&format!("{title} at {}", marked(last)))];
    lines.extend(page.table(table));
    lines.extend(page.hidden(all, fitting, noun));
    lines
}

/// Returns the lines of the findings.
fn finding_lines(run: &Run, page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &run.findings {
        if lines.is_empty() {
            lines.push(page.title("Findings"));
        }
        lines.extend(finding_text(findings::lines(run, finding), page));
    }
    lines
}

/// Formats the lines of one finding: the cause, and below it evidence, open questions and next steps, each with its word.
pub(crate) fn finding_text(lines: Vec<findings::Line>, page: Page) -> Vec<String> {
    const WORD: usize = 11;
    let mut texts = Vec::new();
    for line in lines {
        let text = page.wrapped(&line.text, 4 + WORD, NOTE);
        let numbered = text.iter().map(|text| text.trim_start()).enumerate();
        texts.extend(numbered.map(|(number, text)| match (line.word, number) {
            ("", _) => format!("  {text}"),
            (word, 0) => {
                let word = paint(&format!("{word:<WORD$}"), Tone::Quiet, page.colour);
                format!("    {word}{text}")
            }
            _ => format!("    {:<WORD$}{text}", ""),
        }));
    }
    texts
}
