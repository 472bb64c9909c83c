//! A table of a study, for a terminal and for Markdown.

use std::fmt::Write as _; // writing to a String cannot fail

/// Numbers in all columns but the last, which holds words.
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
        text.push_str(&" ---: |".repeat(self.titles.len().saturating_sub(1)));
        text.push_str(" --- |\n");
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
        let widths: Vec<usize> = (0..self.titles.len()).map(width_of).collect();
        let mut text = line(&widths, self.titles.iter().copied());
        for row in &self.rows {
            text.push_str(&line(&widths, row.iter().map(String::as_str)));
        }
        text
    }
}

fn line<'a>(widths: &[usize], cells: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (index, (cell, &width)) in cells.zip(widths).enumerate() {
        if index + 1 < widths.len() {
            let _ = write!(text, "  {cell:>width$}");
        } else {
            let _ = write!(text, "  {cell}");
        }
    }
    format!("{}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = vec![
            vec!["5".to_owned(), "0.40".to_owned(), String::new()],
            vec![
                "10,000".to_owned(),
                "n/a".to_owned(),
                "NOT SOUND".to_owned(),
            ],
        ];
        Table::new(&["users", "p50 ms", ""], rows)
    }

    #[test]
    fn numbers_end_below_each_other_and_nothing_hangs_over() {
        let expected = "   users  p50 ms\n       5    0.40\n  10,000     n/a  NOT SOUND\n";
        assert_eq!(table().terminal(), expected);
    }

    #[test]
    fn markdown_has_a_cell_for_every_title() {
        let text = table().markdown();
        let bars = |line: &str| line.matches('|').count();
        assert!(text.lines().all(|line| bars(line) == 4), "{text}");
        assert_eq!(text.lines().nth(1), Some("| ---: | ---: | --- |"));
    }
}
