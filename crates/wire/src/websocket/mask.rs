/// Masks or unmasks in place (RFC 6455 §5.3), eight bytes at a time, which the compiler can vectorise.
pub(super) fn apply(bytes: &mut [u8], mask: [u8; 4]) {
    let [a, b, c, d] = mask;
    let wide = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut chunks = bytes.chunks_exact_mut(8);
    for chunk in &mut chunks {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        let masked = u64::from_ne_bytes(eight) ^ wide;
        chunk.copy_from_slice(&masked.to_ne_bytes());
    }
    for (byte, key) in chunks.into_remainder().iter_mut().zip(mask.iter().cycle()) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_meets_the_key_byte_of_its_place() {
        let mask = [1, 2, 4, 8];
        for length in 0..40 {
            let mut bytes: Vec<u8> = (0..length).map(|at| at * 3).collect();
            let expected: Vec<u8> = bytes
                .iter()
                .enumerate()
                .map(|(at, byte)| byte ^ mask[at % 4])
                .collect();
            apply(&mut bytes, mask);
            assert_eq!(bytes, expected);
        }
    }
}
