use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::config::EngineConfig;
use super::recogniser::{Engine, EngineError, Job, Recognised, Recogniser};
use super::words::Words;

/// Bytes of one sample.
const WIDTH: usize = 2;

/// Random words after a fixed latency. Recognitions of one session overlap, unless they are serial by fault injection.
#[derive(Debug)]
pub(super) struct Simulated {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    latency: Duration,
    serial: bool,
    bytes_per_word: usize,
    /// The times at which each of the recognisers is free again. `None` if their number is not limited.
    free: Option<Mutex<BinaryHeap<Reverse<Instant>>>>,
}

impl Simulated {
    pub(super) fn new(config: &EngineConfig) -> Self {
        let now = Instant::now();
        let free = (config.concurrency > 0)
            .then(|| Mutex::new((0..config.concurrency).map(|_| Reverse(now)).collect()));
        Self {
            shared: Arc::new(Shared {
                latency: Duration::from_millis(config.latency_ms.into()),
                serial: config.serial,
                bytes_per_word: config.bytes_per_word as usize,
                free,
            }),
        }
    }
}

impl Engine for Simulated {
    fn stream(&self) -> Result<Box<dyn Recogniser>, EngineError> {
        Ok(Box::new(Stream::new(self.shared.clone())))
    }

    fn whole(&self, samples: Vec<i16>, heard: Instant) -> Job {
        let mut stream = Stream::new(self.shared.clone());
        stream.feed(&samples, true);
        stream.finish(heard)
    }
}

impl Shared {
    /// The time at which a recognition that may begin at `begin` is done.
    fn done(&self, begin: Instant) -> Instant {
        let Some(free) = &self.free else {
            return begin + self.latency;
        };
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut next) = free.peek_mut() else {
            return begin + self.latency;
        };
        let done = next.0.max(begin) + self.latency;
        *next = Reverse(done);
        done
    }
}

#[derive(Debug)]
struct Stream {
    shared: Arc<Shared>,
    words: Words,
    /// Bytes of the current utterance that have no word yet.
    fed: usize,
    /// The words of the current utterance so far.
    said: String,
    /// The time at which the previous recognition is done.
    previous: Option<Instant>,
}

impl Stream {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            words: Words::new(),
            fed: 0,
            said: String::new(),
            previous: None,
        }
    }

    /// Moves the words of the fed audio to the text of the utterance. Returns them.
    fn hear(&mut self) -> &str {
        let before = self.said.len();
        if self.fed > 0 {
            for _ in 0..(self.fed / self.shared.bytes_per_word).max(1) {
                if !self.said.is_empty() {
                    self.said.push(' ');
                }
                self.said.push_str(self.words.next());
            }
            self.fed = 0;
        }
        self.said[before..].trim_start()
    }

    fn answer(&mut self, text: String, heard: Instant) -> Job {
        let begin = match self.previous {
            Some(previous) if self.shared.serial => previous.max(heard),
            _ => heard,
        };
        let done = self.shared.done(begin);
        self.previous = Some(done);
        Box::pin(async move {
            sleep_until(done).await;
            Ok(Recognised {
                text,
                words: Vec::new(),
            })
        })
    }
}

impl Recogniser for Stream {
    fn feed(&mut self, frame: &[i16], speech: bool) {
        if speech {
            self.fed += frame.len() * WIDTH;
        }
    }

    fn partial(&mut self, heard: Instant) -> Job {
        let text = self.hear().to_owned();
        self.answer(text, heard)
    }

    fn finish(&mut self, heard: Instant) -> Job {
        self.hear();
        let text = std::mem::take(&mut self.said);
        self.answer(text, heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(latency_ms: u32, concurrency: u32, serial: bool) -> Simulated {
        let mut config = crate::testing::config(&[]).engine;
        config.latency_ms = latency_ms;
        config.concurrency = concurrency;
        config.serial = serial;
        Simulated::new(&config)
    }

    /// The times after which each of `chunks` chunks, sent every 20 ms, is answered.
    async fn times(engine: &Simulated, chunks: u32) -> Vec<u128> {
        let begin = Instant::now();
        let mut stream = engine.stream().unwrap();
        let mut jobs = Vec::new();
        for n in 0..chunks {
            stream.feed(&[1; 320], true);
            jobs.push(stream.partial(begin + Duration::from_millis(20) * n));
        }
        let mut times = Vec::new();
        for job in jobs {
            job.await.unwrap();
            times.push(begin.elapsed().as_millis());
        }
        times
    }

    #[tokio::test(start_paused = true)]
    async fn chunks_overlap_unless_they_are_serial() {
        assert_eq!(times(&engine(50, 0, false), 4).await, [50, 70, 90, 110]);
        assert_eq!(times(&engine(50, 0, true), 4).await, [50, 100, 150, 200]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_limited_number_of_recognisers_queues_all_sessions() {
        assert_eq!(times(&engine(50, 1, false), 3).await, [50, 100, 150]);
        assert_eq!(times(&engine(50, 2, false), 4).await, [50, 70, 100, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_final_repeats_the_words_of_its_partials() {
        let engine = engine(50, 0, false);
        let mut stream = engine.stream().unwrap();
        let mut heard = Vec::new();
        for _ in 0..5 {
            stream.feed(&[1; 320], true);
            heard.push(stream.partial(Instant::now()).await.unwrap().text);
        }
        assert!(
            heard
                .iter()
                .all(|text| text.split(' ').count() == 1 && !text.is_empty())
        );
        assert_eq!(stream.partial(Instant::now()).await.unwrap().text, "");
        let whole = stream.finish(Instant::now()).await.unwrap().text;
        assert_eq!(whole, heard.join(" "));
        assert_eq!(stream.finish(Instant::now()).await.unwrap().text, "");
    }

    #[tokio::test(start_paused = true)]
    async fn a_recording_has_a_word_for_every_12_800_bytes() {
        let recognised = engine(50, 0, false)
            .whole(vec![0; 32_000], Instant::now())
            .await;
        assert_eq!(recognised.unwrap().text.split(' ').count(), 5);
    }
}
