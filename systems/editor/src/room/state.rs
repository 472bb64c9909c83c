use std::sync::Arc;

use serde::Serialize;
use tokio::time::Instant;

use super::document::Document;
use super::member::{Member, Seen};
use super::place::QUIET;
use crate::line::Frame;
use crate::metrics::Counters;
use crate::sio::packet;

/// What is going on in one room.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) members: Vec<Member>,
    pub(crate) document: Document,
    /// When the text was last changed by a member.
    pub(crate) edited: Option<Instant>,
    /// Somebody waits for the quiet already.
    pub(crate) watched: bool,
}

/// `joined`, as every member gets it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Joined {
    clients: Vec<Seen>,
    username: Arc<str>,
    socket_id: Arc<str>,
}

/// `code-change` with a text of ours.
#[derive(Debug, Serialize)]
struct Code<'a> {
    code: &'a str,
}

impl State {
    pub(crate) fn member(&self, visit: u64) -> Option<&Member> {
        self.members.iter().find(|member| member.visit == visit)
    }

    /// Somebody comes in, or says another name; everybody hears of it, and whoever comes gets the text.
    pub(crate) fn join(&mut self, member: Member, counters: &Counters) {
        let (username, socket_id) = (member.username.clone(), member.id.clone());
        let outlet = member.outlet.clone();
        match self.members.iter_mut().find(|m| m.visit == member.visit) {
            Some(known) => known.username = member.username,
            None => self.members.push(member),
        }
        let clients = self.members.iter().map(Member::seen).collect();
        let joined = packet::event(
            "joined",
            &Joined {
                clients,
                username,
                socket_id,
            },
        );
        self.tell(&joined, None, counters);
        let text = self.document.text();
        if !text.is_empty() {
            outlet.text(&packet::event("code-change", &Code { code: text }));
        }
    }

    /// Somebody goes; the others hear of it.
    pub(crate) fn leave(&mut self, visit: u64, counters: &Counters) {
        let Some(at) = self.members.iter().position(|m| m.visit == visit) else {
            return;
        };
        let gone = self.members.remove(at);
        let gone = packet::event("disconnected", &gone.seen());
        self.tell(&gone, None, counters);
    }

    /// Everybody but `except` hears a packet.
    pub(crate) fn tell(&self, text: &str, except: Option<u64>, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(except) {
            deliver(member, &frame, None, counters);
        }
    }

    /// The others see where somebody's caret is. Of one who is behind, only the newest is kept.
    pub(crate) fn point(&self, text: &str, sender: u64, counters: &Counters) {
        let frame = Frame::text(text);
        for member in self.others(Some(sender)) {
            deliver(member, &frame, Some(sender), counters);
        }
    }

    /// The others get the text that somebody wrote.
    pub(crate) fn relay(&mut self, text: &str, sender: u64, counters: &Counters) {
        let (frame, now) = (Frame::text(text), Instant::now());
        for member in &mut self.members {
            if member.visit == sender {
                // What it wrote may have crossed with what was on its way to it.
                member.doubtful = member
                    .heard
                    .is_some_and(|heard| now.duration_since(heard) < QUIET);
                continue;
            }
            deliver(member, &frame, None, counters);
            member.heard = Some(now);
            member.doubtful = false;
        }
        self.edited = Some(now);
    }

    /// Passes one member's text on to another. `false` when that one is not here.
    pub(crate) fn pass(&mut self, to: &str, packet: &str, code: Option<&str>) -> bool {
        let Some(to) = self.members.iter_mut().find(|member| *member.id == *to) else {
            return false;
        };
        to.outlet.text(packet);
        // A member's own text may be older than the document.
        if code.is_some_and(|code| code != self.document.text()) {
            to.doubtful = true;
            self.edited = Some(Instant::now());
        }
        true
    }

    /// Those whose text may differ get the one that counts.
    pub(crate) fn settle(&mut self, counters: &Counters) {
        if !self.members.iter().any(|member| member.doubtful) {
            return;
        }
        let code = packet::event(
            "code-change",
            &Code {
                code: self.document.text(),
            },
        );
        let frame = Frame::text(&code);
        for member in self.members.iter_mut().filter(|member| member.doubtful) {
            member.doubtful = false;
            deliver(member, &frame, None, counters);
            counters.settled.inc();
        }
    }

    fn others(&self, except: Option<u64>) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(move |member| Some(member.visit) != except)
    }
}

fn deliver(member: &Member, frame: &Frame, caret: Option<u64>, counters: &Counters) {
    counters.deliveries.inc();
    if !member.outlet.post(frame, caret) {
        counters.too_slow.inc();
    }
}
