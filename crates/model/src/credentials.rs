//! Hides user names and passwords in URLs. They are sent to the target, but never shown or stored.

use std::borrow::Cow;

/// The replacement for credentials and other hidden values.
pub(crate) const HIDDEN: &str = "***";

/// Replaces every user name and password in the URLs of a text: `http://***@host/`. A user name without a password is
/// also hidden, because it can be a token. The text can be anything to be shown or stored, including JSON and source
/// code.
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let (mut copied, mut passed) = (0, 0);
    for (at, _) in text.match_indices("//") {
        if at < passed {
            continue;
        }
        // Skips further slashes, as URL parsers do.
        let rest = text[at..].trim_start_matches('/');
        let authority = &rest[..rest.find(ends_authority).unwrap_or(rest.len())];
        // A password may contain an `@`, so the host begins after the last `@`.
        let start = text.len() - rest.len();
        // Each slash and each authority is looked at once, because a server may send megabytes of slashes.
        passed = start;
        if let Some(length) = authority.rfind('@').filter(|&length| length > 0) {
            shown.push_str(&text[copied..start]);
            shown.push_str(HIDDEN);
            copied = start + length;
            passed = copied;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Hides everything before the last `@`. Use this for invalid URLs, in which any part may be a credential.
pub fn without_what_may_be_credentials(text: &str) -> Cow<'_, str> {
    match text.rsplit_once('@') {
        Some((_, rest)) => Cow::Owned(format!("{HIDDEN}@{rest}")),
        None => Cow::Borrowed(text),
    }
}

/// Whether the character ends the authority of a URL. Double quotes, backticks and backslashes also end it, so that an
/// authority never extends beyond a string in JSON or source code.
fn ends_authority(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '/' | '?' | '#' | '\\' | '"' | '<' | '>' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden_wherever_a_url_stands() {
        let check = |text: &str, shown: &str| assert_eq!(without_credentials(text), shown);
        check(
            "http://ann:secret@host:80/x?y#z",
            "http://***@host:80/x?y#z",
        );
        check("//ann:secret@host/x", "//***@host/x");
        check("wss://token@host", "wss://***@host");
        check("http://ann:p@ss:w'(rd)@host/a@b", "http://***@host/a@b");
        check("http:////ann:secret@host/x", "http:////***@host/x");
        check("http://ann:@host", "http://***@host");
        check(
            "from http://a:b@c/ to nats://d:e@f:4222, or http://g/h",
            "from http://***@c/ to nats://***@f:4222, or http://g/h",
        );
        check(
            r#"{"a":"http://b:c@d","e":"//f:g@h\n"}"#,
            r#"{"a":"http://***@d","e":"//***@h\n"}"#,
        );
        check("`http://${name}:${word}@host/`", "`http://***@host/`");
    }

    #[test]
    fn of_what_is_no_url_nothing_before_an_at_is_shown() {
        let shown = without_what_may_be_credentials;
        assert_eq!(shown("ann:secret@host/"), "***@host/");
        assert_eq!(shown("http://ann:sec/ret@host/"), "***@host/");
        assert_eq!(shown("localhost"), "localhost");
    }

    #[test]
    fn megabytes_of_slashes_take_no_time() {
        let slashes = "/".repeat(10_000_000);
        assert_eq!(without_credentials(&slashes), slashes);
        let hidden = without_credentials(&format!("{slashes}ann@host")).into_owned();
        assert!(hidden.ends_with("/***@host"));
    }

    #[test]
    fn nothing_else_is_touched() {
        for text in [
            "",
            "http://host/@someone?mail=a@b.c",
            "// mail ann@host.test",
            "//@ts-ignore",
            r#"{"a":"http://b","c":"d@e"}"#,
            "file:///x a@b",
            "ann:secret@host",
        ] {
            assert!(
                matches!(without_credentials(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
    }
}
