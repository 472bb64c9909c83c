use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

use super::document::Document;
use super::member::{Listener, Member, Seen};
use super::place::{QUIET, Room, WISHES};
use super::presence::Presence;
use crate::bus::Visitor;
use crate::line::Frame;
use crate::metrics::Counters;
use crate::recipient::Recipient;
use crate::sio::packet;
use crate::yjs;

/// Something to be done once the document is loaded.
pub(super) type Wish = Box<dyn FnOnce(&Arc<Room>, &mut State) + Send>;

/// What is going on in one room.
pub(crate) struct State {
    pub(crate) members: Vec<Member>,
    pub(crate) listeners: Vec<Listener>,
    /// Visits that speak here without having joined: they hear nothing and nobody hears of them.
    pub(super) guests: Vec<u64>,
    /// Members at other nodes, and at which.
    pub(crate) other_nodes: Vec<(u64, Visitor)>,
    pub(crate) presence: Presence,
    pub(crate) document: Document,
    /// The text that members last got, while Yjs clients changed the document since.
    pub(crate) shown: Option<String>,
    /// When the text was last changed by a member.
    pub(super) edited: Option<Instant>,
    /// Somebody waits for the quiet already.
    pub(super) watched: bool,
    /// What waits for the document; `None` once it is here.
    pub(super) wishes: Option<Vec<Wish>>,
    /// Somebody's text came before the document did; members have still to get it.
    pub(crate) unseen: bool,
    /// Nobody is to come in any more: another room of this name may be open already.
    pub(super) closed: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            members: Vec::new(),
            listeners: Vec::new(),
            guests: Vec::new(),
            other_nodes: Vec::new(),
            presence: Presence::default(),
            document: Document::default(),
            shown: None,
            edited: None,
            watched: false,
            wishes: Some(Vec::new()),
            unseen: false,
            closed: false,
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("members", &self.members)
            .field("listeners", &self.listeners)
            .finish_non_exhaustive()
    }
}

/// `joined`, as every member gets it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Joined<'a> {
    clients: Vec<Seen<'a>>,
    username: Arc<str>,
    socket_id: Arc<str>,
}

/// `code-change` with a text of ours.
#[derive(Debug, Serialize)]
struct Code<'a> {
    code: &'a str,
    /// Not in the original, nor is when it is said: nobody's edit, but what the room holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    document: bool,
}

impl<'a> Code<'a> {
    /// For somebody who joins, as the original has it.
    fn for_newcomer(code: &'a str) -> String {
        packet::event(
            "code-change",
            &Self {
                code,
                document: false,
            },
        )
    }

    fn for_members(code: &'a str) -> String {
        packet::event(
            "code-change",
            &Self {
                code,
                document: true,
            },
        )
    }
}

impl State {
    pub(crate) fn member(&self, visit: u64) -> Option<&Member> {
        self.members.iter().find(|member| member.visit == visit)
    }

    /// The ways to all members.
    pub(crate) fn recipients(&self) -> Vec<Recipient> {
        self.members
            .iter()
            .map(|member| member.recipient.clone())
            .collect()
    }

    /// Whether the document is here, or one thing more may wait for it.
    pub(super) fn may_wish(&self) -> bool {
        self.wishes
            .as_ref()
            .is_none_or(|wishes| wishes.len() < WISHES)
    }

