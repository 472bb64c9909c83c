//! Audio for the tests. Speech is imitated: a detector of voice activity takes it for speech, a person would not.

/// Bytes of a chunk of 20 ms.
pub(crate) const CHUNK: usize = 640;

/// Bytes of 16-bit samples.
pub(crate) fn bytes(samples: &[i16]) -> Vec<u8> {
    samples
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect()
}

pub(crate) fn silence(ms: usize) -> Vec<u8> {
    vec![0; ms * 32]
}

/// Loud noise, which the clients of the field report sent.
pub(crate) fn noise(ms: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut samples = Vec::new();
    for _ in 0..ms * 16 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let random = state.to_le_bytes();
        samples.push(i16::from_le_bytes([random[5], random[6]]));
    }
    bytes(&samples)
}
