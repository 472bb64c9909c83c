use std::collections::VecDeque;

use tokio::time::Instant;

use super::pipeline::{Kind, Pending};
use crate::audio::{AudioError, Format, Intake, RATE};
use crate::engine::{Job, Recognised, Recogniser};
use crate::limits::VoiceConfig;
use crate::voice::{Detector, Endpointer, Event, Span};

/// Samples before the first speech of an utterance that the engine gets too, because a word begins before the detector
/// is sure.
const LEAD: usize = 4096;

/// The audio side of a session: divides the stream into utterances and starts their recognition. Its memory does not
/// grow with the length of the stream.
#[derive(Debug)]
pub(super) struct Listening {
    intake: Intake,
    detector: Detector,
    endpointer: Endpointer,
    recogniser: Box<dyn Recogniser>,
    /// The latest silence, at most `LEAD` samples.
    lead: VecDeque<i16>,
    /// Position of the first sample that the engine got of the current utterance.
    base: u64,
    /// The samples of the current chunk.
    samples: Vec<i16>,
}

/// A chunk whose recognition has begun.
pub(super) struct Heard {
    pub(super) pending: Pending,
    /// Number of samples at the rate of the service.
    pub(super) samples: usize,
    /// Whether any frame of the chunk was speech.
    pub(super) speech: bool,
}

impl Listening {
    pub(super) fn new(
        config: &VoiceConfig,
        format: Format,
        recogniser: Box<dyn Recogniser>,
    ) -> Self {
        let samples = |ms: u32| u64::from(ms) * u64::from(RATE) / 1000;
        Self {
            intake: Intake::new(format),
            detector: Detector::new(config.vad, config.vad_aggressiveness),
            endpointer: Endpointer::new(
                samples(config.endpointing_ms),
                samples(config.max_utterance_ms),
            ),
            recogniser,
            lead: VecDeque::new(),
            base: 0,
            samples: Vec::new(),
        }
    }

    /// Takes a chunk that was received at `heard`, and starts its recognition.
    pub(super) fn hear(&mut self, bytes: &[u8], heard: Instant) -> Result<Heard, AudioError> {
        self.samples.clear();
        self.intake.push(bytes, &mut self.samples)?;
        let mut finals = Vec::new();
        let mut speech = false;
        let Self {
            detector,
            endpointer,
            recogniser,
            lead,
            base,
            samples,
            ..
        } = self;
        detector.judge(samples, |frame, is_speech| {
            speech |= is_speech;
            let begins = endpointer.current().is_none();
            match endpointer.frame(frame.len(), is_speech) {
                Event::Silence => keep(lead, frame),
                Event::Speech => {
                    if begins {
                        let start = endpointer.current().map_or(0, |span| span.start);
                        *base = start - lead.len() as u64;
                        recogniser.feed(lead.make_contiguous(), false);
                        lead.clear();
                    }
                    recogniser.feed(frame, is_speech);
                }
                Event::Ended(span) => {
                    recogniser.feed(frame, is_speech);
                    finals.push((span, *base, recogniser.finish(heard)));
                }
            }
        });
        let (kind, job) = match combined(finals) {
            Some(ended) => ended,
            None => (Kind::Partial, recogniser.partial(heard)),
        };
        let samples = samples.len();
        // A long chunk must not keep its memory for the rest of the session.
        self.samples.shrink_to(LEAD);
        Ok(Heard {
            pending: Pending { heard, kind, job },
            samples,
            speech,
        })
    }

    /// Ends the utterance in progress, if there is one.
    pub(super) fn finish(&mut self, heard: Instant) -> Option<Pending> {
        let span = self.endpointer.finish()?;
        let (kind, job) = combined(vec![(span, self.base, self.recogniser.finish(heard))])?;
        Some(Pending { heard, kind, job })
    }
}

fn keep(lead: &mut VecDeque<i16>, frame: &[i16]) {
    lead.extend(frame);
    let excess = lead.len().saturating_sub(LEAD);
    lead.drain(..excess);
}

/// One reply for all utterances that end in the same chunk, because a chunk has exactly one reply.
fn combined(mut finals: Vec<(Span, u64, Job)>) -> Option<(Kind, Job)> {
    let end = finals.last()?.0.end;
    if finals.len() == 1 {
        let (span, base, job) = finals.pop()?;
        return Some((Kind::Final { span, base }, job));
    }
    let (first, base, _) = finals.first()?;
    let (base, start) = (*base, first.start);
    let job: Job = Box::pin(async move {
        let mut all = Recognised::default();
        for (_, begin, job) in finals {
            let recognised = job.await?;
            if !all.text.is_empty() && !recognised.text.is_empty() {
                all.text.push(' ');
            }
            all.text.push_str(&recognised.text);
            let later = (begin - base) * 1000 / u64::from(RATE);
            all.words
                .extend(recognised.words.into_iter().map(|mut word| {
                    word.start_ms += later;
                    word.end_ms += later;
                    word
                }));
        }
        Ok(all)
    });
    let span = Span { start, end };
    Some((Kind::Final { span, base }, job))
}
