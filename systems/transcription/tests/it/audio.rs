//! Audio for the tests. Noise imitates speech: a detector of voice activity takes it for speech, a person would not.

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

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

/// Speech of a free synthesizer as a WAV file.
pub(crate) fn spoken(text: &str) -> Vec<u8> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("headcount-speech-{}-{number}.wav", std::process::id());
    let file = std::env::temp_dir().join(name);
    let said = Command::new("flite")
        .args(["-voice", "slt", "-t", text, "-o"])
        .arg(&file)
        .status();
    assert!(
        said.expect("flite is not installed: run ./test.sh or `apt-get install flite`")
            .success()
    );
    let speech = std::fs::read(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    speech
}
