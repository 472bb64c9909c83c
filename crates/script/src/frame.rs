use std::fmt;
use std::fmt::Write as _;

use model::without_credentials;
use serde::{Deserialize, Serialize};

/// A location in a file of the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Name of the file in the bundle.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Location {
    /// Parses the location in a line of a stack, such as `    at trade (room.ts:12:5)` or `    at room.ts:12:5`.
    pub(crate) fn of_call(line: &str) -> Option<Self> {
        let line = line.trim();
        let inner = match line.rfind('(') {
            Some(open) => line.get(open + 1..)?.strip_suffix(')')?,
            None => line.strip_prefix("at ")?,
        };
        let mut parts = inner.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = parts.next()?.to_owned();
        Some(Self { file, line, column })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Returns the name that begins at a column, from 1.
pub(crate) fn name_at_column(line: &str, column: u32) -> Option<&str> {
    let (start, _) = line.char_indices().nth(column.checked_sub(1)? as usize)?;
    let rest = &line[start..];
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    let name = rest.find(|c| !is_part(c)).map_or(rest, |end| &rest[..end]);
    (!name.is_empty()).then_some(name)
}

/// Number of lines shown before the location.
const BEFORE: usize = 2;
/// Number of lines shown after the location.
const AFTER: usize = 1;
/// Maximum column that is shown without cutting the start of the line.
const WIDTH: usize = 120;

/// Formats the numbered lines around a location, with a caret below the column. Shows no credentials of URLs: they are
/// recognised by the end of the URL's authority, so they have to be hidden before a line is cut.
pub(crate) fn code_frame(source: &str, line: u32, column: u32) -> String {
    let line = line.max(1) as usize;
    let marked = source.lines().nth(line - 1).unwrap_or_default();
    let column = column_in_shown(marked, column.max(1) as usize);
    let first = line.saturating_sub(BEFORE).max(1);
    let digits = (line + AFTER).to_string().len();
    let mut frame = String::new();
    let cut = column.saturating_sub(WIDTH);
    for (index, text) in source.lines().enumerate().skip(first - 1) {
        let number = index + 1;
        if number > line + AFTER {
            break;
        }
        let text = without_credentials(text);
        let mark = if number == line { '>' } else { ' ' };
        let shown: String = text.chars().skip(cut).take(WIDTH + 20).collect();
        let _ = writeln!(frame, "{mark} {number:>digits$} | {}", shown.trim_end());
        if number == line {
            let indent: String = text
                .chars()
                .skip(cut)
                .take(column - 1 - cut)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let _ = writeln!(frame, "  {:digits$} | {indent}^", "");
        }
    }
    frame.truncate(frame.trim_end().len());
    frame
}

/// The column of the same character after the credentials in the line are hidden.
fn column_in_shown(line: &str, column: usize) -> usize {
    let before: String = line.chars().take(column - 1).collect();
    let shown = without_credentials(&before);
    (column + shown.chars().count()).saturating_sub(before.chars().count())
}

#[cfg(test)]
mod tests {
    use super::{Location, code_frame, name_at_column};

    #[test]
    fn a_frame_points_at_the_column() {
        let frame = code_frame("one\n\ttwo three\nfour\nfive", 2, 6);
        assert_eq!(
            frame,
            "  1 | one\n> 2 | \ttwo three\n    | \t    ^\n  3 | four"
        );
    }

    #[test]
    fn a_name_is_found_where_it_begins() {
        let line = "  é.json_1().x; $a()";
        for (column, name) in [(5, Some("json_1")), (3, Some("é")), (17, Some("$a"))] {
            assert_eq!(name_at_column(line, column), name, "{column}");
        }
        for column in [0, 1, 4, 99] {
            assert_eq!(name_at_column(line, column), None, "{column}");
        }
    }

    #[test]
    fn a_frame_survives_places_that_do_not_exist() {
        assert_eq!(code_frame("one", 9, 9), "");
        assert!(code_frame("one", 0, 0).contains('^'));
        assert!(code_frame(&"x".repeat(5000), 1, 4000).len() < 500);
    }

    #[test]
    fn credentials_are_hidden_before_a_line_is_cut() {
        let before = "await user.get(\"http://ann:sesame@host/\");";
        let after = "await user.get(\"http://eve:tuxedo@host/\");";
        for far in [0, 85, 95, 98, 104, 400] {
            let line = format!(
                "{}{before} here {after}{}",
                " ".repeat(far),
                "x".repeat(100)
            );
            let column = line.find("here").unwrap_or_default() + 1;
            let frame = code_frame(&line, 1, u32::try_from(column).unwrap_or(u32::MAX));
            assert!(!frame.contains("ses") && !frame.contains("tux"), "{frame}");
            let mut lines = frame.lines();
            let (line, mark) = (
                lines.next().unwrap_or_default(),
                lines.next().unwrap_or_default(),
            );
            let at = mark.find('^').unwrap_or_default();
            assert!(line[at..].starts_with("here"), "{frame}");
        }
    }

    #[test]
    fn places_are_read_from_stack_lines() {
        let at = |line: &str| Location::of_call(line).map(|place| place.to_string());
        assert_eq!(
            at("    at trade (a/room.ts:12:5)").as_deref(),
            Some("a/room.ts:12:5")
        );
        assert_eq!(
            at("    at <anonymous> (room.ts:1:2)").as_deref(),
            Some("room.ts:1:2")
        );
        assert_eq!(at("    at room.ts:1:2").as_deref(), Some("room.ts:1:2"));
        assert_eq!(at("    at call (native)"), None);
        assert_eq!(at(""), None);
    }
}
