//! Finds functions in JavaScript and TypeScript by their layout. A function ends at the first closing brace that has
//! the same indentation as the line on which the function begins.

use super::rust::Function;

/// Returns the declared functions.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = declared(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let closes = |line: &str| {
            line.len() - line.trim_start().len() == indent && line[indent..].starts_with('}')
        };
        if let Some(length) = lines[start..].iter().position(|line| closes(line)) {
            found.push(Function {
                name: name.to_owned(),
                line: start + 1,
                length: length + 1,
            });
        }
    }
    found
}

/// Returns the name in a line such as `export default async function* name(…) {`.
fn declared(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("function")?;
    let modifiers = before
        .split_whitespace()
        .all(|word| matches!(word, "export" | "default" | "async"));
    let name = after.trim_start_matches(['*', ' ']).split('(').next()?;
    (modifiers && line.ends_with('{') && !name.contains(' ')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::functions;

    #[test]
    fn functions_end_at_the_brace_under_their_first_word() {
        let text = "\
export default async function session(group) {
  function inner() {
    if (a) {
    }
  }
}
const functions = {
};
";
        let found: Vec<_> = functions(text)
            .into_iter()
            .map(|function| (function.name, function.line, function.length))
            .collect();
        assert_eq!(
            found,
            [("session".to_owned(), 1, 6), ("inner".to_owned(), 2, 4)]
        );
    }
}
