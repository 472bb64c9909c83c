use super::RATE;
use super::format::{AudioError, Format};
use super::resample::Resampler;
use super::wav::{Begin, begin};

/// Converts the bytes of one stream. A WAV header at the beginning overrides the stated format. Bytes may be cut
/// anywhere, even within a sample.
#[derive(Debug)]
pub(crate) struct Intake {
    format: Format,
    /// Bytes that cannot be converted yet: an incomplete header or sample.
    rest: Vec<u8>,
    begun: bool,
    resampler: Option<Box<Resampler>>,
}

impl Intake {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            rest: Vec::new(),
            begun: false,
            resampler: None,
        }
    }

    /// Appends the samples that `bytes` complete, converted, to `samples`.
    pub(crate) fn push(&mut self, bytes: &[u8], samples: &mut Vec<i16>) -> Result<(), AudioError> {
        if self.begun && self.rest.is_empty() {
            return self.convert(bytes, samples);
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let start = if self.begun {
            0
        } else {
            match begin(&all)? {
                Begin::Incomplete => {
                    self.rest = all;
                    return Ok(());
                }
                Begin::Raw => 0,
                Begin::Wav(format, start) => {
                    self.format = format;
                    start
                }
            }
        };
        if !self.begun {
            self.begun = true;
            if self.format.rate != RATE {
                self.resampler = Some(Box::new(Resampler::new(self.format.rate)?));
            }
        }
        self.convert(&all[start..], samples)
    }

    fn convert(&mut self, bytes: &[u8], samples: &mut Vec<i16>) -> Result<(), AudioError> {
        let width = 2 * usize::from(self.format.channels);
        let frames = bytes.chunks_exact(width);
        self.rest.extend_from_slice(frames.remainder());
        match &mut self.resampler {
            None => samples.extend(frames.map(mixed)),
            Some(resampler) => {
                for frame in frames {
                    resampler.push(mixed(frame), samples)?;
                }
            }
        }
        Ok(())
    }
}

/// One sample of all channels, mixed to mono.
fn mixed(frame: &[u8]) -> i16 {
    match *frame {
        [low, high] => i16::from_le_bytes([low, high]),
        [a, b, c, d] => {
            let (left, right) = (i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
            i16::midpoint(left, right)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use proptest::prelude::*;

    use super::*;

    const MONO: Format = Format {
        rate: RATE,
        channels: 1,
    };

    fn bytes_of(samples: &[i16]) -> Vec<u8> {
        samples.iter().flat_map(|s| s.to_le_bytes()).collect()
    }

    fn through(format: Format, pieces: &[&[u8]]) -> Vec<i16> {
        let (mut intake, mut samples) = (Intake::new(format), Vec::new());
        for piece in pieces {
            intake.push(piece, &mut samples).unwrap();
        }
        samples
    }

    #[expect(clippy::cast_possible_truncation, reason = "the amplitude fits")]
    fn tone(rate: u32, hertz: f64, samples: u32) -> Vec<i16> {
        let at = |n: u32| (TAU * hertz * f64::from(n) / f64::from(rate)).sin() * 10_000.0;
        (0..samples).map(|n| at(n) as i16).collect()
    }

    /// The share of the signal's power at one frequency (Goertzel).
    fn share_at(samples: &[i16], hertz: f64) -> f64 {
        let step = TAU * hertz / f64::from(RATE);
        let (mut re, mut im, mut power) = (0.0, 0.0, 0.0);
        for (n, sample) in samples.iter().enumerate() {
            let value = f64::from(*sample);
            re += value * (step * n as f64).cos();
            im += value * (step * n as f64).sin();
            power += value * value;
        }
        2.0 * (re * re + im * im) / (samples.len() as f64 * power)
    }

    #[test]
    fn stereo_is_mixed() {
        let stereo = Format {
            channels: 2,
            ..MONO
        };
        let bytes = bytes_of(&[100, 300, -5, -7, 32_767, 32_767]);
        assert_eq!(through(stereo, &[&bytes]), [200, -6, 32_767]);
    }

    #[test]
    fn every_rate_keeps_duration_and_pitch() {
        for rate in [8_000, 11_025, 22_050, 32_000, 44_100, 48_000] {
            let second = bytes_of(&tone(rate, 440.0, rate));
            let converted = through(Format { rate, channels: 1 }, &[&second]);
            // The last incomplete block, up to 32 ms, waits for more audio.
            assert!(
                (15_400..=16_000).contains(&converted.len()),
                "{rate}: {}",
                converted.len()
            );
            let share = share_at(&converted[1_000..], 440.0);
            assert!(share > 0.99, "{rate}: {share}");
        }
    }

    #[test]
    fn a_tone_above_half_the_rate_does_not_fold_down() {
        let rate = 48_000;
        let converted = through(
            Format { rate, channels: 1 },
            &[&bytes_of(&tone(rate, 12_000.0, rate))],
        );
        let loudest = converted[1_000..].iter().map(|s| s.unsigned_abs()).max();
        assert!(loudest < Some(100), "{loudest:?}");
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(samples in proptest::collection::vec(any::<i16>(), 0..200), cut in 0usize..400, wav: bool) {
            let mut bytes = bytes_of(&samples);
            if wav {
                let header = b"RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0";
                bytes.splice(0..0, header.iter().copied());
            }
            let (left, right) = bytes.split_at(cut.min(bytes.len()));
            prop_assume!(wav || !bytes.starts_with(b"R"));
            prop_assert_eq!(through(MONO, &[left, right]), samples);
        }
    }
}
