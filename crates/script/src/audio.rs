//! Audio for streams: files, silence, noise and speech. Every source is read once for all workers.

mod chunks;
mod speech;
mod store;
mod wav;

use model::Nanos;

pub use chunks::{Chunks, Utterance};
pub(crate) use store::{AudioStore, ChunksKey, Source};
pub(crate) use wav::parse as parse_wav;

/// Bytes of a sample of one channel.
const SAMPLE: usize = 2;
/// Root mean square of noise, as a share of full scale: -20 dB.
const LOUDNESS: f64 = 0.1;

/// The rate and the channels of audio. All samples are 16-bit signed integers, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// Samples per second of one channel.
    pub(crate) rate: u32,
    pub(crate) channels: u32,
}

impl Shape {
    /// Bytes of a sample of all channels.
    fn frame(self) -> usize {
        SAMPLE * self.channels as usize
    }

    /// Bytes of this span of time, in whole frames.
    pub(crate) fn bytes_in(self, span: Nanos) -> usize {
        let frames = u128::from(span.0) * u128::from(self.rate) / 1_000_000_000;
        usize::try_from(frames)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.frame())
    }
}

/// Audio as samples.
#[derive(Debug)]
pub(crate) struct Audio {
    pub(crate) shape: Shape,
    /// Whole frames.
    samples: Vec<u8>,
    /// The spoken words, if they are known.
    pub(crate) text: String,
}

impl Audio {
    /// Creates audio from raw samples. The remainder of an incomplete frame is dropped.
    pub(crate) fn new(shape: Shape, mut samples: Vec<u8>) -> Self {
        samples.truncate(samples.len() / shape.frame() * shape.frame());
        Self {
            shape,
            samples,
            text: String::new(),
        }
    }

    pub(crate) fn silence(shape: Shape, span: Nanos) -> Self {
        Self::new(shape, vec![0; shape.bytes_in(span)])
    }

    /// White noise. It is the same in each run.
    pub(crate) fn noise(shape: Shape, span: Nanos) -> Self {
        // A uniform distribution with this peak has the wanted root mean square.
        let peak = LOUDNESS * 3_f64.sqrt() * f64::from(i16::MAX);
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut sample = || {
            // xorshift64 (Marsaglia 2003)
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
            #[expect(
                clippy::cast_possible_truncation,
                reason = "within the range of the type"
            )]
            let sample = ((2.0 * uniform - 1.0) * peak) as i16;
            sample.to_le_bytes()
        };
        let count = shape.bytes_in(span) / SAMPLE;
        Self::new(shape, (0..count).flat_map(|_| sample()).collect())
    }

    /// Joins audio of the same shape. `None` if a shape differs, or if there is nothing to join.
    pub(crate) fn joined(parts: &[impl AsRef<Self>]) -> Option<Self> {
        let shape = parts.first()?.as_ref().shape;
        let same = parts.iter().all(|part| part.as_ref().shape == shape);
        let texts = parts.iter().map(|part| part.as_ref().text.as_str());
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        same.then(|| Self {
            shape,
            samples: parts
                .iter()
                .flat_map(|part| part.as_ref().samples.iter().copied())
                .collect(),
            text: texts.join(" "),
        })
    }

    /// Length in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        (self.samples.len() / self.shape.frame()) as f64 / f64::from(self.shape.rate)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        rate: 16_000,
        channels: 1,
    };

    #[test]
    fn noise_has_its_loudness_and_silence_has_none() {
        let second = Nanos::from_secs(1);
        let noise = Audio::noise(SHAPE, second);
        let squares = noise.samples.chunks_exact(2).map(|sample| {
            let sample = f64::from(i16::from_le_bytes([sample[0], sample[1]])) / 32_768.0;
            sample * sample
        });
        let loudness = (squares.sum::<f64>() / 16_000.0).sqrt();
        assert!((loudness - 0.1).abs() < 0.002, "{loudness}");
        let silence = Audio::silence(SHAPE, second);
        assert!(silence.samples.iter().all(|byte| *byte == 0));
        assert_eq!((silence.seconds(), noise.seconds()), (1.0, 1.0));
    }

    #[test]
    fn audio_of_different_shapes_cannot_be_joined() {
        use std::sync::Arc;
        let short = Arc::new(Audio::silence(SHAPE, Nanos::from_millis(100)));
        let stereo = Shape {
            channels: 2,
            ..SHAPE
        };
        let stereo = Arc::new(Audio::silence(stereo, Nanos::from_millis(100)));
        let joined = Audio::joined(&[short.clone(), short.clone()]).unwrap();
        assert!((joined.seconds() - 0.2).abs() < 1e-9);
        assert!(Audio::joined(&[short, stereo]).is_none());
    }
}
