//! Shortens, wraps and escapes text, so that names from files cannot break a line or contain markup.

/// Replaces characters with spaces if they move a terminal's cursor, break a line, reverse its direction or are
/// invisible. Names come from files and targets, which may contain such characters.
pub fn visible(text: &str) -> String {
    let unseen = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let shown = |letter: char| if unseen(letter) { ' ' } else { letter };
    text.chars().map(shown).collect()
}

/// Shortens the text to `width` characters, with `…` at the end, and makes it [`visible`].
pub fn shorten(text: &str, width: usize) -> String {
    let line: Vec<char> = visible(text.trim_end()).chars().collect();
    if line.len() <= width {
        return line.into_iter().collect();
    }
    line.into_iter()
        .take(width.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Shortens a name to `width` characters, with `…` in the middle, because names of one system often begin alike. Makes it
/// [`visible`].
pub fn shorten_name(name: &str, width: usize) -> String {
    let letters: Vec<char> = visible(name.trim_end()).chars().collect();
    if letters.len() <= width {
        return letters.into_iter().collect();
    }
    let shown = width.saturating_sub(1);
    let (begin, end) = (shown.div_ceil(2), letters.len() - shown / 2);
    let begin = letters[..begin].iter();
    begin.chain(&['…']).chain(&letters[end..]).collect()
}

/// Breaks text between words into at most `most` lines of at most `width` characters. A word that is longer than a line
/// is broken too. If text remains, the last line ends with `…`.
pub fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut rest = shorten(text, usize::MAX);
    let mut lines = Vec::new();
    let width = width.max(1); // each line needs a character to make progress
    while lines.len() + 1 < most && rest.chars().count() > width {
        let end_of = |count: usize| {
            let end = rest.char_indices().nth(count);
            end.map_or(rest.len(), |(at, _)| at)
        };
        // A space directly after the last fitting character is a possible break, too.
        let fitting = &rest[..end_of(width + 1)];
        let at = fitting.rfind(' ').filter(|at| *at > 0);
        let at = at.unwrap_or_else(|| end_of(width));
        let next = rest[at..].trim_start().to_owned();
        rest.truncate(at);
        lines.push(std::mem::replace(&mut rest, next));
    }
    lines.push(shorten(&rest, width));
    lines
}

/// Formats a name as Markdown code on a single line, safe in a table.
pub fn code(name: &str) -> String {
    let line = shorten(name, 200).replace('|', "\\|");
    if line.contains('`') {
        format!("`` {line} ``")
    } else {
        format!("`{line}`")
    }
}

/// Escapes text for Markdown on a single line, safe in a table. Names from files cannot contain markup, mentions or
/// references.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in shorten(text, 1_000).chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => {
                escaped.extend(['\\', letter]);
            }
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Escapes a text for HTML, both between tags and in quoted attributes. Control characters become visible.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(letter),
            control if control.is_control() => escaped.extend(control.escape_default()),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_loses_its_middle() {
        assert_eq!(shorten_name("GET /a/b", 8), "GET /a/b");
        assert_eq!(shorten_name("GET /a/b", 7), "GET…a/b");
        assert_eq!(shorten_name("GET /a/b", 6), "GET…/b");
        assert_eq!(shorten_name("a\u{1b}b", 3), "a b");
    }

    #[test]
    fn long_lines_are_cut_and_stay_one_line() {
        assert_eq!(shorten("a\nb", 10), "a b");
        assert_eq!(shorten("ünïcödé", 4), "ünï…");
    }

    #[test]
    fn a_long_text_is_broken_between_words_and_cut_at_the_last_line() {
        assert_eq!(wrap("one two three", 20, 3), ["one two three"]);
        assert_eq!(wrap("one two three", 7, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three", 8, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 5, 3), ["one", "two", "thre…"]);
        assert_eq!(wrap("− µs one − two", 8, 2), ["− µs one", "− two"]);
        assert_eq!(wrap("723.967 µs", 8, 2), ["723.967", "µs"]);
    }

    #[test]
    fn a_word_longer_than_the_line_is_broken_and_nothing_of_it_is_lost() {
        assert_eq!(wrap("unbreakable", 5, 3), ["unbre", "akabl", "e"]);
        assert_eq!(wrap("unbreakable", 5, 2), ["unbre", "akab…"]);
        assert_eq!(
            wrap("see /a/very/long/path now", 8, 9),
            ["see", "/a/very/", "long/pat", "h now"]
        );
        let url = "http://127.0.0.1/äöü".repeat(20);
        assert_eq!(wrap(&url, 30, usize::MAX).concat(), url);
        assert_eq!(wrap("ab", 0, 9), ["a", "b"]);
    }

    #[test]
    fn names_cannot_contain_markup_or_move_the_cursor() {
        assert_eq!(escape("a|b <i> @me #1"), "a\\|b &lt;i&gt; &#64;me \\#1");
        assert_eq!(visible("a\u{1b}[2Kb\u{202e}c"), "a [2Kb c");
        assert_eq!(code("a|b"), "`a\\|b`");
    }
}
