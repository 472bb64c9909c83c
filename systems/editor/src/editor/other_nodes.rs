//! Handles messages from the other nodes.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use yrs::StateVector;
use yrs::sync::AwarenessUpdate;
use yrs::updates::decoder::Decode;
use yrs::updates::encoder::Encode;

use super::Editor;
use crate::bus::{News, Receive, Visitor};
use crate::room::{Room, Speaker, State};
use crate::store::Behind;

/// The text in a `code-change` event.
#[derive(Debug, Deserialize)]
struct Code<'a> {
    #[serde(borrow)]
    code: Cow<'a, str>,
}

impl Receive for Editor {
    fn heard(self: &Arc<Self>, room: &Arc<str>) {
        self.bus().tell(
            room,
            &News::Hello {
                known: &StateVector::default().encode_v1(),
            },
        );
    }

    fn receive(self: &Arc<Self>, name: &Arc<str>, node: u64, news: News<'_>) {
        let Some(room) = self.registry.find(name) else {
            return;
        };
        match news {
            News::Hello { known } => self.answer(&room, known),
            News::Lost => self.ask(&room),
            News::Here { visitors, presence } => {
                let gone =
                    |of, who: &Visitor| of == node && !visitors.iter().any(|v| v.id == who.id);
                // The list is complete, so members of the sending node who are not listed have left.
                room.state().leave_abroad(gone, &self.counters);
                for visitor in &visitors {
                    self.come(&room, node, visitor);
                }
                if let Ok(presence) = AwarenessUpdate::decode_v1(presence) {
                    room.list_presence(presence, node, &self.counters);
                }
            }
            News::Joined { visitor } => self.come(&room, node, &visitor),
            News::Left { id } => room
                .state()
                .leave_abroad(|_, visitor| *visitor.id == *id, &self.counters),
            News::Update { update } => self.change(&room, None, update),
            News::Code { packet, update } => self.change(&room, Some(packet), update),
            News::Caret { sender, packet } => room.state().point(packet, sender, &self.counters),
            News::Presence { update } => {
                if let Ok(update) = AwarenessUpdate::decode_v1(update) {
                    room.tell_presence(update, Speaker::Node(node), &self.counters);
                }
            }
            News::Pass { to, packet } => {
                let mut state = room.state();
                if state.pass(to, packet, code(packet).as_deref()) {
                    room.watch(&mut state, &self.counters);
                }
            }
            News::Tell { packet } => room.state().tell(packet, None, &self.counters),
        }
    }

    fn node_gone(self: &Arc<Self>, node: u64) {
        for room in self.registry.all() {
            room.node_gone(node, &self.counters);
        }
    }

    fn missed(self: &Arc<Self>) {
        for room in self.registry.all() {
            self.bus().doubt(&room.name);
        }
    }

    fn doubtful(self: &Arc<Self>, name: &Arc<str>) {
        if let Some(room) = self.registry.find(name) {
            self.ask(&room);
            self.bus().tell(name, &News::Lost);
        }
    }
}

impl Editor {
    /// Requests from the other nodes all data that this node lacks.
    fn ask(&self, room: &Room) {
        let known = room.state().document.known().encode_v1();
        self.bus().tell(&room.name, &News::Hello { known: &known });
    }

    fn answer(self: &Arc<Self>, room: &Arc<Room>, known: &[u8]) {
        let Ok(known) = StateVector::decode_v1(known) else {
            return;
        };
        let here = {
            let state = room.state();
            (state.visitors(), state.presence.own().encode_v1())
        };
        let (visitors, presence) = (here.0, &here.1);
        self.bus()
            .tell(&room.name, &News::Here { visitors, presence });
        let editor = self.clone();
        let wished = room.when_loaded(move |room, state| {
            let update = state.document.since(&known);
            editor
                .bus()
                .tell(&room.name, &News::Update { update: &update });
        });
        if let Err(Behind) = wished {
            self.bus().doubt(&room.name);
        }
    }

    fn come(&self, room: &Room, node: u64, visitor: &Visitor) {
        let mut state = room.state();
        // A room that is still loading announces nothing, because the first member list that it sends contains this
        // member.
        if state.admit_abroad(node, visitor) && Room::is_loaded(&state) {
            state.announce(visitor, &self.counters);
        }
    }

    fn change(self: &Arc<Self>, room: &Arc<Room>, packet: Option<&str>, update: &[u8]) {
        let length = update.len() + packet.map_or(0, str::len);
        let changed = self.hold(length).and_then(|held| {
            let (editor, update) = (self.clone(), update.to_vec());
            let packet = packet.map(str::to_owned);
            room.when_loaded(move |room, state| {
                drop(held);
                editor.take(room, state, packet.as_deref(), update);
            })
        });
        if let Err(Behind) = changed {
            self.bus().doubt(&room.name);
        }
    }

    fn take(&self, room: &Arc<Room>, state: &mut State, packet: Option<&str>, update: Vec<u8>) {
        if update == super::NOTHING {
            return;
        }
        let Ok(slot) = self.writer.slot() else {
            tracing::warn!(room = %room.name, "the store is behind: a change from another node will be requested again");
            return self.bus().doubt(&room.name);
        };
        let (before, gap) = (state.document.known(), state.document.has_gap());
        let merges = state.shown.is_some();
        let shown = state.document.text().to_owned();
        // There is no cost limit here, because the sending node has already applied it to this update.
        if state.document.load(&update).is_err() {
            return tracing::warn!(room = %room.name, "another node sent an invalid update");
        }
        if state.document.has_gap() && !gap {
            self.bus().doubt(&room.name);
        }
        if state.document.known() == before && state.document.text() == shown {
            return;
        }
        // The update may have filled a gap, so that earlier updates could be applied. No client here has received them,
        // and they are not saved yet.
        let update = if gap {
            state.document.since(&before)
        } else {
            update
        };
        state.tell_listeners(&update, None, &self.counters);
        let whole =
            packet.filter(|packet| code(packet).is_some_and(|code| code == state.document.text()));
        match whole {
            Some(packet) if !merges => state.relay(packet, None, &self.counters),
            _ => room.show_soon(state, shown, &self.counters),
        }
        // If nodes share a database, the sending node saves the update.
        if !self.log.is_shared() {
            slot.save(&room.name, update, None);
        }
    }
}

fn code(packet: &str) -> Option<Cow<'_, str>> {
    let rest = packet.strip_prefix("42[\"code-change\",")?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Code<'_>>();
    Some(values.next()?.ok()?.code)
}
