//! The beginning and the end of every screen: the verdict and the notes, the thresholds, the target and the generator.

use format::{Tone, paint};
use record::{Level, Run, Validity};

use super::page::{NOTE, Page, cut_entries};
use crate::section::verdict::Headline;
use crate::section::{label, resources, setup, target, thresholds};

/// Maximum number of lines for all notes together.
const NOTES: usize = 8;

/// Formats the verdict and the first sentence, which is never cut.
pub(super) fn headline(headline: &Headline, page: Page) -> Vec<String> {
    let first = paint(headline.verdict, headline.tone, page.colour);
    let whole = format!("{}{}", headline.verdict, headline.sentence);
    let mut lines = page.wrapped(&whole, 0, usize::MAX);
    // The first word is coloured after wrapping, because colour codes would count as width.
    lines[0] = lines[0].replacen(headline.verdict, &first, 1);
    lines
}

/// Returns the lines about setup, target and generator.
pub(super) fn foot(run: &Run, page: Page) -> Vec<String> {
    let mut lines = setup_lines(run, page);
    if let Some(last) = run.levels.last() {
        lines.extend(health(run, last, page));
    }
    lines
}

/// Returns the lines about setup.
pub(super) fn setup_lines(run: &Run, page: Page) -> Vec<String> {
    let setup = setup::line(run).into_iter();
    setup
        .flat_map(|line| page.labelled_lines("setup", &line, NOTE))
        .collect()
}

/// Returns as many whole notes as fit. A note is never cut, because it ends with the next step.
pub(super) fn notes(remarks: &[String], page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for (told, remark) in remarks.iter().enumerate() {
        let note = page.labelled_lines("note", remark, usize::MAX);
        let last = remarks.len() == told + 1;
        let room = if page.is_cut() { NOTES } else { usize::MAX };
        if told > 0 && lines.len() + note.len() + usize::from(!last) > room {
            lines.extend(page.hidden(remarks.len(), told, "note"));
            break;
        }
        lines.extend(note);
    }
    lines
}

/// Returns the thresholds that fit in `room` lines. Broken thresholds come first and are always shown.
pub(super) fn threshold_lines(run: &Run, room: usize, page: Page) -> Vec<String> {
    let told = thresholds::lines(run);
    let broken = told.iter().filter(|line| line.tone == Tone::Bad).count();
    let entries: Vec<Vec<String>> = told.iter().map(|line| threshold(line, page)).collect();
    if entries.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![page.title("Thresholds")];
    lines.extend(cut_entries(
        entries,
        (room.saturating_sub(1), broken.max(1)),
        "threshold",
    ));
    lines
}

fn threshold(line: &thresholds::Line, page: Page) -> Vec<String> {
    const WORD: usize = 12;
    let word = paint(&format!("{:<WORD$}", line.word), line.tone, page.colour);
    let mut lines = page.wrapped(&line.text, WORD + 4, NOTE);
    // The word is coloured after wrapping, because colour codes would count as width.
    lines[0] = format!("  {word}  {}", lines[0].trim_start());
    lines
}

/// Returns the lines about the target and the generator in the last level.
fn health(run: &Run, last: &Level, page: Page) -> Vec<String> {
    let at = label(&last.load);
    let told = |text: String| match text.as_str() {
        "" => text,
        _ => format!(": {text}"),
    };
    let mut lines = Vec::new();
    let process = last.target.as_ref().map(|target| {
        let figures = told(target::line(target));
        format!("{} at {at}{figures}", target::name(target))
    });
    let version = run.target_version.as_ref();
    let version = version.map(|version| format!("version {version}"));
    let text: Vec<String> = version.into_iter().chain(process).collect();
    if !text.is_empty() {
        lines.extend(page.labelled_lines("target", &text.join(", "), NOTE));
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
