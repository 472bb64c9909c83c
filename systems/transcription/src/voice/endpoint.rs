/// A part of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Position of the first sample.
    pub(crate) start: u64,
    /// Position after the last sample.
    pub(crate) end: u64,
}

/// What a frame changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Silence between utterances.
    Silence,
    /// The frame begins or continues an utterance. Short pauses belong to it.
    Speech,
    /// The frame is the last one of an utterance. The span contains no trailing pause.
    Ended(Span),
}

/// Divides a stream into utterances. An utterance ends after a pause, or when it reaches the maximum length.
#[derive(Debug)]
pub(crate) struct Endpointer {
    /// Length of the pause that ends an utterance.
    pause: u64,
    /// Maximum length of an utterance.
    longest: u64,
    position: u64,
    current: Option<Span>,
}

impl Endpointer {
    /// Lengths are numbers of samples.
    pub(crate) fn new(pause: u64, longest: u64) -> Self {
        Self {
            pause,
            longest,
            position: 0,
            current: None,
        }
    }

    /// Takes the verdict on the next frame.
    pub(crate) fn frame(&mut self, samples: usize, speech: bool) -> Event {
        let start = self.position;
        self.position += samples as u64;
        let end = self.position;
        if speech {
            self.current.get_or_insert(Span { start, end }).end = end;
        }
        let Some(span) = self.current else {
            return Event::Silence;
        };
        if end - span.end >= self.pause || end - span.start >= self.longest {
            self.current = None;
            return Event::Ended(span);
        }
        Event::Speech
    }

    /// Ends the utterance in progress, if there is one.
    pub(crate) fn finish(&mut self) -> Option<Span> {
        self.current.take()
    }

    /// The utterance in progress.
    pub(crate) fn current(&self) -> Option<Span> {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds frames of 10 samples: `#` is speech, `.` is silence.
    fn ended(verdicts: &str) -> Vec<(u64, u64)> {
        let mut endpointer = Endpointer::new(30, 100);
        let events = verdicts.chars().map(|c| endpointer.frame(10, c == '#'));
        let spans = events.filter_map(|event| match event {
            Event::Ended(span) => Some((span.start, span.end)),
            Event::Silence | Event::Speech => None,
        });
        spans.collect()
    }

    #[test]
    fn an_utterance_ends_after_the_pause_and_never_before_speech() {
        assert_eq!(ended("..........."), []);
        assert_eq!(ended("..##..#..."), [(20, 70)]);
        assert_eq!(ended("#..."), [(0, 10)]);
        assert_eq!(ended("#.."), []);
    }

    #[test]
    fn continued_silence_ends_nothing_more() {
        assert_eq!(ended("#............#..."), [(0, 10), (130, 140)]);
    }

    #[test]
    fn speech_without_a_pause_is_divided_at_the_maximum_length() {
        assert_eq!(ended(&"#".repeat(25)), [(0, 100), (100, 200)]);
    }

    #[test]
    fn the_utterance_in_progress_can_be_ended() {
        let mut endpointer = Endpointer::new(30, 100);
        endpointer.frame(10, true);
        endpointer.frame(10, false);
        assert_eq!(endpointer.finish(), Some(Span { start: 0, end: 10 }));
        assert_eq!(endpointer.finish(), None);
    }
}
