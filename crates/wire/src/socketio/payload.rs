//! The body of a polling request or response: packets separated by `\x1e`, binary ones as `b` and base64.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use model::Fault;

use crate::fault::protocol;

const SEPARATOR: u8 = 0x1e;

/// One packet of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A text Engine.IO packet.
    Text(&'a str),
    /// A binary message.
    Binary(Vec<u8>),
}

/// The packets of a payload, in order. An empty payload has none.
pub fn parts(payload: &[u8]) -> impl Iterator<Item = Result<Part<'_>, Fault>> {
    let all = payload.split(|&byte| byte == SEPARATOR);
    all.filter(|_| !payload.is_empty()).map(part)
}

fn part(bytes: &[u8]) -> Result<Part<'_>, Fault> {
    let text = str::from_utf8(bytes).map_err(|_| protocol("a polling payload is not UTF-8"))?;
    match text.strip_prefix('b') {
        None => Ok(Part::Text(text)),
        Some(coded) => BASE64_STANDARD
            .decode(coded)
            .map(Part::Binary)
            .map_err(|_| protocol("a binary packet of a polling payload is not base64")),
    }
}

/// Appends one packet to a payload.
pub fn encode_part(payload: &mut Vec<u8>, part: &Part<'_>) {
    if !payload.is_empty() {
        payload.push(SEPARATOR);
    }
    match part {
        Part::Text(text) => payload.extend_from_slice(text.as_bytes()),
        Part::Binary(bytes) => {
            payload.push(b'b');
            payload.extend_from_slice(BASE64_STANDARD.encode(bytes).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_payloads_of_the_protocols_text() {
        let payload = b"4hello\x1e2\x1e4world";
        let read: Vec<_> = parts(payload).map(Result::unwrap).collect();
        assert_eq!(
            read,
            [Part::Text("4hello"), Part::Text("2"), Part::Text("4world")]
        );
        let read: Vec<_> = parts(b"4hello\x1ebAQIDBA==").map(Result::unwrap).collect();
        assert_eq!(read, [Part::Text("4hello"), Part::Binary(vec![1, 2, 3, 4])]);
        assert_eq!(parts(b"").count(), 0);
        assert!(parts(b"b!").any(|part| part.is_err()));
        assert!(parts(b"4\xff").any(|part| part.is_err()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            all in prop::collection::vec(
                prop_oneof![
                    "[0-6][^\\x1e]{0,9}".prop_map(Ok),
                    prop::collection::vec(any::<u8>(), 0..20).prop_map(Err),
                ],
                0..6,
            ),
        ) {
            let wanted: Vec<Part<'_>> = all
                .iter()
                .map(|one| match one {
                    Ok(text) => Part::Text(text),
                    Err(bytes) => Part::Binary(bytes.clone()),
                })
                .collect();
            let mut payload = Vec::new();
            for part in &wanted {
                encode_part(&mut payload, part);
            }
            let read: Result<Vec<Part<'_>>, Fault> = parts(&payload).collect();
            prop_assert_eq!(read.unwrap(), wanted);
        }
    }
}
