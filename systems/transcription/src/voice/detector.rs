use std::fmt;

/// Samples of one frame, 16 ms. The detector's model is trained for this length.
const FRAME: usize = 256;
/// Scores from which a frame counts as speech, by aggressiveness. 0.5 is the model's own recommendation.
const THRESHOLDS: [f32; 4] = [0.3, 0.4, 0.5, 0.7];

/// Judges every frame of a stream, whatever the length of its chunks.
pub(crate) struct Detector {
    model: Box<earshot::Detector>,
    threshold: f32,
    /// Samples of the frame that is not complete yet.
    partial: Vec<i16>,
}

impl Detector {
    /// `aggressiveness` is 0 to 3. Higher values take fewer frames for speech.
    pub(crate) fn new(aggressiveness: u8) -> Self {
        Self {
            model: earshot::Detector::default_boxed(),
            threshold: THRESHOLDS[usize::from(aggressiveness).min(3)],
            partial: Vec::new(),
        }
    }

    /// Judges the frames that `samples` complete, and passes each with its verdict to `take`.
    pub(crate) fn judge(&mut self, mut samples: &[i16], mut take: impl FnMut(&[i16], bool)) {
        if !self.partial.is_empty() {
            let missing = (FRAME - self.partial.len()).min(samples.len());
            let (head, tail) = samples.split_at(missing);
            self.partial.extend_from_slice(head);
            samples = tail;
            if self.partial.len() < FRAME {
                return;
            }
            let speech = self.model.predict_i16(&self.partial) >= self.threshold;
            take(&self.partial, speech);
            self.partial.clear();
        }
        let frames = samples.chunks_exact(FRAME);
        self.partial.extend_from_slice(frames.remainder());
        for frame in frames {
            let speech = self.model.predict_i16(frame) >= self.threshold;
            take(frame, speech);
        }
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("threshold", &self.threshold)
            .finish_non_exhaustive()
    }
}
