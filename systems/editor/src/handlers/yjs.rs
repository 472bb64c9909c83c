//! The sync and awareness protocols of Yjs, over one WebSocket per client and room.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kit::rate::Rate;
use serde::de::IgnoredAny;
use tokio::time::Instant;
use yrs::StateVector;
use yrs::sync::AwarenessUpdate;
use yrs::updates::encoder::Encode;

use crate::bus::News;
use crate::editor::{Editor, Refused};
use crate::line::{End, Frame, Hear, Heard, Outbox, TOO_SLOW};
use crate::refusal::Refusal;
use crate::room::{Listener, PRESENCE_BYTES, Room, Speaker, State};
use crate::store::{Behind, Done};
use crate::yjs::{Said, presence, read, step_1, step_2};

/// Maximum time without a message to a client. `y-websocket` closes a connection after 30 s without messages, and
/// cannot see pings.
const SILENCE: Duration = Duration::from_secs(25);
/// Close code for a full room. `y-websocket` reports the codes 4400–4499 to the user and does not reconnect. After any
/// other code, it reconnects with increasing delays.
const FULL: u16 = 4403;
/// Close code for a document or awareness state that would be too large, or an update that is nested too deeply or too
/// costly. Sending it again would not help.
const TOO_LARGE: u16 = 4413;
/// Close code for too many open rooms. `y-websocket` reconnects later.
const NO_PLACE: u16 = 4503;
/// Close code for a client that exceeded the rate limit. Its changes stay in its own document, and it sends them after
/// reconnecting.
const TOO_FAST: u16 = 4529;

/// Close code for a store that is behind. `y-websocket` reconnects later.
const NOT_SAVED: End = End::Closed(1013, "the store is behind");

/// One Yjs client in one room.
pub(crate) struct Session {
    editor: Arc<Editor>,
    room: Option<Arc<Room>>,
    outbox: Arc<Outbox>,
    visit: u64,
    rate: Rate,
    asked: Duration,
    heard: bool,
    /// Total size in bytes of responses that wait until earlier updates are saved.
    owed: Arc<AtomicUsize>,
}

/// Begins a session. Requests the client's updates and sends the awareness states.
pub(crate) fn open(
    editor: &Arc<Editor>,
    name: &str,
    outbox: &Arc<Outbox>,
    ping_interval: Duration,
) -> (Session, Instant) {
    let now = Instant::now();
    let asked = ping_interval.min(SILENCE);
    let visit = editor.visit();
    let room = editor.listen(
        name,
        &Listener {
            visit,
            outbox: outbox.clone(),
        },
    );
    match &room {
        Ok(room) => {
            let greeted = outbox.clone();
            let greeting = room.when_loaded(move |_, state| greet(state, &greeted));
            if let Err(Behind) = greeting {
                outbox.finish(NOT_SAVED);
            }
        }
        Err(Refusal::RoomFull) => outbox.finish(End::Closed(FULL, "Room is full")),
        Err(Refusal::TooManyRooms) => {
            outbox.finish(End::Closed(NO_PLACE, "There are too many rooms"));
        }
        Err(Refusal::StoreBehind) => outbox.finish(NOT_SAVED),
        Err(_) => outbox.finish(End::Closed(1008, "invalid room name")),
    }
    let session = Session {
        editor: editor.clone(),
        room: room.ok(),
        outbox: outbox.clone(),
        visit,
        rate: Rate::full(editor.limits.rate_limit, now),
        asked,
        heard: true,
        owed: Arc::default(),
    };
    (session, now + asked)
}

fn greet(state: &mut State, outbox: &Arc<Outbox>) {
    outbox.post(&step_1(state.document.known()), None);
    if let Some(all) = state.presence.all() {
        outbox.post(&presence(all), None);
    }
}

/// Sends the updates that a client with the state vector `known` lacks, after they are saved. A client's pending
/// responses have the same size limit as its queue.
fn answer(
    editor: &Arc<Editor>,
    state: &mut State,
    known: &StateVector,
    outbox: &Arc<Outbox>,
    owed: Arc<AtomicUsize>,
) {
    let answer = step_2(state.document.since(known));
    let length = answer.bytes().len();
    let before = owed.fetch_add(length, Ordering::Relaxed);
    if before > 0 && before + length > editor.limits.queue_bytes as usize {
        return outbox.finish(TOO_SLOW);
    }
    let later = outbox.clone();
    let done: Done = Box::new(move || {
        owed.fetch_sub(length, Ordering::Relaxed);
        later.post(&answer, None);
    });
    if let Err(Behind) = editor.once_saved(done) {
        outbox.finish(NOT_SAVED);
    }
}

