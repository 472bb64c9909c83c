//! A table of a study, for a terminal and for Markdown.

use format::{Column, Row};
use minijinja::context;
use minijinja::value::Value;

/// A table. Columns of numbers are aligned right, all others left.
#[derive(Clone, Debug)]
pub(crate) struct Table(format::Table);

impl Table {
    pub(crate) fn new(titles: &[&'static str], rows: Vec<Vec<String>>) -> Self {
        let column = |(index, title): (usize, &&'static str)| {
            let mut cells = rows.iter().filter_map(|row| row.get(index));
            if cells.any(|cell| is_number(cell)) {
                Column::number(title)
            } else {
                Column::words(title)
            }
        };
        let columns = titles.iter().enumerate().map(column).collect();
        let rows = rows.into_iter().map(|cells| {
            let cell = |index: usize| Some(cells.get(index).cloned().unwrap_or_default());
            Row::plain((0..titles.len()).map(cell).collect())
        });
        Self(format::Table::new(columns, rows.collect()))
    }
}

/// Whether a cell begins with a digit. A sign or the sign of a bound may precede it.
fn is_number(cell: &str) -> bool {
    let begins = |first: char| first.is_ascii_digit() || "≤≥−".contains(first);
    cell.chars().next().is_some_and(begins)
}

/// Makes a table available to templates, as `markdown` and as `terminal`.
impl From<Table> for Value {
    fn from(table: Table) -> Self {
        context! {
            markdown => table.0.markdown().join("\n"),
            terminal => table.0.text(false).join("\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal(table: &Table) -> String {
        table.0.text(false).join("\n") + "\n"
    }

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
        assert_eq!(terminal(&table()), expected);
    }

    #[test]
    fn words_begin_below_each_other_wherever_their_column_is() {
        let row = |name: &str, time: &str| vec![name.to_owned(), time.to_owned()];
        let table = Table::new(
            &["step", "p95"],
            vec![row("pay", "≤ 5 ms"), row("deliver", "n/a")],
        );
        let expected = "  step        p95\n  pay      ≤ 5 ms\n  deliver     n/a\n";
        assert_eq!(terminal(&table), expected);
        assert_eq!(table.0.markdown()[1], "| ------- | -----: |");
    }

    #[test]
    fn markdown_has_a_cell_for_every_title() {
        let lines = table().0.markdown();
        let bars = |line: &String| line.matches('|').count();
        assert!(lines.iter().all(|line| bars(line) == 4), "{lines:?}");
        assert_eq!(lines[1], "| -----: | -----: | ------- |");
    }
}
