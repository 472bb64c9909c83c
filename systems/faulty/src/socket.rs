use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use crate::cell::{Cell, Ticket};
use crate::flood;
use crate::frame::{TEXT, frame};
use crate::order::Kind;
use crate::outbox::{Note, Outbox, What};
use crate::rooms::Member;

/// One WebSocket.
pub(crate) struct Socket<'a> {
    pub(crate) cell: &'a Arc<Cell>,
    pub(crate) connection: usize,
    pub(crate) outbox: Outbox,
    /// Time at which the last reply is due. No reply is sent before it, because only their order tells which message a
    /// reply belongs to.
    last: Mutex<Instant>,
}

impl<'a> Socket<'a> {
    pub(crate) fn new(cell: &'a Arc<Cell>, connection: usize, outbox: Outbox) -> Self {
        Self {
            cell,
            connection,
            outbox,
            last: Mutex::new(Instant::now()),
        }
    }

    /// Sends the reply to a message, according to the fault.
    pub(crate) fn answer(&self, ticket: &Ticket, reply: &[u8]) {
        let due = {
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            *last = ticket.due.max(*last);
            *last
        };
        let send = |what, note| self.outbox.put(due, what, note);
        let bytes = || What::Bytes(frame(TEXT, reply));
        match ticket.act {
            Kind::Drop => {}
            Kind::Close => send(What::Close, Note::Nothing),
            Kind::Reset => send(What::Reset, Note::Nothing),
            Kind::Duplicate => {
                send(bytes(), Note::Answer(ticket.index, true));
                send(bytes(), Note::Nothing);
            }
            _ => send(bytes(), Note::Answer(ticket.index, true)),
        }
    }

    pub(crate) fn join(&self, room: &str) {
        let member = Member {
            connection: self.connection,
            outbox: self.outbox.clone(),
        };
        self.cell.state().rooms.join(room, member);
    }

    /// Starts the flood that the fault selects for this connection, if any.
    pub(crate) fn flood(&self, piece: fn(Kind) -> Vec<u8>) {
        if let Some(kind) = flood::of(self.cell, self.connection) {
            let what = What::Flood(piece(kind));
            self.outbox.put(Instant::now(), what, Note::Nothing);
        }
    }

    pub(crate) fn put(&self, due: Instant, bytes: Vec<u8>, note: Note) {
        self.outbox.put(due, What::Bytes(bytes), note);
    }
}
