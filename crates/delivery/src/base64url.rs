/// Marks a byte outside the alphabet. At any position in a quartet, it sets a bit above the quartet's 24 bits.
const NONE: u32 = !63;
/// The 6-bit value of each character of the base64url alphabet (RFC 4648 §5), indexed by byte.
const VALUES: [u32; 256] = values();

const fn values() -> [u32; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut values = [NONE; 256];
    let mut value: u8 = 0;
    while (value as usize) < alphabet.len() {
        values[alphabet[value as usize] as usize] = value as u32;
        value += 1;
    }
    values
}

/// Decodes unpadded base64url (RFC 4648 §5) of a fixed length: `TEXT` is 4/3 of `BYTES`. Returns `None` if a byte is
/// not in the alphabet.
///
/// A general decoder also looks for padding and for the end of the text, which costs more than all other work on a
/// received stamp.
pub(crate) fn decode<const TEXT: usize, const BYTES: usize>(
    text: &[u8; TEXT],
) -> Option<[u8; BYTES]> {
    const { assert!(TEXT.is_multiple_of(4) && TEXT / 4 * 3 == BYTES) };
    let mut bytes = [0; BYTES];
    // Collects the bits of all quartets, so that one check at the end finds every byte outside the alphabet.
    let mut seen = 0;
    let (quartets, _) = text.as_chunks();
    let (triples, _) = bytes.as_chunks_mut();
    for (&quartet, triple) in quartets.iter().zip(triples) {
        let [a, b, c, d] = quartet;
        let value = |letter: u8| VALUES[usize::from(letter)];
        let bits = value(a) << 18 | value(b) << 12 | value(c) << 6 | value(d);
        seen |= bits;
        let [_, first, second, third] = bits.to_be_bytes();
        *triple = [first, second, third];
    }
    (seen >> 24 == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_the_general_decoder(text in prop::collection::vec(any::<u8>(), 12)) {
            let ours: Option<[u8; 9]> = decode::<12, 9>(text.as_slice().try_into().unwrap());
            prop_assert_eq!(ours.map(Vec::from), URL_SAFE_NO_PAD.decode(&text).ok());
        }

        #[test]
        fn brings_back_what_was_encoded(bytes: [u8; 9]) {
            let text = URL_SAFE_NO_PAD.encode(bytes);
            prop_assert_eq!(decode::<12, 9>(text.as_bytes().try_into().unwrap()), Some(bytes));
        }
    }

    #[test]
    fn every_byte_that_is_no_letter_is_refused() {
        for byte in 0..=u8::MAX {
            let letter = byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            assert_eq!(decode::<4, 3>(&[b'A', byte, b'A', b'A']).is_some(), letter);
        }
    }

    #[test]
    fn several_bytes_that_are_no_letters_do_not_cancel_each_other_out() {
        for wrong in 1..16_u8 {
            let text = [0, 1, 2, 3].map(|at| if wrong >> at & 1 == 1 { b'!' } else { b'A' });
            assert_eq!(decode::<4, 3>(&text), None, "{text:?}");
        }
    }
}
