use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kit::token::Token;
use redis::RedisResult;
use tokio::time::Instant;

use super::inbox::End;
use super::session::{Session, State};
use super::shared::{Admission, Live, Shared, Shown};
use super::view::{Line, Past, Sums};

/// Maximum number of ended sessions that can be recovered.
const RECOVERABLE: usize = 10_000;

/// Reason why there is no new session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Full {
    /// The text is part of the protocol.
    #[error("Maximum {0} concurrent sessions reached")]
    Sessions(u32),
    /// The text is part of the protocol.
    #[error("Global session limit reached")]
    Global,
    #[error("Session table is not available")]
    NoTable,
    #[error("Service is stopping")]
    Stopping,
    #[error("no random numbers: {0}")]
    NoRandom(#[from] io::Error),
}

/// All live sessions, and those that ended a short time ago.
#[derive(Debug)]
pub(crate) struct Sessions {
    limit: u32,
    recovery: Duration,
    inside: Mutex<Inside>,
    /// The table of all workers, if they share one.
    shared: Option<Arc<Shared>>,
}

#[derive(Debug, Default)]
struct Inside {
    live: HashMap<Arc<str>, Arc<Session>>,
    past: VecDeque<(Arc<str>, Past, Instant)>,
    stopping: bool,
}

impl Sessions {
    pub(crate) fn new(limit: u32, recovery: Duration) -> Self {
        Self {
            limit,
            recovery,
            inside: Mutex::default(),
            shared: None,
        }
    }

    /// The same table as part of a table of all workers.
    pub(crate) fn sharing(self, shared: Option<Arc<Shared>>) -> Self {
        Self { shared, ..self }
    }

    /// The table of all workers, if they share one.
    pub(crate) fn shared(&self) -> Option<&Arc<Shared>> {
        self.shared.as_ref()
    }

    /// Maximum number of sessions.
    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    /// Creates a session, unless there are too many here or on all workers together.
    pub(crate) async fn admit(self: &Arc<Self>, now: Instant) -> Result<Seat, Full> {
        let seat = self.open(now)?;
        let Some(shared) = &self.shared else {
            return Ok(seat);
        };
        let mut admission = shared.admit(&seat.id, &Shown::of(&seat)).await;
        if admission == Admission::Lapsed {
            admission = match self.join(shared).await {
                Ok(()) => shared.admit(&seat.id, &Shown::of(&seat)).await,
                Err(error) => {
                    tracing::warn!(%error, "cannot join the session table");
                    Admission::Unknown
                }
            };
        }
        match admission {
            Admission::Admitted => {
                seat.set_admitted();
                Ok(seat)
            }
            Admission::Full => Err(Full::Global),
            Admission::Lapsed | Admission::Unknown => Err(Full::NoTable),
        }
    }

    /// Begins the lease of this worker in the table of all workers.
    pub(super) async fn join(&self, shared: &Shared) -> RedisResult<()> {
        shared.join(&self.live()).await
    }

    /// Creates a session, unless there are too many here.
    pub(super) fn open(self: &Arc<Self>, now: Instant) -> Result<Seat, Full> {
        let id: Arc<str> = uuid(Token::random()?).into();
        let mut inside = self.inside();
        if inside.stopping {
            return Err(Full::Stopping);
        }
        if inside.live.len() >= self.limit as usize {
            return Err(Full::Sessions(self.limit));
        }
        let session = Arc::new(Session::new(id.clone(), now));
        inside.live.insert(id, session.clone());
        Ok(Seat {
            session,
            table: self.clone(),
            recoverable: false,
        })
    }

    /// Removes a session whose connection has ended. `recoverable` sessions ended without a request of the client.
    fn remove(&self, session: &Session, recoverable: bool, now: Instant) {
        session.close();
        if let Some(shared) = &self.shared {
            shared.forget(&session.id, recoverable.then(|| session.past()));
        }
        let mut inside = self.inside();
        inside.live.remove(&session.id);
        let recovery = self.recovery;
        let old =
            |(_, _, ended): &(_, _, Instant)| now.saturating_duration_since(*ended) > recovery;
        while inside.past.front().is_some_and(old) || inside.past.len() >= RECOVERABLE {
            inside.past.pop_front();
        }
        if recoverable {
            inside
                .past
                .push_back((session.id.clone(), session.past(), now));
        }
    }

    /// Ends a session by request. Returns whether it existed.
    pub(crate) fn end(&self, id: &str) -> bool {
        let ended = self.inside().live.remove(id);
        if let Some(session) = &ended {
            session.close();
            session.inbox.end(End::Closed);
        }
        ended.is_some()
    }

    /// Takes the figures of a session that lost its connection. If the old connection is still open, it is closed.
    pub(crate) fn recover(&self, id: &str) -> Option<Past> {
        let live = self.inside().live.get(id).map(|session| session.past());
        if live.is_some() {
            self.end(id);
            return live;
        }
        let mut inside = self.inside();
        let at = inside.past.iter().position(|(past, _, _)| **past == *id)?;
        inside.past.remove(at).map(|(_, past, _)| past)
    }

