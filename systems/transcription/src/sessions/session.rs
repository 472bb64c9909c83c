use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::inbox::Inbox;

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// No speech so far.
    Created,
    /// There was speech.
    Active,
    /// The session ends. It is removed at once, so lists show it only for a moment.
    Closing,
}

impl State {
    pub(crate) const ALL: [Self; 3] = [Self::Created, Self::Active, Self::Closing];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Active => "active",
            Self::Closing => "closing",
        }
    }
}

/// One session. Its connection counts, and everybody may read.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: Arc<str>,
    pub(crate) inbox: Inbox,
    pub(crate) created_at: Timestamp,
    begun: Instant,
    state: AtomicU8,
    /// Whether the table of all workers has admitted it.
    admitted: AtomicBool,
    /// Microseconds from `begun` to the last audio.
    last: AtomicU64,
    pub(crate) audio_bytes: AtomicU64,
    /// Samples at the rate of the service.
    pub(crate) audio_samples: AtomicU64,
    pub(crate) audio_chunks: AtomicU64,
    pub(crate) transcripts: AtomicU64,
    pub(crate) partials: AtomicU64,
    pub(crate) finals: AtomicU64,
    pub(crate) errors: AtomicU64,
    /// The words of the utterance in progress, which a recovery returns.
    pub(crate) unfinished: Mutex<String>,
}

impl Session {
    pub(super) fn new(id: Arc<str>, now: Instant) -> Self {
        Self {
            id,
            inbox: Inbox::default(),
            created_at: Timestamp::now(),
            begun: now,
            state: AtomicU8::new(State::Created as u8),
            admitted: AtomicBool::new(false),
            last: AtomicU64::new(0),
            audio_bytes: AtomicU64::new(0),
            audio_samples: AtomicU64::new(0),
            audio_chunks: AtomicU64::new(0),
            transcripts: AtomicU64::new(0),
            partials: AtomicU64::new(0),
            finals: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            unfinished: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> State {
        let state = self.state.load(Ordering::Relaxed);
        let known = State::ALL.into_iter().find(|known| *known as u8 == state);
        known.unwrap_or(State::Closing)
    }

    pub(super) fn set_admitted(&self) {
        self.admitted.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_admitted(&self) -> bool {
        self.admitted.load(Ordering::Relaxed)
    }

    /// Speech was heard for the first time.
    pub(crate) fn activate(&self) {
        let (created, active) = (State::Created as u8, State::Active as u8);
        // A session that is closing stays so.
        let order = Ordering::Relaxed;
        let _ = self.state.compare_exchange(created, active, order, order);
    }

    pub(super) fn close(&self) {
        self.state.store(State::Closing as u8, Ordering::Relaxed);
    }

    /// Counts a chunk of audio.
    pub(crate) fn heard(&self, bytes: usize, samples: usize, now: Instant) {
        self.audio_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.audio_samples
            .fetch_add(samples as u64, Ordering::Relaxed);
        self.audio_chunks.fetch_add(1, Ordering::Relaxed);
        let since = now.saturating_duration_since(self.begun).as_micros();
        let since = u64::try_from(since).unwrap_or(u64::MAX);
        self.last.store(since, Ordering::Relaxed);
    }

    fn last_activity(&self) -> Duration {
        Duration::from_micros(self.last.load(Ordering::Relaxed))
    }

    /// Time since the last audio.
    pub(super) fn idle(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.begun + self.last_activity())
    }

    pub(super) fn last_activity_at(&self) -> Timestamp {
        let at = self.created_at.checked_add(self.last_activity());
        at.unwrap_or(self.created_at)
    }

    pub(crate) fn set_unfinished(&self, change: impl FnOnce(&mut String)) {
        let mut text = self
            .unfinished
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        change(&mut text);
    }
}
