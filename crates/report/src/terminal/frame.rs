//! The beginning and the end of every screen: the verdict and the notes, the thresholds, the target and the generator.

use format::paint;
use record::{Level, Run, Validity};

use super::page::{NOTE, Page};
use crate::section::{label, resources, setup, target, thresholds, verdict};

/// Maximum number of lines for all notes together.
const NOTES: usize = 8;

/// Formats the verdict and the first sentence.
pub(super) fn headline(run: &Run, page: Page) -> Vec<String> {
    let headline = verdict::headline(run);
    let first = paint(headline.verdict, headline.tone, page.colour);
    let whole = format!("{}{}", headline.verdict, headline.sentence);
    let mut lines = page.wrapped(&whole, 0, NOTE);
    // The first word is coloured after wrapping, because colour codes would count as width.
    lines[0] = lines[0].replacen(headline.verdict, &first, 1);
    lines
}

/// Returns the lines about setup, target and generator.
pub(super) fn foot(run: &Run, page: Page) -> Vec<String> {
    let setup = setup::line(run).into_iter();
    let mut lines: Vec<String> = setup
        .flat_map(|line| page.labelled_lines("setup", &line, NOTE))
        .collect();
    if let Some(last) = run.levels.last() {
        lines.extend(health(last, page));
    }
    lines
}

/// Returns as many whole notes as fit. A note is never cut, because it ends with the next step.
pub(super) fn notes(remarks: &[String], page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for (told, remark) in remarks.iter().enumerate() {
        let note = page.labelled_lines("note", remark, NOTE);
        let last = remarks.len() == told + 1;
        let room = if page.is_cut() { NOTES } else { usize::MAX };
        if told > 0 && lines.len() + note.len() + usize::from(!last) > room {
            lines.push(format!(
                "  and {} more notes in the full report",
                remarks.len() - told
            ));
            break;
        }
        lines.extend(note);
    }
    lines
}

/// Returns the lines of the thresholds.
pub(super) fn threshold_lines(run: &Run, page: Page) -> Vec<String> {
    const WORD: usize = 12;
    let told = thresholds::lines(run);
    let lines = told.into_iter().flat_map(|line| {
        let word = paint(&format!("{:<WORD$}", line.word), line.tone, page.colour);
        let text = page.wrapped(&line.text, WORD + 4, NOTE);
        let text = text.into_iter().enumerate();
        let lines: Vec<String> = text
            .map(|(number, text)| match number {
                0 => format!("  {word}  {}", text.trim_start()),
                _ => text,
            })
            .collect();
        lines
    });
    let mut lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        lines.insert(0, page.title("Thresholds"));
    }
    lines
}

/// Returns the lines about the target and the generator in the last level.
fn health(last: &Level, page: Page) -> Vec<String> {
    let at = label(&last.load);
    let told = |text: String| match text.as_str() {
        "" => text,
        _ => format!(": {text}"),
    };
    let mut lines = Vec::new();
    if let Some(target) = &last.target {
        let figures = told(target::line(target));
        let text = format!("{} at {at}{figures}", target::name(target));
        lines.extend(page.labelled_lines("target", &text, NOTE));
    }
    let health = match last.validity() {
        Validity::Valid => "healthy",
        Validity::Questionable => "questionable",
        Validity::Invalid => "INVALID",
    };
    let text = format!("{health} at {at}{}", told(resources::generator_line(last)));
    lines.extend(page.labelled_lines("generator", &text, NOTE));
    lines
}
