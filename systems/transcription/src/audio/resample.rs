use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{Fft, FixedSync, Resampler as _};

use super::RATE;
use super::format::AudioError;

/// Number of input samples converted at once, in milliseconds. Shorter blocks cost more, longer ones add latency.
const BLOCK_MS: u32 = 10;

/// Converts a stream of samples to 16 kHz.
#[derive(Debug)]
pub(super) struct Resampler {
    inner: Fft<f32>,
    waiting: Vec<f32>,
    output: Vec<f32>,
}

impl Resampler {
    pub(super) fn new(rate: u32) -> Result<Self, AudioError> {
        let (from, to) = (rate as usize, RATE as usize);
        let block = from * BLOCK_MS as usize / 1000;
        let inner = Fft::new(from, to, block, 1, FixedSync::Both);
        let inner = inner.map_err(|error| AudioError::Conversion(error.to_string()))?;
        Ok(Self {
            waiting: Vec::with_capacity(inner.input_frames_max()),
            output: vec![0.0; inner.output_frames_max()],
            inner,
        })
    }

    /// Adds one sample. After every block, the converted samples are appended to `converted`.
    pub(super) fn push(&mut self, sample: i16, converted: &mut Vec<i16>) -> Result<(), AudioError> {
        self.waiting.push(f32::from(sample));
        if self.waiting.len() < self.inner.input_frames_next() {
            return Ok(());
        }
        let refused = |error: &dyn std::fmt::Display| AudioError::Conversion(error.to_string());
        let input = SequentialSlice::new(self.waiting.as_slice(), 1, self.waiting.len());
        let input = input.map_err(|error| refused(&error))?;
        let room = self.output.len();
        let output = SequentialSlice::new_mut(self.output.as_mut_slice(), 1, room);
        let mut output = output.map_err(|error| refused(&error))?;
        let done = self.inner.process_into_buffer(&input, &mut output, None);
        let (_, written) = done.map_err(|error| refused(&error))?;
        converted.extend(self.output[..written].iter().map(|sample| rounded(*sample)));
        self.waiting.clear();
        Ok(())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, as clipped audio does"
)]
fn rounded(sample: f32) -> i16 {
    sample.round() as i16
}
