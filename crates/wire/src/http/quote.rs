/// Maximum number of bytes of a body that a failure quotes.
const BODY_QUOTED: usize = 200;

/// The beginning of a response's body in one printable line, for the message of a failure. `None` if it is blank.
pub fn quoted_body(body: &[u8]) -> Option<String> {
    let shown = &body[..body.len().min(BODY_QUOTED)];
    let text = String::from_utf8_lossy(shown);
    let text = if shown.len() < body.len() {
        // The cut may have split a character, whose first part lossy decoding has replaced.
        text.trim_end_matches(char::REPLACEMENT_CHARACTER)
    } else {
        &text
    };
    let printable = |letter: char| if letter.is_control() { ' ' } else { letter };
    let text: String = text.chars().map(printable).collect();
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return None;
    }
    if shown.len() < body.len() {
        line.push('…');
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_becomes_one_printable_line() {
        let check = |body: &[u8], line: Option<&str>| {
            assert_eq!(quoted_body(body).as_deref(), line, "{body:?}");
        };
        check(b"", None);
        check(b" \r\n\0", None);
        check(
            b"{\n  \"error\": \"no\"\n}\n",
            Some("{ \"error\": \"no\" }"),
        );
        check(b"a\x1b[31mb\0c", Some("a [31mb c"));
    }

    #[test]
    fn a_long_body_is_cut_between_characters() {
        let body = "ä".repeat(150); // 300 bytes; byte 199 begins the hundredth
        let line = quoted_body(&body.as_bytes()[1..]).unwrap();
        assert_eq!(line.trim_end_matches('…').matches('ä').count(), 99);
        assert!(line.ends_with("ä…"), "{line}");
        assert_eq!(quoted_body(&[b'x'; 200]).unwrap().len(), 200);
    }
}
