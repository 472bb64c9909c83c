use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Decodes Base64 as Python does: characters outside of the alphabet are skipped, and everything after the padding is
/// ignored. `None` if the padding is wrong.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    // Clients send canonical Base64, and this is many times faster than skipping.
    STANDARD.decode(text).ok().or_else(|| skipping(text))
}

fn skipping(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() {
        return None;
    }
    let mut kept = String::new();
    let mut pads = 0;
    for character in text.chars() {
        match character {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '+' | '/' => {
                kept.push(character);
                pads = 0;
            }
            '=' if kept.len() % 4 >= 2 => {
                pads += 1;
                if kept.len() % 4 + pads == 4 {
                    break;
                }
            }
            _ => {}
        }
    }
    if kept.len() % 4 + pads != 4 && !kept.len().is_multiple_of(4) {
        return None;
    }
    kept.extend(std::iter::repeat_n('=', pads));
    lenient().decode(kept).ok()
}

/// Python ignores bits beyond the last byte.
fn lenient() -> base64::engine::GeneralPurpose {
    use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&base64::alphabet::STANDARD, config)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of `base64.b64decode` of Python 3.11.
    #[test]
    fn every_text_is_decoded_as_python_does() {
        let table: [(&str, Option<&[u8]>); 15] = [
            ("", Some(b"")),
            ("AAEC", Some(&[0, 1, 2])),
            ("AA==", Some(&[0])),
            ("AAE=", Some(&[0, 1])),
            ("A A\nE!C", Some(&[0, 1, 2])),
            ("AAE\u{20ac}C", None),
            ("!!!", Some(b"")),
            ("=", Some(b"")),
            ("A", None),
            ("AA", None),
            ("AA=", None),
            ("AAE", None),
            ("AA==AAEC", Some(&[0])),
            ("AB==", Some(&[0])),
            ("A=AEC", Some(&[0, 1, 2])),
        ];
        for (text, expected) in table {
            assert_eq!(decode(text).as_deref(), expected, "{text:?}");
        }
    }
}