    /// Ends the sessions without audio for `idle`, or for `start` if there was no speech yet. Returns their number.
    pub(crate) fn sweep(&self, idle: Duration, start: Duration, now: Instant) -> usize {
        let expired = |session: &Session| {
            let limit = match session.state() {
                State::Created => start,
                State::Active | State::Closing => idle,
            };
            session.idle(now) > limit
        };
        let mut inside = self.inside();
        let old = inside.live.values().filter(|session| expired(session));
        let ids: Vec<_> = old.map(|session| session.id.clone()).collect();
        for id in &ids {
            if let Some(session) = inside.live.remove(id) {
                session.close();
                session.inbox.end(End::Closed);
            }
        }
        ids.len()
    }

    /// Ends all sessions and admits no more.
    pub(crate) fn stop(&self) {
        let mut inside = self.inside();
        inside.stopping = true;
        for session in inside.live.values() {
            session.inbox.end(End::Stopping);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.inside().live.len()
    }

    pub(crate) fn count_in(&self, state: State) -> usize {
        let inside = self.inside();
        inside.live.values().filter(|s| s.state() == state).count()
    }

    /// Up to `most` live sessions.
    pub(crate) fn lines(&self, most: usize) -> Vec<Line> {
        let inside = self.inside();
        let some = inside.live.values().take(most);
        some.map(|session| session.line()).collect()
    }

    /// All live sessions, for the table of all workers.
    pub(super) fn live(&self) -> Live {
        let all: Vec<Arc<Session>> = self.inside().live.values().cloned().collect();
        let each = all.iter().map(|session| {
            let shown = session.is_admitted().then(|| Shown::of(session));
            (session.id.to_string(), shown)
        });
        each.collect()
    }

    /// Whether the session is here, or was a short time ago.
    pub(crate) fn knows(&self, id: &str) -> bool {
        let inside = self.inside();
        inside.live.contains_key(id) || inside.past.iter().any(|(past, _, _)| **past == *id)
    }

    pub(crate) fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for session in self.inside().live.values() {
            sums.add(session);
        }
        sums
    }

    /// A session other than this one, for a misdelivered reply.
    pub(crate) fn other(&self, id: &str) -> Option<Arc<Session>> {
        let inside = self.inside();
        inside.live.values().find(|s| *s.id != *id).cloned()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A live session, which ends when this is dropped, whatever ended the connection or request.
#[derive(Debug)]
pub(crate) struct Seat {
    session: Arc<Session>,
    table: Arc<Sessions>,
    /// Whether the session was a stream that the client did not end by request.
    pub(crate) recoverable: bool,
}

impl Seat {
    pub(crate) fn session(&self) -> Arc<Session> {
        self.session.clone()
    }
}

impl Deref for Seat {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.table
            .remove(&self.session, self.recoverable, Instant::now());
    }
}

/// A random UUID (version 4).
fn uuid(token: Token) -> String {
    let mut bytes = token.to_bytes();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = format!("{:032x}", u128::from_be_bytes(bytes));
    let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..16]);
    format!("{a}-{b}-{c}-{}-{}", &digits[16..20], &digits[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(limit: u32) -> Arc<Sessions> {
        Arc::new(Sessions::new(limit, Duration::from_mins(1)))
    }

    #[test]
    fn of_ten_sessions_three_fit_into_three_places() {
        let table = table(3);
        let opened: Vec<_> = (0..10).map(|_| table.open(Instant::now())).collect();
        assert_eq!(opened.iter().filter(|opened| opened.is_ok()).count(), 3);
        let refused = opened[3].as_ref().unwrap_err().to_string();
        assert_eq!(refused, "Maximum 3 concurrent sessions reached");
        assert_eq!([2, 9].map(|most| table.lines(most).len()), [2, 3]);
        drop(opened);
        assert_eq!(table.count(), 0);
    }

    #[test]
    fn ids_are_random_uuids_of_version_4() {
        let table = table(2);
        let ids = [(); 2].map(|()| table.open(Instant::now()).unwrap().id.to_string());
        assert_ne!(ids[0], ids[1]);
        for id in ids {
            let parts: Vec<_> = id.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12]);
            assert_eq!(id.as_bytes()[14], b'4');
            assert!(b"89ab".contains(&id.as_bytes()[19]));
        }
    }

    #[test]
    fn idle_sessions_end_by_their_state() {
        let table = table(2);
        let start = Instant::now();
        let (created, active) = (table.open(start).unwrap(), table.open(start).unwrap());
        active.activate();
        active.heard(640, 320, start + Duration::from_secs(1));
        let sweep = |after| {
            let (idle, begin) = (Duration::from_mins(5), Duration::from_secs(30));
            table.sweep(idle, begin, start + Duration::from_secs(after))
        };
        assert_eq!(sweep(30), 0);
        assert_eq!(sweep(31), 1);
        assert_eq!(created.state(), State::Closing);
        assert_eq!(sweep(301), 0);
        assert_eq!(sweep(302), 1);
    }

    #[test]
    fn a_lost_session_is_recovered_once_and_for_a_limited_time() {
        let table = table(9);
        let start = Instant::now();
        let lose = |at: Instant| {
            let seat = table.open(at).unwrap();
            seat.heard(640, 320, at);
            table.remove(&seat, true, at);
            seat.id.to_string()
        };
        let (first, second) = (lose(start), lose(start + Duration::from_secs(61)));
        assert!(table.recover(&first).is_none(), "it is too old");
        let past = table.recover(&second).unwrap();
        assert_eq!(
            serde_json::to_value(past.metrics).unwrap()["audio_bytes_received"],
            640
        );
        assert!(table.recover(&second).is_none());
    }
}
