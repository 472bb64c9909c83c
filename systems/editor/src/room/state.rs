use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::member::{Listener, Member, Seen};
use super::presence::Presence;
use crate::bus::Visitor;
use crate::document::Document;
use crate::line::Frame;
use crate::metrics::Counters;
use crate::recipient::Recipient;
use crate::sio::packet;
use crate::yjs;

/// Time without edits after which members whose text may differ receive the document. If an edit was sent to a member
/// less than this time before, the member's own edit may have crossed with it.
pub(super) const QUIET: Duration = Duration::from_secs(3);
/// Maximum number of operations that wait for the document. Further operations are refused.
const WISHES: usize = 4096;

/// An operation that waits until the document is loaded.
pub(super) type Wish = Box<dyn FnOnce(&mut State) + Send>;

/// The state of one room.
pub(crate) struct State {
    pub(crate) members: Vec<Member>,
    pub(crate) listeners: Vec<Listener>,
    /// Sessions that write to the room without having joined it. They receive nothing and are not announced.
    pub(super) guests: Vec<u64>,
    /// Members on other nodes, with the numbers of their nodes.
    pub(crate) other_nodes: Vec<(u64, Visitor)>,
    pub(crate) presence: Presence,
    pub(crate) document: Document,
    /// The text that members last received. `None` unless Yjs clients have since changed the document.
    pub(crate) shown: Option<String>,
    /// Time at which a member last changed the text.
    pub(super) edited: Option<Instant>,
    /// Whether a task is already waiting for the room to become quiet.
    pub(super) watched: bool,
    /// Operations that wait for the document. `None` when the document is loaded.
    pub(super) wishes: Option<VecDeque<Wish>>,
    /// Whether an edit arrived before the document was loaded, so that members have not received the result.
    pub(crate) unseen: bool,
    /// Whether the room is closed. Nobody may enter a closed room, because another room with this name may already be
    /// open.
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
            wishes: Some(VecDeque::new()),
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

/// The payload of the `joined` event that every member receives.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Joined<'a> {
    clients: Vec<Seen<'a>>,
    username: Arc<str>,
    socket_id: Arc<str>,
}

/// The payload of a `code-change` event that the server creates.
#[derive(Debug, Serialize)]
struct Code<'a> {
    code: &'a str,
    /// `true` if `code` is the room's document, rather than a member's edit. The original has no such field.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    document: bool,
}

impl<'a> Code<'a> {
    /// Builds the event for a member that joins, as in the original.
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

    /// Returns the recipients of all members.
    pub(crate) fn recipients(&self) -> Vec<Recipient> {
        self.members
            .iter()
            .map(|member| member.recipient.clone())
            .collect()
    }

    /// Whether an operation may run now or wait, because the document is loaded or there is space in the queue.
    pub(super) fn may_wish(&self) -> bool {
        self.wishes
            .as_ref()
            .is_none_or(|wishes| wishes.len() < WISHES)
    }

    /// Whether the room has no members, listeners or guests.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.listeners.is_empty() && self.guests.is_empty()
    }

    /// Number of Socket.IO members and guests other than this session.
    pub(super) fn occupied_beside(&self, visit: u64) -> usize {
        let guests = self.guests.iter().filter(|guest| **guest != visit);
        self.members.len() + guests.count()
    }

    /// Adds a member or updates the member's name.
    pub(super) fn admit(&mut self, member: Member) {
        self.guests.retain(|guest| *guest != member.visit);
        match self.members.iter_mut().find(|m| m.visit == member.visit) {
            Some(known) => known.who.username = member.who.username,
            None => self.members.push(member),
        }
    }

    /// Announces a member to all members on this node.
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

    /// Returns the members on this node.
    pub(crate) fn visitors(&self) -> Vec<Visitor> {
        self.members
            .iter()
            .map(|member| member.who.clone())
            .collect()
    }

    /// Adds a member on another node or updates the member's name. Returns `false` if nothing changed.
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

    /// Removes the members on other nodes for which `goes` returns true, and announces that.
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

    /// Sends the text to one member, unless the text is empty.
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

    /// Whether a change must be sent to members and is not yet scheduled.
    pub(crate) fn wants_text(&self) -> bool {
        self.shown.is_none() && self.members.iter().any(|member| member.texts)
    }

    /// Sends the text to all members, because Yjs clients have changed it.
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

    /// Sends an update to all Yjs clients except `except`.
    pub(crate) fn tell_listeners(&self, update: &[u8], except: Option<u64>, counters: &Counters) {
        if self
            .listeners
            .iter()
            .any(|listener| Some(listener.visit) != except)
        {
            self.post_listeners(&yjs::update(update), except, None, counters);
        }
    }

    /// Sends a frame to all Yjs clients except `except`.
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

    /// Removes a member and announces that.
    pub(super) fn leave(&mut self, visit: u64, counters: &Counters) {
        let Some(at) = self.members.iter().position(|m| m.visit == visit) else {
            return;
        };
        let gone = self.members.remove(at);
        let gone = packet::event("disconnected", &Seen::of(&gone.who));
        self.tell(&gone, None, counters);
    }

    /// Sends a packet to all members except `except`.
    pub(crate) fn tell(&self, text: &str, except: Option<u64>, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(except) {
            deliver(member, &frame, None, None, counters);
        }
    }

    /// Sends a caret to all members except its sender. A member that is behind receives only the newest caret.
    pub(crate) fn point(&self, text: &str, sender: u64, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(Some(sender)) {
            deliver(member, &frame, Some(sender), Some(sender), counters);
        }
    }

    /// Relays a member's text to all other members. Do not call this while members wait for the merged text.
    pub(crate) fn relay(&mut self, text: &str, sender: Option<u64>, counters: &Counters) {
        let (frame, now) = (Frame::text(text), Instant::now());
        for member in &mut self.members {
            if Some(member.visit) == sender {
                // The member's edit may have crossed with a text that was in flight to the member.
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

    /// Forwards one member's text to another member. Returns `false` if the recipient is not in the room.
    pub(crate) fn pass(&mut self, to: &str, packet: &str, code: Option<&str>) -> bool {
        let Some(to) = self.members.iter_mut().find(|member| *member.who.id == *to) else {
            return false;
        };
        to.recipient.text(packet);
        // The sender's text may be older than the document, so the recipient must be checked later.
        if code.is_some_and(|code| code != self.document.text()) {
            to.doubtful = true;
            self.edited = Some(Instant::now());
        }
        true
    }

    /// Sends the document to the members whose text may differ.
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

/// Sends a frame to a member. A frame with a `sender` is a delivery, which injected faults may affect.
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