impl Session {
    fn obey(&self, room: &Arc<Room>, said: Said) -> Result<(), End> {
        match said {
            Said::Knows(known) => {
                let (editor, outbox) = (self.editor.clone(), self.outbox.clone());
                let owed = self.owed.clone();
                let wished = room.when_loaded(move |_, state| {
                    if !outbox.ended() {
                        answer(&editor, state, &known, &outbox, owed);
                    }
                });
                wished.map_err(|Behind| NOT_SAVED)
            }
            Said::Changed(update) => {
                let changed = self.change(room, update);
                changed.map_err(|Behind| NOT_SAVED)
            }
            Said::Presence(update) => self.point(room, update),
            Said::Who => {
                if let Some(all) = room.state().presence.all() {
                    self.outbox.post(&presence(all), None);
                }
                Ok(())
            }
        }
    }

    fn change(&self, room: &Arc<Room>, update: Vec<u8>) -> Result<(), Behind> {
        let held = self.editor.hold(update.len())?;
        let (editor, outbox, visit) = (self.editor.clone(), self.outbox.clone(), self.visit);
        room.when_loaded(move |room, state| {
            drop(held);
            if let Err(refused) = editor.apply(room, state, update, visit) {
                outbox.finish(match refused {
                    Refused::Behind => NOT_SAVED,
                    Refused::TooLarge => End::Closed(TOO_LARGE, "the document is too large"),
                    Refused::TooNested => End::Closed(TOO_LARGE, "the update is nested too deeply"),
                    Refused::TooCostly => {
                        End::Closed(TOO_LARGE, "the update has too many edits at one place")
                    }
                    Refused::TooManyBlocks => {
                        End::Closed(TOO_LARGE, "the document has too many blocks")
                    }
                    Refused::Malformed => End::Closed(1003, "not an update"),
                });
            }
        })
    }

    fn point(&self, room: &Arc<Room>, update: AwarenessUpdate) -> Result<(), End> {
        let mut said = update.clients.values();
        if said.any(|client| client.json.len() > PRESENCE_BYTES) {
            return Err(End::Closed(TOO_LARGE, "the presence is too large"));
        }
        // `y-protocols` throws on invalid JSON and then ignores the whole message.
        let mut said = update.clients.values();
        if said.any(|client| serde_json::from_str::<IgnoredAny>(&client.json).is_err()) {
            return Err(End::Closed(1003, "the presence is not JSON"));
        }
        let counters = &self.editor.counters;
        if let Some(news) = room.tell_presence(update, Speaker::Visit(self.visit), counters) {
            let update = news.encode_v1();
            let news = News::Presence { update: &update };
            self.editor.bus().tell(&room.name, &news);
        }
        Ok(())
    }
}

impl Hear for Session {
    fn text(&mut self, _: &str) -> Heard {
        Heard::End(End::Closed(1003, "a binary message is expected"))
    }

    fn binary(&mut self, bytes: &[u8]) -> Heard {
        self.heard = true;
        let Some(room) = &self.room else {
            return Heard::More;
        };
        let (limit, now) = (self.editor.limits.rate_limit, Instant::now());
        // A frame may hold any number of messages, so each counts against the rate limit.
        for said in read(bytes) {
            if limit > 0 && !self.rate.spend(limit, now) {
                return Heard::End(End::Closed(TOO_FAST, "too many messages"));
            }
            if let Some(faults) = &self.editor.faults {
                faults.message();
            }
            let Ok(said) = said else {
                return Heard::End(End::Closed(1003, "invalid message"));
            };
            if let Err(end) = self.obey(room, said) {
                return Heard::End(end);
            }
            if self.outbox.ended() {
                break;
            }
        }
        Heard::More
    }

    fn alarm(&mut self) -> Result<Instant, End> {
        if !self.heard {
            return Err(End::Closed(1001, "ping timeout"));
        }
        self.heard = false;
        self.outbox.post(&Frame::ping(), None);
        let nobody = AwarenessUpdate {
            // Send an empty awareness message, because `y-websocket` cannot see pings (see `SILENCE`).
            clients: HashMap::default(),
        };
        self.outbox.post(&presence(nobody), None);
        Ok(Instant::now() + self.asked)
    }

    fn pong(&mut self) {
        self.heard = true;
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(room) = &self.room {
            self.editor.leave(room, self.visit, None);
        }
    }
}
