//! Fits the excerpt of a script's source around an error to the terminal.

use format::visible;

/// The distance between two tab stops.
const TAB: usize = 4;
/// The number of characters shown before the marked place, if the line has to be cut there.
const BEFORE: usize = 20;

/// Cuts the lines `> 3 | code` of an excerpt to `width` characters. The place that the last line marks with `^` stays
/// visible. Each character of the result takes one column.
pub(super) fn fitted(frame: &str, width: usize) -> Vec<String> {
    let lines = frame.lines().map(|line| visible(&without_tabs(line)));
    let lines: Vec<Vec<char>> = lines.map(|line| line.chars().collect()).collect();
    let gutter = lines
        .iter()
        .filter_map(|line| line.iter().position(|letter| *letter == '|'))
        .min()
        .map_or(0, |bar| bar + 2);
    let marked = |line: &Vec<char>| {
        let at = line.iter().position(|letter| *letter == '^')?;
        let alone = line[gutter.min(at)..at].iter().all(|letter| *letter == ' ');
        alone.then_some(at)
    };
    let mark = lines.iter().rev().find_map(marked).unwrap_or(0);
    let hidden = if mark < width {
        0
    } else {
        mark.saturating_sub(gutter + BEFORE)
    };
    let cut = |line: &Vec<char>| -> String {
        let (head, code) = line.split_at(gutter.min(line.len()));
        let shown = code.iter().skip(hidden);
        let shown = shown.take(width.saturating_sub(gutter));
        let line: String = head.iter().chain(shown).collect();
        line.trim_end().to_owned()
    };
    lines.iter().map(cut).collect()
}

/// Replaces each tab with the spaces up to the next tab stop.
fn without_tabs(line: &str) -> String {
    let mut columns = 0;
    let mut expanded = String::with_capacity(line.len());
    for letter in line.chars() {
        let width = if letter == '\t' {
            TAB - columns % TAB
        } else {
            1
        };
        let shown = if letter == '\t' { ' ' } else { letter };
        expanded.extend(std::iter::repeat_n(shown, width));
        columns += width;
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_takes_its_columns_and_the_marked_place_stays_visible() {
        let frame = "3 | \t\tconst a = b.get(first).then(second);\n  | \t\t          ^";
        let lines = fitted(frame, 80);
        assert_eq!(lines[0], "3 |         const a = b.get(first).then(second);");
        let at = lines[1].find('^').unwrap();
        assert_eq!(&lines[0][at..=at], "b", "{lines:#?}");
        let far = format!("3 | {}then(\n  | {}^", "\ta".repeat(20), "\t ".repeat(20));
        let lines = fitted(&far, 40);
        let is_narrow = |line: &String| !line.contains('\t') && line.chars().count() <= 40;
        assert!(lines.iter().all(is_narrow), "{lines:#?}");
        let at = lines[1].find('^').unwrap();
        assert_eq!(&lines[0][at..at + 4], "then", "{lines:#?}");
    }

    #[test]
    fn source_text_cannot_move_the_cursor() {
        let lines = fitted("3 | a(\"\u{1b}[2J\");\n  |      ^", 80);
        assert_eq!(lines[0], "3 | a(\" [2J\");");
    }

    #[test]
    fn the_marked_place_stays_visible() {
        let code = "const a = b.get(first).then(second).catch(third);";
        let mark = format!("{:>1$}", "^", 4 + code.find("third").unwrap() + 1);
        let frame = format!("3 | {code}\n{}", mark.replacen("    ", "  | ", 1));
        assert_eq!(fitted(&frame, 80).join("\n"), frame);
        let lines = fitted(&frame, 36);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 36),
            "{lines:#?}"
        );
        let at = lines[1].find('^').unwrap();
        assert_eq!(&lines[0][at..at + 5], "third", "{lines:#?}");
    }
}
