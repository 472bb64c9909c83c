//! Tables for the terminal, for Markdown and for HTML.

use crate::{NOT_AVAILABLE, Tone, code, escape, escape_html, paint};

mod fit;

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    title: &'static str,
    kind: Kind,
    /// If the table is too wide, columns with the highest rank are omitted first. Columns of rank 0 are never omitted.
    rank: u8,
}

/// Alignment and style of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Words, aligned left.
    Words,
    /// A name from the user's scenario, aligned left.
    Name,
    /// A number, aligned right.
    Number,
}

impl Column {
    /// Creates a column of words.
    pub const fn words(title: &'static str) -> Self {
        Self {
            title,
            kind: Kind::Words,
            rank: 0,
        }
    }

    /// Creates a column of names from the user's scenario.
    pub const fn name(title: &'static str) -> Self {
        Self {
            title,
            kind: Kind::Name,
            rank: 0,
        }
    }

    /// Creates a column of numbers.
    pub const fn number(title: &'static str) -> Self {
        Self {
            title,
            kind: Kind::Number,
            rank: 0,
        }
    }
}

impl Column {
    /// Makes the column one that a table may omit if it is too wide. The highest rank is omitted first.
    #[must_use]
    pub const fn minor(self, rank: u8) -> Self {
        Self { rank, ..self }
    }
}

/// A row of a table. A cell is `None` if its figure was not measured or does not apply.
#[derive(Clone, Debug)]
pub struct Row {
    /// One cell for each column.
    pub cells: Vec<Option<String>>,
    /// The colour of the row in a terminal.
    pub tone: Tone,
}

impl Row {
    /// Creates a row without a special tone.
    pub fn plain(cells: Vec<Option<String>>) -> Self {
        Self {
            cells,
            tone: Tone::Plain,
        }
    }
}

/// A table with columns and rows. Columns without any content are omitted.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
}

const ABSENT: &str = "–";

impl Table {
    /// Creates a table. Every row has one cell for each column.
    pub fn new(columns: Vec<Column>, rows: Vec<Row>) -> Self {
        let used = |index: usize| rows.iter().any(|row| row.cells[index].is_some());
        let kept: Vec<bool> = (0..columns.len()).map(used).collect();
        let pick = |row: Row| Row {
            cells: keep(row.cells, &kept),
            tone: row.tone,
        };
        Self {
            columns: keep(columns, &kept),
            rows: rows.into_iter().map(pick).collect(),
        }
    }

