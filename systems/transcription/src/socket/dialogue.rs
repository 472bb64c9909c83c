use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::farewell::Over;
use super::listening::Listening;
use super::message::{Incoming, read};
use super::outbox::Item;
use super::pipeline::{Done, Kind, Pipeline};
use super::recovery::{Search, recovered};
use super::refusal::Refusal;
use super::reply::{self, Reply};
use crate::audio::RATE;
use crate::engine::Recognised;
use crate::service::Service;
use crate::sessions::Seat;

/// One session: what its client says, and the replies.
pub(super) struct Dialogue {
    pub(super) service: Arc<Service>,
    /// Before the seat, because a new session may need the recogniser as soon as the place is free.
    pub(super) listening: Listening,
    pub(super) seat: Seat,
    pub(super) pipeline: Pipeline,
    pub(super) rate: AudioRate,
    pub(super) search: Search,
    /// The session ends with this reason when all replies are sent.
    pub(super) ending: Option<Over>,
}

/// A message for the client.
pub(super) enum Said {
    /// The reply to a chunk. Injected faults affect it.
    Reply(Item, Instant),
    /// Anything else.
    Notice(Item),
}

/// Limits the audio of a session per second, in windows of one second.
#[derive(Debug)]
pub(super) struct AudioRate {
    limit: u32,
    window: Instant,
    used: u64,
}

impl AudioRate {
    /// `limit` is in bytes per second; 0 means none.
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            window: Instant::now(),
            used: 0,
        }
    }

    fn admit(&mut self, bytes: usize, now: Instant) -> bool {
        if self.limit == 0 {
            return true;
        }
        if now.saturating_duration_since(self.window) >= Duration::from_secs(1) {
            (self.window, self.used) = (now, 0);
        }
        let used = self.used + bytes as u64;
        let admitted = used <= u64::from(self.limit);
        if admitted {
            self.used = used;
        }
        admitted
    }
}

impl Dialogue {
    pub(super) fn text(&mut self, text: &str) -> Option<Said> {
        match read(text) {
            Ok(Incoming::Audio(audio)) => self.audio(&audio),
            Ok(Incoming::Stop) => {
                self.finish(Over::Finished);
                None
            }
            Ok(Incoming::Reconnect(id)) => self.recover(id),
            Err(refusal) => Some(self.refuse(&refusal)),
        }
    }

    /// Takes a chunk of audio. An empty one gets no reply.
    pub(super) fn audio(&mut self, audio: &[u8]) -> Option<Said> {
        let limit = self.service.config.limits.max_chunk;
        if audio.len() > limit as usize {
            let size = audio.len();
            return Some(self.refuse(&Refusal::ChunkTooLarge { size, limit }));
        }
        if audio.is_empty() {
            return None;
        }
        let now = Instant::now();
        if !self.rate.admit(audio.len(), now) {
            let most = self.service.config.limits.max_audio_rate;
            return Some(self.refuse(&Refusal::RateLimited(most)));
        }
        if let Some(faults) = &self.service.faults {
            faults.message();
        }
        match self.listening.hear(audio, now) {
            Ok(heard) => {
                if heard.speech {
                    self.seat.activate();
                }
                self.seat.heard(audio.len(), heard.samples, now);
                self.service.counters.chunks.inc();
                self.service.counters.audio_bytes.inc_by(audio.len() as u64);
                self.pipeline.push(heard.pending);
                None
            }
            Err(error) => Some(self.refuse(&Refusal::UnsupportedAudio(error.to_string()))),
        }
    }

    /// Flushes the utterance in progress. The session ends when all replies are sent.
    pub(super) fn finish(&mut self, over: Over) {
        if let Some(last) = self.listening.finish(Instant::now()) {
            self.pipeline.push(last);
        }
        self.ending = Some(over);
    }

    /// Ends the session. It can be recovered if the client did not end it.
    pub(super) fn end(mut self, recoverable: bool) {
        self.seat.recoverable = recoverable;
    }

    /// Whether nothing is read until some audio is recognised, or a search has ended.
    pub(super) fn is_full(&self) -> bool {
        let most = self.service.config.limits.max_pending as usize;
        self.pipeline.len() >= most || self.search.is_full()
    }

    /// Recovers an earlier session. If several workers share a table, this takes a moment.
    fn recover(&mut self, id: String) -> Option<Said> {
        let sessions = &self.service.sessions;
        if let Some(shared) = sessions.shared() {
            let session = self.seat.session();
            self.search.start(id, shared, &self.service, session);
            return None;
        }
        let found = if *self.seat.id == *id {
            None
        } else {
            sessions.recover(&id)
        };
        Some(match found {
            Some(past) => Said::Notice(Item::kept(recovered(&self.service, &id, &past))),
            None => self.refuse(&Refusal::SessionNotFound),
        })
    }

    /// Replies with an error. The connection stays open.
    pub(super) fn refuse(&self, refusal: &Refusal) -> Said {
        self.service.counters.errors.inc();
        self.seat.errors.fetch_add(1, Ordering::Relaxed);
        Said::Notice(Item::kept(reply::error(refusal)))
    }

    /// Replies to a chunk that was recognised.
    pub(super) fn done(&self, done: Done) -> Said {
        let now = Instant::now();
        let latency = now.saturating_duration_since(done.heard);
        self.service
            .counters
            .chunk_latency
            .observe(latency.as_secs_f64());
        let item = match done.result {
            Ok(recognised) => self.item(done.kind, recognised),
            Err(error) => {
                self.service.counters.engine_failures.inc();
                return self.refuse(&Refusal::RecognitionFailed(error.to_string()));
            }
        };
        self.seat.transcripts.fetch_add(1, Ordering::Relaxed);
        Said::Reply(item, now)
    }

    fn item(&self, kind: Kind, mut recognised: Recognised) -> Item {
        let text = &recognised.text;
        let Kind::Final { span, base } = kind else {
            if !text.is_empty() {
                self.seat.partials.fetch_add(1, Ordering::Relaxed);
                self.service.counters.partials.inc();
                self.seat.set_unfinished(|unfinished| {
                    if !unfinished.is_empty() {
                        unfinished.push(' ');
                    }
                    unfinished.push_str(text);
                });
            }
            return Item::droppable(Reply::Partial { text }.write());
        };
        self.seat.finals.fetch_add(1, Ordering::Relaxed);
        self.service.counters.finals.inc();
        self.seat.set_unfinished(String::clear);
        let ms = |samples: u64| samples * 1000 / u64::from(RATE);
        for word in &mut recognised.words {
            word.start_ms += ms(base);
            word.end_ms += ms(base);
        }
        let reply = Reply::Final {
            text: &recognised.text,
            start_ms: ms(span.start),
            end_ms: ms(span.end),
            words: &recognised.words,
        };
        Item::kept(reply.write())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_of_audio_at_the_limit_passes_and_more_does_not() {
        let mut rate = AudioRate::new(64_000);
        let start = rate.window;
        let passed = (0..150).filter(|_| rate.admit(640, start)).count();
        assert_eq!(passed, 100);
        assert!(!rate.admit(640, start + Duration::from_millis(999)));
        assert!(rate.admit(640, start + Duration::from_secs(1)));
    }
}
