use std::borrow::Cow;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use kit::json::Object;
use kit::rate::Rate;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::payload::{Caret, CodeChange, CursorChange, Join, RunCode, SyncCode, Text};
use super::visitor::Visitor;
use crate::bus::{self, News};
use crate::editor::{Editor, NAME};
use crate::recipient::Recipient;
use crate::refusal::{Complaint, Refusal};
use crate::room::{Member, Room, State};
use crate::sio::{Event, Handlers, packet};
use crate::store::{Behind, Done};

/// Maximum number of bytes of an unknown event's name that a refusal quotes.
const TOLD: usize = 64;

/// The acknowledgement of an event that was handled.
#[derive(Serialize)]
struct Acknowledged {
    ok: bool,
}

/// When to acknowledge an event whose client requests an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Now,
    /// After the edit is saved. The store's writer then sends the acknowledgement.
    Later,
}

impl Handlers for Editor {
    type Visitor = Visitor;

    fn enter(self: &Arc<Self>, id: &Arc<str>, recipient: &Recipient) -> Visitor {
        self.counters.visits.inc();
        let visit = self.visit();
        let queue = self.limits.queue as usize;
        // If faults are configured, send all of this client's messages through them.
        let faulty = self
            .faults
            .as_ref()
            .map(|faults| recipient.tampered(self, faults, visit, queue));
        Visitor {
            editor: self.clone(),
            visit,
            id: id.clone(),
            recipient: faulty.unwrap_or_else(|| recipient.clone()),
            rooms: Vec::new(),
            rate: Rate::full(self.limits.rate_limit, Instant::now()),
            running: Arc::default(),
            warned: false,
        }
    }

    fn event(&self, visitor: &mut Visitor, event: Event<'_>) {
        if let Some(faults) = &self.faults {
            faults.message();
        }
        match visitor.obey(&event) {
            Ok(Answer::Later) => {}
            Ok(Answer::Now) => {
                if let Some(number) = event.acknowledge {
                    visitor
                        .recipient
                        .text(&packet::acknowledgement(number, &Acknowledged { ok: true }));
                }
            }
            Err(refusal) => visitor.refuse(&event, &refusal),
        }
    }
}

impl Visitor {
    fn obey(&mut self, event: &Event<'_>) -> Result<Answer, Refusal> {
        let limit = self.editor.limits.rate_limit;
        if limit > 0 && !self.rate.spend(limit, Instant::now()) {
            return Err(Refusal::TooFast(limit));
        }
        self.warned = false;
        match &*event.name {
            "cursor-change" => self.point(&payload(event)?),
            "code-change" => return self.write(&payload(event)?, event.acknowledge),
            "sync-code" => self.sync(&payload(event)?),
            "join" => self.join(&payload(event)?),
            "run-code" => self.run(&payload(event)?),
            _ => Err(Refusal::UnknownEvent),
        }?;
        Ok(Answer::Now)
    }

    fn join(&mut self, join: &Join<'_>) -> Result<(), Refusal> {
        for (field, text) in [("roomId", &join.room_id), ("username", &join.username)] {
            if text.is_empty() || text.len() > NAME {
                return Err(Refusal::Length(field, NAME));
            }
        }
        let known = self.room(&join.room_id).is_some();
        if !known {
            self.has_place()?;
        }
        let member = Member {
            visit: self.visit,
            who: bus::Visitor {
                id: self.id.clone(),
                username: (&*join.username).into(),
                since: millis(),
            },
            recipient: self.recipient.clone(),
            heard: None,
            texts: join.texts,
            doubtful: false,
        };
        let room = self.editor.join(&join.room_id, &member)?;
        if !known {
            self.rooms.push(room);
        }
        Ok(())
    }

    fn write(
        &mut self,
        change: &CodeChange<'_>,
        acknowledge: Option<u64>,
    ) -> Result<Answer, Refusal> {
        let room = &self.reach(&change.room_id)?;
        let text = text(change.code)?;
        let most = self.editor.limits.max_document as usize;
        if text.len() > most {
            return Err(Refusal::DocumentTooLarge(most));
        }
        let mut state = room.state();
        if !Room::is_loaded(&state) {
            let written = self.write_later(room, &mut state, text.into_owned(), acknowledge);
            written.map_err(|Behind| Refusal::StoreBehind)?;
            return Ok(Answer::Later);
        }
        let done = acknowledge.map(|number| self.acknowledges(number));
        // If `shown` is set, members receive the merged text soon, so do not relay this text.
        let relayed = state
            .shown
            .is_none()
            .then(|| packet::code_change(change.code));
        let written = self
            .editor
            .write(room, &mut state, &text, relayed.as_deref(), done);
        written.map_err(|Behind| Refusal::StoreBehind)?;
        if let Some(relayed) = relayed {
            state.relay(&relayed, Some(self.visit), &self.editor.counters);
            room.watch(&mut state, &self.editor.counters);
        }
        self.editor.counters.edits.inc();
        Ok(Answer::Later)
    }

