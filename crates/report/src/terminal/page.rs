use format::{Table, Tone, paint, shorten, wrap};

/// Maximum number of lines for one note.
pub(super) const NOTE: usize = 3;

/// The size and colours of the output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    pub(super) colour: bool,
    /// Width in characters.
    width: usize,
    /// Height of the screen in lines.
    pub(super) lines: usize,
}

/// Range of the page's width. Narrower terminals wrap lines by themselves, and longer lines are hard to read.
const NARROWEST: usize = 80;
const WIDEST: usize = 220;
const SCREEN: usize = 40;
/// Width of the label of a line.
const LABEL: usize = 9;

impl Page {
    /// `width` is the width of the terminal in characters. `None` for a file or a pipe.
    pub(crate) fn new(colour: bool, width: Option<usize>) -> Self {
        let width = width.map(|width| width.clamp(NARROWEST, WIDEST));
        Self {
            colour,
            width: width.unwrap_or(usize::MAX),
            lines: width.map_or(usize::MAX, |_| SCREEN),
        }
    }

    /// Whether the output goes to a terminal and must fit its size.
    pub(super) fn is_cut(self) -> bool {
        self.width < usize::MAX
    }

    /// Returns the width that an indentation leaves.
    pub(super) fn beside(self, indentation: usize) -> usize {
        self.width.saturating_sub(indentation)
    }

    pub(crate) fn title(self, text: &str) -> String {
        paint(&self.cut_to(text, 0), Tone::Strong, self.colour)
    }

    /// Formats an indented line of little importance.
    pub(super) fn quiet(self, text: &str) -> String {
        let text = self.cut_to(text.trim_start(), 2);
        paint(&format!("  {text}"), Tone::Quiet, self.colour)
    }

    /// Cuts text so that it fits on one line after a short prefix.
    pub(super) fn cut_text(self, text: &str) -> String {
        const BEGINNING: usize = 26;
        self.cut_to(text, BEGINNING)
    }

    pub(super) fn cut_to(self, text: &str, indentation: usize) -> String {
        shorten(text, self.beside(indentation))
    }

    /// Wraps text into at most `most` indented lines.
    pub(super) fn wrapped(self, text: &str, indentation: usize, most: usize) -> Vec<String> {
        let lines = wrap(text, self.beside(indentation), most);
        let indent = " ".repeat(indentation);
        lines.iter().map(|line| format!("{indent}{line}")).collect()
    }

    /// Formats the lines of a table, followed by a line with the titles of the columns that did not fit.
    pub(super) fn table(self, mut table: Table) -> Vec<String> {
        let left_out = table.fit(self.width);
        let mut lines = table.text(self.colour);
        if !left_out.is_empty() {
            lines.push(self.quiet(&format!("too narrow for: {}", left_out.join(", "))));
        }
        lines
    }

    /// Formats a line with the number of hidden rows. `None` if all rows are shown.
    pub(super) fn hidden(self, all: usize, shown: usize) -> Option<String> {
        let hidden = all.checked_sub(shown).filter(|hidden| *hidden > 0)?;
        Some(self.quiet(&format!("and {hidden} more in the full report")))
    }

    pub(super) fn labelled(self, label: &str, text: &str) -> String {
        let label = paint(&format!("{label:<LABEL$}"), Tone::Quiet, self.colour);
        format!("{label}  {text}")
    }

    /// Wraps text into at most `most` lines, with a label before the first line.
    pub(super) fn labelled_lines(self, label: &str, text: &str, most: usize) -> Vec<String> {
        let text = wrap(text, self.beside(LABEL + 2), most);
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let lines = labels.zip(&text);
        lines
            .map(|(label, text)| self.labelled(label, text))
            .collect()
    }
}

/// Keeps at most `room` lines. If lines are hidden, the last one states how many.
pub(super) fn cut(mut lines: Vec<String>, room: usize, what: &str) -> Vec<String> {
    if lines.len() > room {
        let left_out = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1));
        lines.push(format!("  and {left_out} more {what} in the full report"));
    }
    lines
}