    /// Whether nobody is here.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.listeners.is_empty() && self.guests.is_empty()
    }

    /// Places that others than this visit have by Socket.IO.
    pub(super) fn occupied_beside(&self, visit: u64) -> usize {
        let guests = self.guests.iter().filter(|guest| **guest != visit);
        self.members.len() + guests.count()
    }

    /// Somebody comes in, or says another name.
    pub(super) fn admit(&mut self, member: Member) {
        self.guests.retain(|guest| *guest != member.visit);
        match self.members.iter_mut().find(|m| m.visit == member.visit) {
            Some(known) => known.who.username = member.who.username,
            None => self.members.push(member),
        }
    }

    /// Everybody here hears who came.
    pub(crate) fn announce(&self, who: &Visitor, counters: &Counters) {
        let (username, socket_id) = (who.username.clone(), who.id.clone());
        let mut all: Vec<&Visitor> = self.members.iter().map(|member| &member.who).collect();
        if !self.other_nodes.is_empty() {
            all.extend(self.other_nodes.iter().map(|(_, visitor)| visitor));
            all.sort_by_key(|visitor| visitor.since);
        }
        let clients = all.into_iter().map(Seen::of).collect();
        let joined = packet::event(
            "joined",
            &Joined {
                clients,
                username,
                socket_id,
            },
        );
        self.tell(&joined, None, counters);
    }

    /// Those who are here.
    pub(crate) fn visitors(&self) -> Vec<Visitor> {
        self.members
            .iter()
            .map(|member| member.who.clone())
            .collect()
    }

    /// Somebody is at another node. `false` when that was known.
    pub(crate) fn admit_abroad(&mut self, node: u64, visitor: &Visitor) -> bool {
        let known = self
            .other_nodes
            .iter_mut()
            .find(|(_, known)| known.id == visitor.id);
        if let Some((_, known)) = known {
            let renamed = known.username != visitor.username;
            known.username = visitor.username.clone();
            return renamed;
        }
        self.other_nodes.push((node, visitor.clone()));
        true
    }

    /// Those other_nodes that `goes` says are gone; everybody here hears of it.
    pub(crate) fn leave_abroad(
        &mut self,
        goes: impl Fn(u64, &Visitor) -> bool,
        counters: &Counters,
    ) {
        let gone: Vec<_> = self
            .other_nodes
            .extract_if(.., |(node, visitor)| goes(*node, visitor))
            .collect();
        for (_, visitor) in gone {
            self.tell(
                &packet::event("disconnected", &Seen::of(&visitor)),
                None,
                counters,
            );
        }
    }

    /// A member gets the text, if there is any.
    pub(super) fn show_to(&mut self, visit: u64) {
        let Some(member) = self
            .members
            .iter()
            .find(|member| member.visit == visit && member.texts)
        else {
            return;
        };
        let text = self.document.text();
        if !text.is_empty() {
            member.recipient.text(&Code::for_newcomer(text));
        }
    }

    /// Whether members must be told of a change, and do not wait for that already.
    pub(crate) fn wants_text(&self) -> bool {
        self.shown.is_none() && self.members.iter().any(|member| member.texts)
    }

    /// All members get the text: it was changed by Yjs clients.
    pub(crate) fn show(&mut self, counters: &Counters) {
        self.shown = None;
        let code = Code::for_members(self.document.text());
        let (frame, now) = (Frame::text(&code), Instant::now());
        for member in self.members.iter_mut().filter(|member| member.texts) {
            deliver(member, &frame, None, None, counters);
            member.heard = Some(now);
            member.doubtful = false;
        }
    }

    /// The Yjs clients but `except` get an update.
    pub(crate) fn tell_listeners(&self, update: &[u8], except: Option<u64>, counters: &Counters) {
        if self
            .listeners
            .iter()
            .any(|listener| Some(listener.visit) != except)
        {
            self.post_listeners(&yjs::update(update), except, None, counters);
        }
    }

    /// The Yjs clients but `except` get a frame.
    pub(super) fn post_listeners(
        &self,
        frame: &Frame,
        except: Option<u64>,
        caret: Option<u64>,
        counters: &Counters,
    ) {
        for listener in self
            .listeners
            .iter()
            .filter(|listener| Some(listener.visit) != except)
        {
            counters.deliveries.inc();
            if !listener.outbox.post(frame, caret) {
                counters.too_slow.inc();
            }
        }
    }

    /// Somebody goes; the others hear of it.
    pub(super) fn leave(&mut self, visit: u64, counters: &Counters) {
        let Some(at) = self.members.iter().position(|m| m.visit == visit) else {
            return;
        };
        let gone = self.members.remove(at);
        let gone = packet::event("disconnected", &Seen::of(&gone.who));
        self.tell(&gone, None, counters);
    }

    /// Everybody but `except` hears a packet.
    pub(crate) fn tell(&self, text: &str, except: Option<u64>, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(except) {
            deliver(member, &frame, None, None, counters);
        }
    }

    /// The others see where somebody's caret is. Of one who is behind, only the newest is kept.
    pub(crate) fn point(&self, text: &str, sender: u64, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(Some(sender)) {
            deliver(member, &frame, Some(sender), Some(sender), counters);
        }
    }

    /// What is on its way to the members from somebody's own hand: the others get it, unless they get
    /// the merged text soon.
    pub(crate) fn relay(&mut self, text: &str, sender: Option<u64>, counters: &Counters) {
        let (frame, now) = (Frame::text(text), Instant::now());
        for member in &mut self.members {
            if Some(member.visit) == sender {
                // What it wrote may have crossed with what was on its way to it.
                member.doubtful = member
                    .heard
                    .is_some_and(|heard| now.duration_since(heard) < QUIET);
                continue;
            }
            if !member.texts {
                continue;
            }
            deliver(
                member,
                &frame,
                None,
                Some(sender.unwrap_or(u64::MAX)),
                counters,
            );
            member.heard = Some(now);
            member.doubtful = false;
        }
        self.edited = Some(now);
    }

    /// Passes one member's text on to another. `false` when that one is not here.
    pub(crate) fn pass(&mut self, to: &str, packet: &str, code: Option<&str>) -> bool {
        let Some(to) = self.members.iter_mut().find(|member| *member.who.id == *to) else {
            return false;
        };
        to.recipient.text(packet);
        // A member's own text may be older than the document.
        if code.is_some_and(|code| code != self.document.text()) {
            to.doubtful = true;
            self.edited = Some(Instant::now());
        }
        true
    }

    /// Those whose text may differ get the one that counts.
    pub(super) fn settle(&mut self, counters: &Counters) {
        if !self.members.iter().any(|member| member.doubtful) {
            return;
        }
        let code = Code::for_members(self.document.text());
        let frame = Frame::text(&code);
        for member in self.members.iter_mut().filter(|member| member.doubtful) {
            member.doubtful = false;
            deliver(member, &frame, None, None, counters);
            counters.settled.inc();
        }
    }

    fn others(&self, except: Option<u64>) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(move |member| Some(member.visit) != except)
    }
}

/// Hands a frame to a member; a `sender` makes it a delivery.
fn deliver(
    member: &Member,
    frame: &Frame,
    caret: Option<u64>,
    sender: Option<u64>,
    counters: &Counters,
) {
    counters.deliveries.inc();
    let kept_up = match sender {
        Some(sender) => member.recipient.deliver(frame, caret, sender),
        None => member.recipient.post(frame, None),
    };
    if !kept_up {
        counters.too_slow.inc();
    }
}
