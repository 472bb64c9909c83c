use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::Nanos;

use super::{Audio, SAMPLE, Shape};

/// A sample is silent if its magnitude is below 1 % of full scale.
const SILENT: u16 = 328;
/// The pause between two utterances.
const PAUSE: Nanos = Nanos::from_millis(300);

/// Audio in chunks of equal length, as they are sent. The last chunk is filled with silence.
#[derive(Debug)]
pub struct Chunks {
    data: Data,
    /// Bytes of each chunk in `data`.
    size: usize,
    utterances: Vec<Utterance>,
}

#[derive(Debug)]
enum Data {
    Binary(Vec<u8>),
    Base64(String),
}

/// Consecutive chunks with sound, without a pause of 300 ms between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// The first chunk with sound.
    pub first: u64,
    /// The last chunk with sound.
    pub last: u64,
}

impl Chunks {
    /// Divides samples of one channel (16-bit, little-endian) at this rate into chunks, and encodes them.
    pub fn from_samples(samples: Vec<u8>, rate: u32, length: Nanos, base64: bool) -> Self {
        let shape = Shape { rate, channels: 1 };
        Self::new(&Audio::new(shape, samples), length, base64)
    }

    /// Divides audio into chunks, and encodes them.
    pub(crate) fn new(audio: &Audio, length: Nanos, base64: bool) -> Self {
        let size = audio.shape.bytes_in(length).max(audio.shape.frame());
        let chunks = || audio.samples.chunks(size);
        let utterances = utterances(chunks().map(has_sound), length);
        let mut filled = vec![0; size];
        let mut fill = |chunk: &[u8]| {
            let (used, rest) = filled.split_at_mut(chunk.len());
            used.copy_from_slice(chunk);
            rest.fill(0);
            if base64 {
                Data::Base64(STANDARD.encode(&filled))
            } else {
                Data::Binary(filled.clone())
            }
        };
        let mut data = if base64 {
            Data::Base64(String::new())
        } else {
            Data::Binary(Vec::new())
        };
        let mut encoded = 0;
        for chunk in chunks() {
            match (fill(chunk), &mut data) {
                (Data::Base64(one), Data::Base64(all)) => {
                    encoded = one.len();
                    all.push_str(&one);
                }
                (Data::Binary(one), Data::Binary(all)) => {
                    encoded = one.len();
                    all.extend_from_slice(&one);
                }
                _ => {}
            }
        }
        Self {
            data,
            size: encoded.max(1),
            utterances,
        }
    }

    /// The number of chunks.
    pub fn count(&self) -> u64 {
        let bytes = match &self.data {
            Data::Binary(bytes) => bytes.len(),
            Data::Base64(text) => text.len(),
        };
        (bytes / self.size) as u64
    }

    /// The utterances, in order.
    pub fn utterances(&self) -> &[Utterance] {
        &self.utterances
    }

    /// A chunk as base64. Empty if the chunks are binary.
    pub fn base64(&self, chunk: u64) -> &str {
        match &self.data {
            Data::Base64(text) => text.get(self.range(chunk)).unwrap_or_default(),
            Data::Binary(_) => "",
        }
    }

    /// A binary chunk. Empty if the chunks are base64.
    pub fn binary(&self, chunk: u64) -> &[u8] {
        match &self.data {
            Data::Binary(bytes) => bytes.get(self.range(chunk)).unwrap_or_default(),
            Data::Base64(_) => &[],
        }
    }

    fn range(&self, chunk: u64) -> std::ops::Range<usize> {
        let start = usize::try_from(chunk)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.size);
        start..start.saturating_add(self.size)
    }
}

fn has_sound(chunk: &[u8]) -> bool {
    let samples = chunk.chunks_exact(SAMPLE);
    let mut samples = samples.map(|sample| i16::from_le_bytes([sample[0], sample[1]]));
    samples.any(|sample| sample.unsigned_abs() >= SILENT)
}

fn utterances(sounds: impl Iterator<Item = bool>, length: Nanos) -> Vec<Utterance> {
    let mut found: Vec<Utterance> = Vec::new();
    let pause = PAUSE.0.div_ceil(length.0.max(1));
    for (chunk, sounds) in (0..).zip(sounds) {
        match found.last_mut() {
            _ if !sounds => {}
            Some(last) if chunk - last.last <= pause => last.last = chunk,
            _ => found.push(Utterance {
                first: chunk,
                last: chunk,
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        rate: 1000,
        channels: 1,
    };

    #[test]
    fn chunks_are_equally_long_and_encoded_as_the_samples_are() {
        let audio = Audio::new(SHAPE, (1..=50).collect());
        let binary = Chunks::new(&audio, Nanos::from_millis(10), false);
        assert_eq!(binary.count(), 3);
        assert_eq!(binary.binary(0), (1..=20).collect::<Vec<u8>>());
        let last: Vec<u8> = (41..=50).chain([0; 10]).collect();
        assert_eq!(binary.binary(2), last);
        assert_eq!(binary.binary(3), b"");
        let base64 = Chunks::new(&audio, Nanos::from_millis(10), true);
        assert_eq!(base64.count(), 3);
        assert_eq!(STANDARD.decode(base64.base64(2)).unwrap(), last);
    }

    #[test]
    fn an_utterance_ends_before_a_pause_of_300_ms() {
        let of = |text: &str| {
            let sounds = text.chars().map(|sign| sign == '#');
            let found = utterances(sounds, Nanos::from_millis(100));
            let found = found.into_iter();
            found.map(|one| (one.first, one.last)).collect::<Vec<_>>()
        };
        assert_eq!(of("....."), []);
        assert_eq!(of(".##.#..#..."), [(1, 7)]);
        assert_eq!(of("#...##....."), [(0, 0), (4, 5)]);
    }
}
