//! Checks the header line of a CSV file. Mistakes in it would otherwise appear as `undefined` in every request.

use csv::StringRecord;

/// Separators that a file may use instead of the expected one, each with its spelling in a script.
const SEPARATORS: [(char, &str); 4] = [(',', ","), (';', ";"), ('\t', "\\t"), ('|', "|")];

/// Checks the header. The error states the line and how to correct it.
pub(super) fn check(header: &StringRecord) -> Result<(), String> {
    let line = header.position().map_or(1, csv::Position::line);
    problem(header).map_or(Ok(()), |problem| Err(format!("line {line}: {problem}")))
}

fn problem(header: &StringRecord) -> Option<String> {
    if header.is_empty() {
        return Some("the file is empty: its first line must name the columns".to_owned());
    }
    if let Some(empty) = header.iter().position(|name| name.trim().is_empty()) {
        return Some(format!("column {} has no name", empty + 1));
    }
    other_separator(header)
        .or_else(|| spaced(header))
        .or_else(|| repeated(header))
}

/// A name with a space in front, as in `name, age`, would never be the property that a script reads.
fn spaced(header: &StringRecord) -> Option<String> {
    let (at, name) = header
        .iter()
        .enumerate()
        .find(|(_, name)| name.trim() != *name)?;
    Some(format!(
        "column {} is named {name:?}: remove the space around the name",
        at + 1
    ))
}

fn other_separator(header: &StringRecord) -> Option<String> {
    let only = header.get(0).filter(|_| header.len() == 1)?;
    let (_, written) = SEPARATORS.iter().find(|(other, _)| only.contains(*other))?;
    Some(format!(
        "the only column is {only:?}: if `{written}` separates the columns, use csv(path, {{ separator: \"{written}\" }})"
    ))
}

fn repeated(header: &StringRecord) -> Option<String> {
    let (second, name) = header
        .iter()
        .enumerate()
        .find(|(at, name)| header.iter().take(*at).any(|earlier| earlier == *name))?;
    let first = header.iter().position(|earlier| earlier == name)?;
    Some(format!(
        "columns {} and {} are both named {name:?}: rename one of them",
        first + 1,
        second + 1
    ))
}
