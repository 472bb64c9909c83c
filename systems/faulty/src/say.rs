use std::time::Duration;

use tokio::time::Instant;

use crate::cell::{Cell, State};
use crate::log::DeliveryLog;
use crate::order::Kind;
use crate::outbox::{Note, What};
use crate::rooms::Member;

/// Sends a message, as `bytes`, to all other members of the room.
pub(crate) fn say(cell: &Cell, room: &str, sender: usize, bytes: &[u8]) {
    let now = Instant::now();
    let read_us = cell.now_us();
    let mut state = cell.state();
    let message = state.message();
    for member in state.rooms.others(room, sender) {
        let (number, index) = state.delivery(DeliveryLog {
            message,
            sender,
            receiver: member.connection,
            read_us,
            written_us: Vec::new(),
            strays: Vec::new(),
        });
        let act = cell.order.act(number);
        let due = now + cell.order.delay() + cell.order.extra(act);
        deliver(&state, room, &member, (act, due, index), bytes);
    }
}

fn deliver(
    state: &State,
    room: &str,
    member: &Member,
    (act, due, index): (Kind, Instant, usize),
    bytes: &[u8],
) {
    let send = |to: &Member, what, note| to.outbox.put(due, what, note);
    match act {
        Kind::Drop => return,
        Kind::Close => return send(member, What::Close, Note::Nothing),
        Kind::Reset => return send(member, What::Reset, Note::Nothing),
        Kind::Duplicate => {
            let again = due + Duration::from_micros(1);
            let what = What::Bytes(bytes.to_vec());
            member.outbox.put(again, what, Note::Copy(index));
        }
        Kind::Stray => {
            if let Some(stranger) = state.rooms.stranger(room) {
                let note = Note::Stray(index, stranger.connection);
                send(&stranger, What::Bytes(bytes.to_vec()), note);
            }
        }
        _ => {}
    }
    send(member, What::Bytes(bytes.to_vec()), Note::Copy(index));
}
