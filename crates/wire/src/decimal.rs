//! Decimal numbers of text protocols.

/// Appends a number.
pub(crate) fn push(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Parses a number that consists of digits alone. `None` for anything else, and if the number is too large.
pub(crate) fn parse(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_digits_are_a_number() {
        for bad in [
            "",
            "-1",
            "+1",
            " 1",
            "1 ",
            "0x1",
            "18446744073709551616",
            "١",
        ] {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(parse(b"007"), Some(7));
        assert_eq!(parse(b"18446744073709551615"), Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn numbers_are_written_and_read_as_the_standard_library_does(number in any::<u64>(), shift in 0_u32..64) {
            let number = number >> shift;
            let mut out = Vec::new();
            push(&mut out, number);
            let expected = number.to_string().into_bytes();
            prop_assert_eq!(&out, &expected);
            prop_assert_eq!(parse(&out), Some(number));
        }
    }
}