    /// Queues an edit until the document is loaded. Members then receive the resulting text.
    fn write_later(
        &self,
        room: &Arc<Room>,
        state: &mut State,
        text: String,
        acknowledge: Option<u64>,
    ) -> Result<(), Behind> {
        let held = self.editor.hold(text.len())?;
        let (editor, recipient) = (self.editor.clone(), self.recipient.clone());
        let done = acknowledge.map(|number| self.acknowledges(number));
        room.wish(state, move |room, state| {
            drop(held);
            if let Err(Behind) = editor.write(room, state, &text, None, done) {
                editor.counters.refusals.inc();
                return complain(
                    &recipient,
                    "code-change",
                    acknowledge,
                    &Refusal::StoreBehind,
                );
            }
            state.unseen = true;
            editor.counters.edits.inc();
        })
    }

    /// Returns a callback that acknowledges an event.
    fn acknowledges(&self, number: u64) -> Done {
        let recipient = self.recipient.clone();
        Box::new(move || {
            recipient.text(&packet::acknowledgement(number, &Acknowledged { ok: true }));
        })
    }

    fn point(&mut self, change: &CursorChange<'_>) -> Result<(), Refusal> {
        let room = self.reach(&change.room_id)?;
        // As in the original, additional fields of the cursor are also forwarded, so limit the length.
        if change.cursor.get().len() > NAME {
            return Err(Refusal::TooLong("cursor", NAME));
        }
        let _: Object<Caret> = read(change.cursor)?;
        if text(change.username)?.len() > NAME {
            return Err(Refusal::TooLong("username", NAME));
        }
        let moved = packet::cursor_change(&self.id, change.cursor, change.username);
        room.state()
            .point(&moved, self.visit, &self.editor.counters);
        self.editor.bus().tell(
            &room.name,
            &News::Caret {
                sender: self.visit,
                packet: &moved,
            },
        );
        self.editor.counters.carets.inc();
        Ok(())
    }

    fn sync(&self, sync: &SyncCode<'_>) -> Result<(), Refusal> {
        let code: Option<Text<'_>> = read(sync.code)?;
        let passed = packet::code_change(sync.code);
        for room in &self.rooms {
            let mut state = room.state();
            if state.pass(
                &sync.socket_id,
                &passed,
                code.as_ref().map(|code| &*code.text),
            ) {
                self.editor.counters.deliveries.inc();
                room.watch(&mut state, &self.editor.counters);
                return Ok(());
            }
            if state
                .other_nodes
                .iter()
                .any(|(_, visitor)| *visitor.id == *sync.socket_id)
            {
                let news = News::Pass {
                    to: &sync.socket_id,
                    packet: &passed,
                };
                self.editor.bus().tell(&room.name, &news);
                return Ok(());
            }
        }
        Err(Refusal::NoSuchMember)
    }

    /// Runs a program in the background. The result is sent later, even if the client has disconnected by then.
    fn run(&mut self, run: &RunCode<'_>) -> Result<(), Refusal> {
        let room = self.reach(&run.room_id)?;
        if self.running.swap(true, Ordering::Relaxed) {
            return Err(Refusal::StillRunning);
        }
        let (editor, recipient, running) = (
            self.editor.clone(),
            self.recipient.clone(),
            self.running.clone(),
        );
        let (language, code) = (run.language.to_string(), run.code.to_string());
        tokio::spawn(async move {
            let ran = editor.run(&room, &language, &code).await;
            running.store(false, Ordering::Relaxed);
            if let Err(refusal) = ran {
                editor.counters.refusals.inc();
                complain(&recipient, "run-code", None, &refusal);
            }
        });
        Ok(())
    }

    fn refuse(&mut self, event: &Event<'_>, refusal: &Refusal) {
        self.editor.counters.refusals.inc();
        let too_fast = matches!(refusal, Refusal::TooFast(_));
        // Warn once per burst, so that a client that sends too fast does not fill its own queue with errors.
        if too_fast && mem::replace(&mut self.warned, true) {
            return;
        }
        let name = &event.name[..event.name.floor_char_boundary(TOLD)];
        complain(&self.recipient, name, event.acknowledge, refusal);
    }
}

/// Sends a refusal as an `error` event, and also as the acknowledgement if the client requested one.
fn complain(recipient: &Recipient, event: &str, acknowledge: Option<u64>, refusal: &Refusal) {
    let complaint = Complaint {
        event,
        message: refusal.to_string(),
    };
    recipient.text(&packet::event("error", &complaint));
    if let Some(number) = acknowledge {
        recipient.text(&packet::acknowledgement(number, &complaint));
    }
}

fn payload<'a, T: Deserialize<'a>>(event: &Event<'a>) -> Result<T, Refusal> {
    let payload = event.payload().ok_or(Refusal::NoPayload)?;
    payload
        .map(|Object(payload)| payload)
        .map_err(|error| Refusal::Payload(error.to_string()))
}

fn read<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Result<T, Refusal> {
    serde_json::from_str(json.get()).map_err(|error| Refusal::Payload(error.to_string()))
}

fn text(json: &RawValue) -> Result<Cow<'_, str>, Refusal> {
    read::<Text<'_>>(json).map(|text| text.text)
}

/// The time in milliseconds since the Unix epoch.
fn millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}
