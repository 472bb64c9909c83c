use format::{Table, Tone, paint, shorten, wrap};

use super::Terminal;

/// The size and the colours of the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) colour: bool,
    /// Width in characters.
    width: usize,
    /// Number of lines of a screen.
    pub(super) lines: usize,
}

/// Narrower terminals wrap lines by themselves; in wider ones, long lines are hard to read.
const NARROWEST: usize = 80;
const WIDEST: usize = 220;
const SCREEN: usize = 40;
/// Width of the label of a line.
const LABEL: usize = 9;

impl Page {
    pub(super) fn of(options: Terminal<'_>) -> Self {
        let width = options.width.map(|width| width.clamp(NARROWEST, WIDEST));
        Self {
            colour: options.colour,
            width: width.unwrap_or(usize::MAX),
            lines: width.map_or(usize::MAX, |_| SCREEN),
        }
    }

    /// Whether there is a terminal, so that output must fit.
    pub(super) fn is_cut(self) -> bool {
        self.width < usize::MAX
    }

    /// The width left beside an indentation.
    pub(super) fn beside(self, indentation: usize) -> usize {
        self.width.saturating_sub(indentation)
    }

    pub(super) fn title(self, text: &str) -> String {
        paint(&self.cut_to(text, 0), Tone::Strong, self.colour)
    }

    /// A line of little importance, indented.
    pub(super) fn quiet(self, text: &str) -> String {
        let text = self.cut_to(text.trim_start(), 2);
        paint(&format!("  {text}"), Tone::Quiet, self.colour)
    }

    /// Text for one line with a short beginning of its own.
    pub(super) fn cut_text(self, text: &str) -> String {
        const BEGINNING: usize = 26;
        self.cut_to(text, BEGINNING)
    }

    pub(super) fn cut_to(self, text: &str, indentation: usize) -> String {
        shorten(text, self.beside(indentation))
    }

    /// Text in at most `most` lines, each indented.
    pub(super) fn wrapped(self, text: &str, indentation: usize, most: usize) -> Vec<String> {
        let lines = wrap(text, self.beside(indentation), most);
        let indent = " ".repeat(indentation);
        lines.iter().map(|line| format!("{indent}{line}")).collect()
    }

    /// Lines of a table, and a line with the titles that did not fit.
    pub(super) fn table(self, mut table: Table) -> Vec<String> {
        let left_out = table.fit(self.width);
        let mut lines = table.text(self.colour);
        if !left_out.is_empty() {
            lines.push(self.quiet(&format!("too narrow for: {}", left_out.join(", "))));
        }
        lines
    }

    /// A line with the number of rows that are not shown, if there are any.
    pub(super) fn hidden(self, all: usize, shown: usize) -> Option<String> {
        let hidden = all.checked_sub(shown).filter(|hidden| *hidden > 0)?;
        Some(self.quiet(&format!("and {hidden} more in the full report")))
    }

    pub(super) fn labelled(self, label: &str, text: &str) -> String {
        let label = paint(&format!("{label:<LABEL$}"), Tone::Quiet, self.colour);
        format!("{label}  {text}")
    }

    /// Text in at most `most` lines, with a label before the first.
    pub(super) fn labelled_lines(self, label: &str, text: &str, most: usize) -> Vec<String> {
        let text = wrap(text, self.beside(LABEL + 2), most);
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let lines = labels.zip(&text);
        lines
            .map(|(label, text)| self.labelled(label, text))
            .collect()
    }
}

/// Cuts to at most `room` lines. The last of them states how many are hidden.
pub(super) fn cut(mut lines: Vec<String>, room: usize, what: &str) -> Vec<String> {
    if lines.len() > room {
        let left_out = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1));
        lines.push(format!("  and {left_out} more {what} in the full report"));
    }
    lines
}
