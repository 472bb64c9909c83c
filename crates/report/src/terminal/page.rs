use format::{Table, Tone, paint, plural, shorten, shorten_name, wrap};

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

    /// Cuts text so that it fits on one line after an indentation.
    pub(super) fn cut_to(self, text: &str, indentation: usize) -> String {
        shorten(text, self.beside(indentation))
    }

    /// Shortens a name so that it fits on one line with `around` other characters, but keeps it readable.
    pub(super) fn cut_name(self, name: &str, around: usize) -> String {
        const READABLE: usize = 12;
        shorten_name(name, self.beside(around).max(READABLE))
    }

    /// Wraps text into at most `most` indented lines.
    pub(super) fn wrapped(self, text: &str, indentation: usize, most: usize) -> Vec<String> {
        let lines = wrap(text, self.beside(indentation), most);
        let indent = " ".repeat(indentation);
        lines.iter().map(|line| format!("{indent}{line}")).collect()
    }

    /// Wraps text into as many lines as it needs. All lines have the indentation of the text.
    pub(crate) fn paragraph(self, text: &str) -> Vec<String> {
        let inner = text.trim_start();
        self.wrapped(inner, text.len() - inner.len(), usize::MAX)
    }

    /// Formats the lines of a table, followed by a line with the titles of the columns that did not fit.
    pub(crate) fn table(self, mut table: Table) -> Vec<String> {
        let left_out = table.fit(self.width);
        let mut lines = table.text(self.colour);
        if !left_out.is_empty() {
            lines.push(self.quiet(&format!("too narrow for: {}", left_out.join(", "))));
        }
        lines
    }

    /// Formats a line with the number of hidden rows. `None` if all rows are shown.
    pub(super) fn hidden(self, all: usize, shown: usize, what: &str) -> Option<String> {
        let hidden = all.checked_sub(shown).filter(|hidden| *hidden > 0)?;
        Some(self.quiet(&in_full_report(hidden, what)))
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

/// Keeps at most `room` lines. If lines are hidden, the last one states how many. `what` names one line.
pub(super) fn cut(mut lines: Vec<String>, room: usize, what: &str) -> Vec<String> {
    if lines.len() > room {
        let left_out = lines.len() - room + 1;
        lines.truncate(room.saturating_sub(1));
        lines.push(format!("  {}", in_full_report(left_out, what)));
    }
    lines
}

/// Keeps the first parts that fit in `room` lines, each whole. If lines are hidden, the last line states how many. `what`
/// names one line.
pub(super) fn cut_parts(parts: Vec<Vec<String>>, room: usize, what: &str) -> Vec<String> {
    let all: usize = parts.iter().map(Vec::len).sum();
    if all <= room {
        return parts.concat();
    }
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        if lines.len() + part.len() >= room {
            break;
        }
        lines.extend(part);
    }
    let hidden = all - lines.len();
    lines.push(format!("  {}", in_full_report(hidden, what)));
    lines
}

/// Keeps as many entries as fit in `room` lines, each whole, and at least the first `least`. If entries are hidden, the
/// last line states how many. `what` names one entry.
pub(super) fn cut_entries(
    mut entries: Vec<Vec<String>>,
    (room, least): (usize, usize),
    what: &str,
) -> Vec<String> {
    let lines_of = |entries: &[Vec<String>]| entries.iter().map(Vec::len).sum::<usize>();
    let all = entries.len();
    while entries.len() > least && lines_of(&entries) + usize::from(entries.len() < all) > room {
        entries.pop();
    }
    let hidden = all - entries.len();
    let more = (hidden > 0).then(|| format!("  {}", in_full_report(hidden, what)));
    entries.into_iter().flatten().chain(more).collect()
}

fn in_full_report(hidden: usize, what: &str) -> String {
    let more = plural(hidden as u64, &format!("more {what}"));
    format!("and {more} in the full report")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_does_not_fit_is_hidden_with_all_its_lines() {
        let part = |name: &str, lines| vec![name.to_owned(); lines];
        let cut = |room| cut_parts(vec![part("a", 2), part("b", 3)], room, "line").join(" ");
        assert_eq!(cut(5), "a a b b b");
        assert_eq!(cut(4), "a a   and 3 more lines in the full report");
        assert_eq!(cut(3), cut(4));
    }

    #[test]
    fn entries_are_shown_whole_and_the_first_in_any_case() {
        let entry = |name: &str, lines| vec![name.to_owned(); lines];
        let all = || vec![entry("a", 2), entry("b", 2), entry("c", 1)];
        let cut = |room, least| cut_entries(all(), (room, least), "entry").join(" ");
        assert_eq!(cut(5, 0), "a a b b c");
        assert_eq!(cut(4, 0), "a a   and 2 more entries in the full report");
        assert_eq!(cut(0, 2), "a a b b   and 1 more entry in the full report");
    }
}