    fn text_widths(&self) -> Vec<usize> {
        self.widths(|_, cell| cell.unwrap_or(ABSENT).to_owned())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether the table contains a percentile with too few samples.
    pub fn has_unavailable(&self) -> bool {
        let mut cells = self.rows.iter().flat_map(|row| &row.cells);
        cells.any(|cell| cell.as_deref() == Some(NOT_AVAILABLE))
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Keeps only the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        self.rows.truncate(rows);
    }

    fn widths(&self, cell: impl Fn(&Column, Option<&str>) -> String) -> Vec<usize> {
        let width = |index: usize| {
            let column = &self.columns[index];
            let cells = self
                .rows
                .iter()
                .map(|row| cell(column, row.cells[index].as_deref()));
            cells
                .map(|text| text.chars().count())
                .fold(column.title.chars().count(), usize::max)
        };
        (0..self.columns.len()).map(width).collect()
    }

    /// Returns aligned lines for the terminal, indented by two spaces.
    pub fn text(&self, colour: bool) -> Vec<String> {
        let widths = self.text_widths();
        let line = |cells: Vec<&str>| {
            let placed = self.columns.iter().zip(&widths).zip(cells);
            let padded: Vec<String> = placed
                .map(|((column, &width), cell)| place(cell, width, column.kind))
                .collect();
            format!("  {}", padded.join("  ").trim_end())
        };
        let head = line(self.columns.iter().map(|column| column.title).collect());
        let rows = self.rows.iter().map(|row| {
            let cells = row
                .cells
                .iter()
                .map(|cell| cell.as_deref().unwrap_or(ABSENT))
                .collect();
            paint(&line(cells), row.tone, colour)
        });
        std::iter::once(paint(&head, Tone::Quiet, colour))
            .chain(rows)
            .collect()
    }

    /// Returns a Markdown table with aligned source.
    pub fn markdown(&self) -> Vec<String> {
        let widths = self.widths(markdown_cell);
        let join = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let columns = || self.columns.iter().zip(&widths);
        let head = columns().map(|(column, &width)| place(column.title, width, column.kind));
        let rule = columns().map(|(column, &width)| match column.kind {
            Kind::Number => format!("{}:", "-".repeat(width.max(2) - 1)),
            Kind::Words | Kind::Name => "-".repeat(width.max(2)),
        });
        let rows = self.rows.iter().map(|row| {
            let cells = columns().zip(&row.cells).map(|((column, &width), cell)| {
                place(&markdown_cell(column, cell.as_deref()), width, column.kind)
            });
            join(cells.collect())
        });
        [join(head.collect()), join(rule.collect())]
            .into_iter()
            .chain(rows)
            .collect()
    }
}

impl Table {
    /// Returns the table as HTML. Cells of numbers have the class `n`, cells of names `name`, and rows the class of
    /// their tone: `good`, `bad` or `doubtful`.
    pub fn html(&self) -> String {
        let head = self.columns.iter().map(|column| {
            let class = column.kind.class();
            format!(
                "<th scope=\"col\"{class}>{}</th>",
                escape_html(column.title)
            )
        });
        let rows = self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(&row.cells).map(|(column, cell)| {
                let text = escape_html(cell.as_deref().unwrap_or(ABSENT));
                format!("<td{}>{text}</td>", column.kind.class())
            });
            let class = row.tone.class();
            format!("<tr{class}>{}</tr>", cells.collect::<String>())
        });
        format!(
            "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
            head.collect::<String>(),
            rows.collect::<String>()
        )
    }
}

impl Kind {
    /// The attribute for a cell in HTML.
    fn class(self) -> &'static str {
        match self {
            Self::Words => "",
            Self::Name => " class=\"name\"",
            Self::Number => " class=\"n\"",
        }
    }
}

impl Tone {
    /// The attribute for a row in HTML.
    fn class(self) -> &'static str {
        match self {
            Self::Plain | Self::Quiet | Self::Strong => "",
            Self::Good => " class=\"good\"",
            Self::Bad => " class=\"bad\"",
            Self::Doubtful => " class=\"doubtful\"",
        }
    }
}

/// Returns the elements of `all` for which `kept` is true.
fn keep<T>(all: Vec<T>, kept: &[bool]) -> Vec<T> {
    let paired = all.into_iter().zip(kept);
    paired
        .filter_map(|(one, &kept)| kept.then_some(one))
        .collect()
}

fn markdown_cell(column: &Column, cell: Option<&str>) -> String {
    match cell {
        Some(name) if column.kind == Kind::Name => code(name),
        Some(number) if column.kind == Kind::Number => number.to_owned(),
        Some(text) => escape(text),
        None => ABSENT.to_owned(),
    }
}

fn place(text: &str, width: usize, kind: Kind) -> String {
    let space = " ".repeat(width.saturating_sub(text.chars().count()));
    match kind {
        Kind::Number => space + text,
        Kind::Words | Kind::Name => text.to_owned() + &space,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_html_are_escaped() {
        let columns = vec![
            Column::name("name"),
            Column::number("lost"),
            Column::number("late"),
        ];
        let name = Some("</td><script>\"'&".to_owned());
        let row = Row {
            cells: vec![name, None, Some("3".to_owned())],
            tone: Tone::Bad,
        };
        assert_eq!(
            Table::new(columns, vec![row]).html(),
            "<table><thead><tr><th scope=\"col\" class=\"name\">name</th><th scope=\"col\" class=\"n\">late</th></tr>\
             </thead><tbody><tr class=\"bad\"><td class=\"name\">&lt;/td&gt;&lt;script&gt;&quot;&#39;&amp;</td>\
             <td class=\"n\">3</td></tr></tbody></table>"
        );
    }
}
