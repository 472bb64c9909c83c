use model::{Fault, FaultKind};

/// Checks a subject to which a message is published: words between dots, without wildcards.
pub fn published(subject: &str) -> Result<&str, Fault> {
    let wild = |word: &str| matches!(word, "*" | ">");
    if is_subject(subject) && !subject.split('.').any(wild) {
        return Ok(subject);
    }
    Err(refused(format!(
        "{subject:?} is not a subject to publish to: use words between dots, without blanks and wildcards"
    )))
}

/// Checks a subject to subscribe to. `*` stands for one word, and `>` at the end for one or more.
pub fn subscribed(subject: &str) -> Result<&str, Fault> {
    let mut words = subject.split('.');
    words.next_back();
    if is_subject(subject) && !words.any(|word| word == ">") {
        return Ok(subject);
    }
    Err(refused(format!(
        "{subject:?} is not a subject to subscribe to: use words between dots, `*` for any word, and `>` at the end"
    )))
}

/// Checks the name of a queue group, which is one word.
pub(super) fn queue(name: &str) -> Result<&str, Fault> {
    if is_word(name) {
        return Ok(name);
    }
    Err(refused(format!(
        "{name:?} is not the name of a queue group: use a name without blanks"
    )))
}

/// Whether a message of this subject reaches a subscription.
pub fn matches(subscribed: &str, published: &str) -> bool {
    let mut patterns = subscribed.split('.');
    let mut words = published.split('.');
    loop {
        match (patterns.next(), words.next()) {
            (Some(">"), Some(_)) | (None, None) => return true,
            (Some(pattern), Some(word)) if pattern == "*" || pattern == word => {}
            _ => return false,
        }
    }
}

fn is_subject(subject: &str) -> bool {
    subject.split('.').all(is_word)
}

/// Whether the text can stand as one word of a line. The server also refuses other blanks and NUL.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text
            .bytes()
            .any(|byte| matches!(byte, 0 | b'\t'..=b'\r' | b' '))
}

/// A fault of the script: a text that would break the framing, or that the server would refuse.
pub(super) fn refused(detail: impl Into<String>) -> Fault {
    Fault::script(FaultKind::Protocol, detail)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn subjects_are_words_between_dots() {
        for right in [
            "a",
            "a.b",
            "$JS.API.INFO",
            "a.>b",
            "a*",
            "é.1",
            "_INBOX.x-y",
        ] {
            assert!(published(right).is_ok(), "{right}");
            assert!(subscribed(right).is_ok(), "{right}");
        }
        for pattern in ["*", ">", "a.*", "*.b", "a.>", "a.*.b.>"] {
            assert!(published(pattern).is_err(), "{pattern}");
            assert!(subscribed(pattern).is_ok(), "{pattern}");
        }
        for wrong in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a b",
            "a\r\nPING",
            "a\tb",
            "a\0",
            " a",
        ] {
            assert!(published(wrong).is_err(), "{wrong:?}");
            assert!(subscribed(wrong).is_err(), "{wrong:?}");
        }
        assert!(subscribed(">.a").is_err() && subscribed("a.>.b").is_err());
        assert!(queue("workers.1").is_ok() && queue("a b").is_err() && queue("").is_err());
    }

    #[test]
    fn the_wildcards_of_the_documentation() {
        let table = [
            ("time.*.east", "time.us.east", true),
            ("time.*.east", "time.eu.east", true),
            ("time.*.east", "time.us.west", false),
            ("time.*.east", "time.us.east.atlanta", false),
            ("time.us.>", "time.us.east.atlanta", true),
            ("time.us.>", "time.us.east", true),
            ("time.us.>", "time.us", false),
            ("*.*.east.>", "time.us.east.atlanta", true),
            (">", "a", true),
            ("a", "a", true),
            ("a", "a.b", false),
            ("a.b", "a", false),
        ];
        for (pattern, subject, expected) in table {
            assert_eq!(matches(pattern, subject), expected, "{pattern} {subject}");
        }
    }

    /// Brute force: tries every way in which a pattern may use up the words.
    fn covers(pattern: &[&str], words: &[&str]) -> bool {
        match (pattern, words) {
            ([], []) | ([">"], [_, ..]) => true,
            ([first, pattern @ ..], [word, words @ ..]) => {
                (*first == "*" || first == word) && covers(pattern, words)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_its_definition(pattern in "[ab*](\\.[ab*]){0,3}(\\.>)?", subject in "[ab](\\.[ab]){0,4}") {
            let words: Vec<&str> = subject.split('.').collect();
            let expected = covers(&pattern.split('.').collect::<Vec<_>>(), &words);
            prop_assert_eq!(matches(&pattern, &subject), expected);
        }
    }
}
