//! Requests that keep a thread busy.

use super::EventLoop;
use crate::clock::Nanos;
use crate::connection::{Request, State};
use crate::sockets::Key;
use crate::workers::Crew;

impl EventLoop {
    /// Gives the work to a thread. The response follows when it is done.
    pub(super) fn work(&mut self, key: Key, request: Request, crew: Crew, time: Nanos) {
        if self.workers.give(crew, key, time) {
            self.hold(key, request, 200);
        } else {
            self.answer(key, &request, 503);
        }
    }

    /// Sends the responses whose work is done.
    pub(super) fn worked(&mut self) {
        while let Some(done) = self.workers.next_done() {
            if !done.succeeded {
                self.change_held(done.of, 500);
            }
            self.answer_held(done.of);
        }
    }

    /// Changes the status of a held response.
    fn change_held(&mut self, key: Key, new: u16) {
        if let Some(connection) = self.sockets.get(key)
            && let State::Held { status, .. } = &mut connection.state
        {
            *status = new;
        }
    }
}
