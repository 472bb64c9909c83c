//! One screen at the end of a run: the verdict first, then the most important parts that fit.

use format::{Tone, count, paint, share, shorten, wrap};
use record::{Level, Run, Validity};

use crate::deliveries::missing_deliveries;
use crate::section::failures::{self, Group};
use crate::section::levels::{self, Lead};
use crate::section::{
    ERROR, deliveries, error_bound, findings, funnel, label, marked, pass_rate, resources, setup,
    target, thresholds, timings, verdict,
};

/// Options of the terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal<'a> {
    /// Whether to use colours.
    pub colour: bool,
    /// Path of the saved record, if it was saved.
    pub saved_to: Option<&'a str>,
}

/// Number of lines of a screen.
const SCREEN: usize = 40;
/// Maximum number of lines of one note, and of all notes.
const NOTE: usize = 3;
const NOTES: usize = 8;
/// Number of lines reserved for findings.
const FINDING: usize = 9;
/// Maximum width of free text, in characters, so that a line does not wrap.
const WIDTH: usize = 110;

/// Renders the result of a run on one screen, ending with a line break.
pub fn terminal(run: &Run, options: Terminal<'_>) -> String {
    let colour = options.colour;
    let mut lines = head(run, colour);
    let mut foot: Vec<String> = setup::line(run)
        .map(|line| labelled("setup", &shorten(&line, WIDTH + 40), colour))
        .into_iter()
        .collect();
    if let Some(last) = run.levels.last() {
        foot.extend(health(last, colour));
    }
    let verdicts = threshold_lines(run, colour);
    let failed = failure_lines(run, colour);
    // The line with the saved path is always reserved, so that a saved run renders as it did at first.
    let left = |used: &[&[String]]| {
        let lines: usize = used.iter().map(|part| part.len() + 1).sum();
        SCREEN.saturating_sub(lines + 1)
    };
    // The parts get the remaining lines by importance: thresholds, failures, findings, steps, names.
    let verdicts = cut(verdicts, left(&[&lines, &foot]).max(4) / 2, "thresholds");
    let failed = cut(
        failed,
        left(&[&lines, &foot, &verdicts]).max(4),
        "lines of failures",
    );
    let found = finding_lines(run, colour);
    let found = cut(
        found,
        left(&[&lines, &foot, &verdicts, &failed]).max(FINDING),
        "lines of findings",
    );
    let used: [&[String]; 5] = [&lines, &foot, &verdicts, &failed, &found];
    let steps = steps(run, left(&used), colour);
    let used: [&[String]; 6] = [&lines, &foot, &verdicts, &failed, &found, &steps];
    let names = named(run, left(&used), colour);
    if let Some(path) = options.saved_to {
        foot.push(labelled("saved", path, colour));
    }
    for part in [steps, names, found, failed, verdicts, foot] {
        if !part.is_empty() {
            lines.push(String::new());
            lines.extend(part);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The verdict, notes and the table of levels.
fn head(run: &Run, colour: bool) -> Vec<String> {
    let headline = verdict::headline(run);
    let first = paint(headline.verdict, headline.tone, colour);
    let mut lines = vec![format!("{first}{}", headline.sentence)];
    lines.extend(notes(&verdict::remarks(run), colour));
    if run.levels.is_empty() {
        return lines;
    }
    let lead = Lead::of(run);
    lines.push(String::new());
    let about = format!("{}; {}", lead.rate_title(), lead.times_title());
    lines.push(paint(&format!("Levels ({about})"), Tone::Strong, colour));
    let table = levels::table(run, false);
    lines.extend(table.text(colour));
    if table.has_unavailable() {
        lines.push(paint(&too_few(), Tone::Quiet, colour));
    }
    if pass_rate::any(run) {
        let about = wrap(pass_rate::ABOUT, WIDTH, 2);
        lines.extend(
            about
                .iter()
                .map(|line| paint(&format!("  {line}"), Tone::Quiet, colour)),
        );
    }
    if run.levels.iter().any(|level| error_bound(level).is_some()) {
        lines.push(paint(&format!("  {ERROR}"), Tone::Quiet, colour));
    }
    lines
}

/// Shows complete notes only, as many as fit: a note ends with what to do.
fn notes(remarks: &[String], colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (told, remark) in remarks.iter().enumerate() {
        let note = wrap(remark, WIDTH, NOTE);
        let last = remarks.len() == told + 1;
        if told > 0 && lines.len() + note.len() + usize::from(!last) > NOTES {
            lines.push(format!(
                "  and {} more notes in the full report",
                remarks.len() - told
            ));
            break;
        }
        let label = |line: &usize| if *line == 0 { "note" } else { "" };
        let note = note.iter().enumerate();
        lines.extend(note.map(|(line, text)| labelled(label(&line), text, colour)));
    }
    lines
}

fn too_few() -> String {
    let needs = [0.5, 0.95, 0.99].map(|q| count(stats::needed_samples(q)));
    let [p50, p95, p99] = needs;
    format!("  n/a: too few samples; p50 needs {p50}, p95 {p95}, p99 {p99}")
}

/// The steps of the last level and the first failures, as far as they fit.
fn steps(run: &Run, room: usize, colour: bool) -> Vec<String> {
    let Some(last) = run.levels.last() else {
        return Vec::new();
    };
    // Without steps, the section of failures shows the same.
    let told = |level: &Level| level.load.once || !level.measured.funnel.steps.is_empty();
    if !run.levels.iter().any(told) {
        return Vec::new();
    }
    let mut causes = first_failures(run, colour);
    causes.extend(
        funnel::unfinished(run)
            .iter()
            .map(|text| format!("  {text}")),
    );
    let all = last.measured.funnel.steps.len();
    // Three lines are reserved: the title, the table's header, and the number of hidden steps.
    let causes = cut(causes, (room / 3).max(3), "causes");
    let fitting = room.saturating_sub(3 + causes.len()).max(3);
    let mut lines = Vec::new();
    if all > 0 {
        let table = funnel::of_level(last, fitting);
        let title = format!("Steps at {} ({ITERATIONS})", marked(last));
        lines.push(paint(&title, Tone::Strong, colour));
        lines.extend(table.text(colour));
    }
    if all > fitting {
        let more = format!("  and {} more in the full report", all - fitting);
        lines.push(paint(&more, Tone::Quiet, colour));
    }
    lines.extend(causes);
    lines
}

const ITERATIONS: &str = "iterations; percentiles cover all that began the step";

fn first_failures(run: &Run, colour: bool) -> Vec<String> {
    let firsts = funnel::firsts(run);
    let line = |first: &funnel::First<'_>| {
        let side = paint(&first.side().to_string(), Tone::Bad, colour);
        format!("  first failed, {side}: {}", shorten(&first.line(), WIDTH))
    };
    firsts.iter().map(line).collect()
}

/// Table of the named operations of the last level, if at least a few fit.
fn named(run: &Run, room: usize, colour: bool) -> Vec<String> {
    let Some(last) = run.levels.last() else {
        return Vec::new();
    };
    let mut table = timings::of_level(last);
    let all = table.len();
    // Three lines are reserved: the title, the table's header, and the number of hidden rows.
    let fitting = room.saturating_sub(3);
    if all < 2 || fitting < 3 {
        return Vec::new();
    }
    table.truncate(fitting);
    let error = error_bound(last).map_or(String::new(), |error| format!(", error {error}"));
    let title = format!("By name at {}{error}", marked(last));
    let mut lines = vec![paint(&title, Tone::Strong, colour)];
    lines.extend(table.text(colour));
    if all > fitting {
        let more = format!("  and {} more in the full report", all - fitting);
        lines.push(paint(&more, Tone::Quiet, colour));
    }
    lines
}

fn failure_lines(run: &Run, colour: bool) -> Vec<String> {
    let groups = failures::groups(run);
    let mut lines: Vec<String> = Vec::new();
    if !groups.is_empty() {
        lines.push(paint("Failures", Tone::Strong, colour));
        lines.extend(groups.iter().flat_map(|group| failure(group, colour)));
    }
    lines.extend(missing_deliveries(run, WIDTH, colour));
    lines.extend(broken_checks(run, colour));
    lines.extend(converged(run, colour));
    let Some(last) = run.levels.iter().rfind(|level| !level.is_invalid()) else {
        return lines;
    };
    let lead = Lead::of(run);
    for none in [
        failures::none_failed(last, lead),
        deliveries::none_lost(last),
    ]
    .into_iter()
    .flatten()
    {
        lines.push(paint(&none, Tone::Quiet, colour));
    }
    lines
}

/// Lines of the findings.
fn finding_lines(run: &Run, colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &run.findings {
        if lines.is_empty() {
            lines.push(paint("Findings", Tone::Strong, colour));
        }
        for line in findings::lines(run, finding) {
            let text = wrap(&line.text, WIDTH - 12, NOTE);
            lines.extend(
                text.iter()
                    .enumerate()
                    .map(|(number, text)| match (line.word, number) {
                        ("", _) => format!("  {text}"),
                        (word, 0) => format!(
                            "    {}{text}",
                            paint(&format!("{word:<11}"), Tone::Quiet, colour)
                        ),
                        _ => format!("    {:<11}{text}", ""),
                    }),
            );
        }
    }
    lines
}

fn broken_checks(run: &Run, colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for level in &run.levels {
        let checks = level.measured.checks.iter();
        for (name, check) in checks.filter(|(_, check)| check.failed > 0) {
            let word = paint("check", Tone::Bad, colour);
            let broken = share(check.failed, check.passed + check.failed);
            let at = label(&level.load);
            lines.push(format!(
                "  {word}: {}: {broken} failed at {at}",
                shorten(name, 60)
            ));
        }
    }
    lines
}

/// Lines about groups whose members have the same or different user states at the end.
fn converged(run: &Run, colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for level in &run.levels {
        for (name, all) in &level.measured.converged {
            let at = label(&level.load);
            let converged = share(all.converged, all.groups());
            let rest = match (all.diverged, all.unknown) {
                (0, 0) => String::new(),
                (diverged, 0) => format!("; {} diverged", count(diverged)),
                (0, unknown) => format!("; {} unknown", count(unknown)),
                (diverged, unknown) => {
                    format!("; {} diverged, {} unknown", count(diverged), count(unknown))
                }
            };
            let tone = if all.diverged > 0 {
                Tone::Bad
            } else {
                Tone::Quiet
            };
            let line = format!(
                "  {}: {converged} groups converged at {at}{rest}",
                shorten(name, 40)
            );
            lines.push(paint(&line, tone, colour));
        }
    }
    lines
}

fn failure(group: &Group<'_>, colour: bool) -> Vec<String> {
    let side = paint(&group.side.to_string(), Tone::Bad, colour);
    let head = format!("{}, {}: {}", group.kind, group.what, group.counts());
    let example = group.first;
    let detail = format!(
        "first: {} ({})",
        example.detail,
        failures::circumstances(example)
    );
    let mut lines = vec![
        format!("  {side}: {}", shorten(&head, WIDTH)),
        format!("    {}", shorten(&detail, WIDTH)),
    ];
    let frame = example.frame.iter().flat_map(|frame| frame.lines());
    lines.extend(
        frame
            .take(5)
            .map(|line| paint(&format!("    {line}"), Tone::Quiet, colour)),
    );
    lines
}

fn threshold_lines(run: &Run, colour: bool) -> Vec<String> {
    let told = thresholds::lines(run);
    let line = |line: thresholds::Line| {
        let word = paint(&format!("{:<12}", line.word), line.tone, colour);
        format!("  {word}  {}", shorten(&line.text, WIDTH))
    };
    let mut lines: Vec<String> = told.into_iter().map(line).collect();
    if !lines.is_empty() {
        lines.insert(0, paint("Thresholds", Tone::Strong, colour));
    }
    lines
}

/// Lines about target and generator at the last level.
fn health(last: &Level, colour: bool) -> Vec<String> {
    let at = label(&last.load);
    let told = |text: String| {
        if text.is_empty() {
            text
        } else {
            format!(": {text}")
        }
    };
    let mut lines = Vec::new();
    if let Some(target) = &last.target {
        let figures = told(target::line(target));
        let text = format!("{} at {at}{figures}", target::name(target));
        lines.push(labelled("target", &shorten(&text, WIDTH + 40), colour));
    }
    let health = match last.validity() {
        Validity::Valid => "healthy",
        Validity::Questionable => "questionable",
        Validity::Invalid => "INVALID",
    };
    let text = format!("{health} at {at}{}", told(resources::generator_line(last)));
    lines.push(labelled("generator", &shorten(&text, WIDTH + 40), colour));
    lines
}

fn labelled(label: &str, text: &str, colour: bool) -> String {
    format!(
        "{}  {text}",
        paint(&format!("{label:<9}"), Tone::Quiet, colour)
    )
}

/// Cuts to at most `room` lines. The last of them states how many are hidden.
fn cut(mut lines: Vec<String>, room: usize, what: &str) -> Vec<String> {
    if lines.len() > room {
        let left_out = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1));
        lines.push(format!("  and {left_out} more {what} in the full report"));
    }
    lines
}
