//! Makes a table as narrow as a terminal.

use super::{Column, Kind, Table};
use crate::{NOT_AVAILABLE, shorten_name};

/// Names keep this length as long as there are minor columns to omit.
const COMFORTABLE: usize = 30;
/// Names keep this length in any case.
const READABLE: usize = 12;

impl Table {
    /// Shortens names, and omits minor columns, until the table is at most `width` characters wide. A name keeps its
    /// first and last characters. Returns the titles of the omitted columns.
    pub fn fit(&mut self, width: usize) -> Vec<&'static str> {
        let mut left_out = Vec::new();
        while self.width_with_names(COMFORTABLE) > width
            && let Some(index) = self.most_minor()
        {
            left_out.push(self.columns.remove(index).title);
            for row in &mut self.rows {
                row.cells.remove(index);
            }
        }
        let surplus = self.width().saturating_sub(width);
        let longest = self.longest_name().saturating_sub(surplus).max(READABLE);
        for (index, _) in of_kind(&self.columns, Kind::Name) {
            for row in &mut self.rows {
                let name = row.cells[index].take();
                row.cells[index] = name.map(|name| shorten_name(&name, longest));
            }
        }
        left_out
    }

    /// Returns the width of the table if names are at most `longest` characters long.
    fn width_with_names(&self, longest: usize) -> usize {
        let widths = self.text_widths();
        let saved = of_kind(&self.columns, Kind::Name)
            .map(|(index, column)| widths[index].saturating_sub(longest.max(column.title.len())));
        self.width() - saved.sum::<usize>()
    }

    fn longest_name(&self) -> usize {
        let widths = self.text_widths();
        let names = of_kind(&self.columns, Kind::Name);
        names.map(|(index, _)| widths[index]).max().unwrap_or(0)
    }

    fn width(&self) -> usize {
        self.text_widths().iter().map(|width| width + 2).sum()
    }

    /// Returns the minor column to omit first. Columns in which every row is 0 or not available are omitted before the
    /// others.
    fn most_minor(&self) -> Option<usize> {
        let says = |index: usize| {
            let mut cells = self
                .rows
                .iter()
                .filter_map(|row| row.cells[index].as_deref());
            cells.any(|cell| cell != "0" && cell != NOT_AVAILABLE)
        };
        let minor = (0..self.columns.len()).filter(|index| self.columns[*index].rank > 0);
        minor.max_by_key(|&index| (!says(index), self.columns[index].rank))
    }
}

/// Returns the columns of one kind with their positions.
fn of_kind(columns: &[Column], kind: Kind) -> impl Iterator<Item = (usize, &Column)> {
    let all = columns.iter().enumerate();
    all.filter(move |(_, column)| column.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    #[test]
    fn a_table_that_is_too_wide_loses_minor_columns_and_first_those_of_zeros() {
        let columns = vec![
            Column::number("users"),
            Column::number("groups").minor(2),
            Column::number("lost").minor(1),
        ];
        let row = |cells: [&str; 3]| Row::plain(cells.map(|cell| Some(cell.to_owned())).into());
        let mut table = Table::new(columns, vec![row(["10", "2", "0"]), row(["50", "10", "0"])]);
        assert_eq!(table.fit(21), Vec::<&str>::new());
        assert_eq!(table.fit(20), ["lost"]);
        assert_eq!(table.fit(5), ["groups"]);
        assert_eq!(table.text(false), ["  users", "     10", "     50"]);
    }

    /// At 60 columns the name can keep 30 characters only without the count; at 40 it is shortened further.
    #[test]
    fn names_are_shortened_in_the_middle_and_minor_columns_make_room_for_thirty_characters() {
        let columns = vec![
            Column::name("name"),
            Column::number("count").minor(1),
            Column::number("p95"),
        ];
        let row = |end: &str| {
            let name = format!("GET /api/v1/organizations/:id/members/:id/{end}");
            Row::plain(vec![
                Some(name),
                Some("x".repeat(20)),
                Some("12.3 ms".into()),
            ])
        };
        let names_at = |width: usize| {
            let mut table = Table::new(columns.clone(), vec![row("roles"), row("invoices")]);
            let left_out = table.fit(width);
            let text = table.text(false);
            assert!(
                text.iter().all(|line| line.chars().count() <= width),
                "{text:#?}"
            );
            let names = text[1..].iter().map(|line| line.trim_start());
            let names: Vec<_> = names
                .map(|line| line.split("  ").next().unwrap().to_owned())
                .collect();
            (left_out, names)
        };
        let (left_out, names) = names_at(63);
        assert!(left_out.is_empty());
        assert_eq!(
            names,
            [
                "GET /api/v1/org…bers/:id/roles",
                "GET /api/v1/org…s/:id/invoices"
            ]
        );
        let (left_out, names) = names_at(62);
        assert_eq!(left_out, ["count"]);
        assert_eq!(names[0], "GET /api/v1/organizations/:id/members/:id/roles");
        let (_, names) = names_at(40);
        assert_eq!(names[1], "GET /api/v1/or…s/:id/invoices");
    }
}
