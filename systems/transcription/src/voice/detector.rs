use super::model::Model;
use crate::limits::VadKind;

/// Judges every frame of a stream, whatever the length of its chunks.
#[derive(Debug)]
pub(crate) struct Detector {
    model: Model,
    /// Samples of the frame that is not complete yet.
    partial: Vec<i16>,
}

impl Detector {
    /// `aggressiveness` is 0 to 3. Higher values take fewer frames for speech.
    pub(crate) fn new(kind: VadKind, aggressiveness: u8) -> Self {
        Self {
            model: Model::new(kind, aggressiveness),
            partial: Vec::new(),
        }
    }

    /// Judges the frames that `samples` complete, and passes each with its verdict to `take`.
    pub(crate) fn judge(&mut self, mut samples: &[i16], mut take: impl FnMut(&[i16], bool)) {
        let length = self.model.frame();
        if !self.partial.is_empty() {
            let missing = (length - self.partial.len()).min(samples.len());
            let (head, tail) = samples.split_at(missing);
            self.partial.extend_from_slice(head);
            samples = tail;
            if self.partial.len() < length {
                return;
            }
            let speech = self.model.is_speech(&self.partial);
            take(&self.partial, speech);
            self.partial.clear();
        }
        let frames = samples.chunks_exact(length);
        self.partial.extend_from_slice(frames.remainder());
        for frame in frames {
            let speech = self.model.is_speech(frame);
            take(frame, speech);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise with this share of the full scale.
    fn noise(seconds: usize, share: i32) -> Vec<i16> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            i16::from_le_bytes([state.to_le_bytes()[5], state.to_le_bytes()[6]])
        };
        let samples = (0..seconds * 16_000).map(|_| i32::from(next()) * share / 100);
        samples
            .map(|sample| i16::try_from(sample).unwrap())
            .collect()
    }

    /// The verdicts on a stream that arrives in chunks of `chunk` samples.
    fn verdicts(kind: VadKind, samples: &[i16], chunk: usize) -> Vec<bool> {
        let mut detector = Detector::new(kind, 2);
        let mut verdicts = Vec::new();
        for chunk in samples.chunks(chunk) {
            detector.judge(chunk, |_, speech| verdicts.push(speech));
        }
        verdicts
    }

    #[test]
    fn every_frame_is_judged_whatever_the_length_of_chunks() {
        let audio = [noise(1, 100), vec![0; 16_000], noise(1, 100)].concat();
        for (kind, frames) in [(VadKind::Webrtc, 150), (VadKind::Neural, 187)] {
            let whole = verdicts(kind, &audio, audio.len());
            assert_eq!(whole.len(), frames);
            let silent = whole.iter().filter(|speech| !**speech).count();
            assert!(
                (frames / 4..frames / 2).contains(&silent),
                "{kind:?}: {silent}"
            );
            for chunk in [1, 100, 320, 333] {
                assert_eq!(verdicts(kind, &audio, chunk), whole, "{kind:?}, {chunk}");
            }
        }
    }

    #[test]
    fn the_neural_detector_tells_steady_noise_from_speech() {
        let noise = noise(5, 10);
        let share = |kind| {
            let verdicts = verdicts(kind, &noise, 320);
            verdicts.iter().filter(|speech| **speech).count() * 100 / verdicts.len()
        };
        assert!(share(VadKind::Neural) < 10);
        assert!(share(VadKind::Webrtc) > 90);
    }
}
