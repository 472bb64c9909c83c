use std::fmt;

use earshot_webrtc::{VoiceActivityDetector, VoiceActivityProfile};

use crate::limits::VadKind;

/// Scores of the neural network from which a frame counts as speech, by aggressiveness. 0.5 is its own recommendation.
const THRESHOLDS: [f32; 4] = [0.3, 0.4, 0.5, 0.7];

/// What decides whether a frame is speech.
pub(super) enum Model {
    Webrtc(Box<VoiceActivityDetector>),
    Neural {
        network: Box<earshot::Detector>,
        threshold: f32,
    },
}

impl Model {
    /// `aggressiveness` is 0 to 3. Higher values take fewer frames for speech.
    pub(super) fn new(kind: VadKind, aggressiveness: u8) -> Self {
        match kind {
            VadKind::Webrtc => {
                let profile = match aggressiveness {
                    0 => VoiceActivityProfile::QUALITY,
                    1 => VoiceActivityProfile::LBR,
                    2 => VoiceActivityProfile::AGGRESSIVE,
                    _ => VoiceActivityProfile::VERY_AGGRESSIVE,
                };
                Self::Webrtc(Box::new(VoiceActivityDetector::new(profile)))
            }
            VadKind::Neural => Self::Neural {
                network: earshot::Detector::default_boxed(),
                threshold: THRESHOLDS[usize::from(aggressiveness).min(3)],
            },
        }
    }

    /// Samples of one frame.
    pub(super) fn frame(&self) -> usize {
        match self {
            Self::Webrtc(_) => 320,
            // The network is trained for 16 ms.
            Self::Neural { .. } => 256,
        }
    }

    /// Whether the next frame is speech.
    pub(super) fn is_speech(&mut self, frame: &[i16]) -> bool {
        match self {
            // It fails only for frames of another length. As in the service of the field report, that counts as speech.
            Self::Webrtc(detector) => detector.predict_16khz(frame).unwrap_or(true),
            Self::Neural { network, threshold } => network.predict_i16(frame) >= *threshold,
        }
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Webrtc(_) => "Webrtc",
            Self::Neural { .. } => "Neural",
        })
    }
}
