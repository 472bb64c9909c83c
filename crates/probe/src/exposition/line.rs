//! Parses one line:
//!
//! ```text
//! sample  = name [ "{" [ label { "," label } [ "," ] ] "}" ] value [ timestamp ] [ "#" exemplar ]
//! label   = name "=" '"' { any, with \\ \" \n } '"'
//! comment = "#" " TYPE " name kind
//! ```

pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    pub(super) labels: &'a str,
    pub(super) value: f64,
}

/// The name and the type of a `TYPE` comment, given without its `#`.
pub(super) fn type_of(comment: &str) -> Option<(&str, &str)> {
    let mut words = comment.split_ascii_whitespace();
    if words.next()? != "TYPE" {
        return None;
    }
    Some((words.next()?, words.next()?))
}

pub(super) fn sample(line: &str) -> Option<Sample<'_>> {
    let (name, rest) = name(line)?;
    let rest = rest.trim_start_matches(BLANKS);
    let labels = if rest.starts_with('{') {
        &rest[..labels(rest)?]
    } else {
        ""
    };
    let rest = &rest[labels.len()..];
    let numbers = rest.split_once('#').map_or(rest, |(before, _)| before);
    let mut words = numbers.split_ascii_whitespace();
    let value = number(words.next()?)?;
    let time = words.next().is_none_or(|word| number(word).is_some());
    (time && words.next().is_none()).then_some(Sample {
        name,
        labels,
        value,
    })
}

const BLANKS: [char; 2] = [' ', '\t'];

fn name(text: &str) -> Option<(&str, &str)> {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':');
    let end = text
        .find(|c: char| !letter(c) && !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    name.starts_with(letter).then_some((name, rest))
}

/// The end of the labels, after the closing brace. `text` begins with the opening brace.
fn labels(text: &str) -> Option<usize> {
    let mut rest = &text[1..];
    loop {
        rest = rest.trim_start_matches(BLANKS);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(text.len() - after.len());
        }
        let (_, after) = name(rest)?;
        let after = after.trim_start_matches(BLANKS).strip_prefix('=')?;
        let after = after.trim_start_matches(BLANKS).strip_prefix('"')?;
        rest = &after[quoted(after)?..];
        rest = rest.trim_start_matches(BLANKS);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.starts_with('}') => {}
            None => return None,
        }
    }
}

/// The end of a quoted text, after the closing quote. `text` begins after the opening quote.
fn quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Parses a number in the notation of Go: `1e3`, `+Inf`, `NaN`.
fn number(word: &str) -> Option<f64> {
    word.parse().ok()
}
