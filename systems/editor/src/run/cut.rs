//! Measures and limits the size of a text as JSON, where one byte of a program's output may take six bytes.

/// Size of a character within a JSON string, in bytes.
fn width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => c.len_utf8(),
    }
}

/// Size of a text as a JSON string without its quotes, in bytes.
pub(super) fn escaped(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// Truncates a text to at most `most` bytes as a JSON string without its quotes.
pub(super) fn truncate(text: &mut String, most: usize) {
    let mut left = most;
    let cut = text.char_indices().find(|&(_, c)| {
        let fits = width(c) <= left;
        left = left.saturating_sub(width(c));
        !fits
    });
    if let Some((at, _)) = cut {
        text.truncate(at);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_as_long_as_serde_writes_it(text: String) {
            prop_assert_eq!(escaped(&text) + 2, serde_json::to_string(&text).unwrap().len());
        }

        #[test]
        fn a_text_is_cut_where_the_next_character_does_not_fit(text: String, most in 0_usize..100) {
            let mut cut = text.clone();
            truncate(&mut cut, most);
            prop_assert!(escaped(&cut) <= most);
            let next = text.strip_prefix(&cut).unwrap().chars().next();
            prop_assert!(next.is_none_or(|next| escaped(&cut) + width(next) > most));
        }
    }

    #[test]
    fn control_characters_are_six_bytes_and_short_ones_two() {
        assert_eq!(escaped("a\u{1}\n\"\\\u{7f}é"), 1 + 6 + 2 + 2 + 2 + 1 + 2);
    }
}
