//! A table of a study, for a terminal and for Markdown.

use std::fmt::Write as _; // writing to a String cannot fail

use minijinja::context;
use minijinja::value::Value;

/// A table. Columns with numbers are aligned to the right, others to the left.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    titles: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(titles: &'static [&'static str], rows: Vec<Vec<String>>) -> Self {
        Self { titles, rows }
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("| {} |\n|", self.titles.join(" | "));
        for column in 0..self.titles.len() {
            let numbers = self.holds_numbers(column);
            text.push_str(if numbers { " ---: |" } else { " --- |" });
        }
        text.push('\n');
        for row in &self.rows {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        text
    }

    pub(crate) fn terminal(&self) -> String {
        let width_of = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max();
            widest.unwrap_or(0).max(self.titles[column].chars().count())
        };
        let columns = 0..self.titles.len();
        let shapes: Vec<(usize, bool)> = columns
            .map(|column| (width_of(column), self.holds_numbers(column)))
            .collect();
        let mut text = line(&shapes, self.titles.iter().copied());
        for row in &self.rows {
            text.push_str(&line(&shapes, row.iter().map(String::as_str)));
        }
        text
    }

    /// Whether a column has numbers: at least one cell begins with a digit, or with a bound or a sign before one.
    fn holds_numbers(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        let begins = |first: char| first.is_ascii_digit() || "≤≥−".contains(first);
        cells.any(|cell| cell.chars().next().is_some_and(begins))
    }
}

/// For the templates: the table as `markdown` and as `terminal`.
impl From<Table> for Value {
    fn from(table: Table) -> Self {
        context! {
            markdown => table.markdown().trim_end(),
            terminal => table.terminal().trim_end(),
        }
    }
}

/// Formats a line. `shapes` are the width of each column, and whether it has numbers.
fn line<'a>(shapes: &[(usize, bool)], cells: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (cell, &(width, numbers)) in cells.zip(shapes) {
        let _ = if numbers {
            write!(text, "  {cell:>width$}")
        } else {
            write!(text, "  {cell:<width$}")
        };
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = vec![
            vec!["5".to_owned(), "0.40".to_owned(), String::new()],
            vec!["10,000".to_owned(), "n/a".to_owned(), "INVALID".to_owned()],
        ];
        Table::new(&["users", "p50 ms", ""], rows)
    }

    #[test]
    fn numbers_end_below_each_other_and_nothing_hangs_over() {
        let expected = "   users  p50 ms\n       5    0.40\n  10,000     n/a  INVALID\n";
        assert_eq!(table().terminal(), expected);
    }

    #[test]
    fn words_begin_below_each_other_wherever_their_column_is() {
        let row = |name: &str, time: &str| vec![name.to_owned(), time.to_owned()];
        let table = Table::new(
            &["step", "p95"],
            vec![row("pay", "≤ 5 ms"), row("deliver", "n/a")],
        );
        let expected = "  step        p95\n  pay      ≤ 5 ms\n  deliver     n/a\n";
        assert_eq!(table.terminal(), expected);
        assert_eq!(table.markdown().lines().nth(1), Some("| --- | ---: |"));
    }

    #[test]
    fn markdown_has_a_cell_for_every_title() {
        let text = table().markdown();
        let bars = |line: &str| line.matches('|').count();
        assert!(text.lines().all(|line| bars(line) == 4), "{text}");
        assert_eq!(text.lines().nth(1), Some("| ---: | ---: | --- |"));
    }
}
