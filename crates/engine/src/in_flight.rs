//! What is in flight when nobody waits for it any longer: it counts as unfinished, with its age.

use model::{Nanos, UserId};
use script::host::SocketId;

use crate::conn::Link;
use crate::dialling::Dial;
use crate::dials::EndpointIndex;
use crate::http::{InFlight, Opening};
use crate::recorder::Family;
use crate::socket::SocketState;
use crate::world::World;

impl World {
    /// The level is over for this user: what is in flight counts as unfinished, connections are closed.
    pub(crate) fn abandon_http(&mut self, id: UserId) {
        let Some(user) = self.users.get(id) else {
            return;
        };
        let pools = std::mem::take(&mut user.pools);
        let now = self.clock.now();
        let mut abandoned: Vec<Box<InFlight>> = Vec::new();
        for pool in pools {
            abandoned.extend(pool.waiting);
            for key in pool.open {
                let Some(mut conn) = self.take_out(key) else {
                    continue;
                };
                let opening = conn.take_opening();
                self.leave_opening(conn.endpoint, opening, now);
                match conn.link {
                    Link::Http(http) => abandoned.extend(http.call),
                    Link::Http2(http2) => abandoned.extend(http2.into_calls()),
                    Link::Socket(_) => {}
                }
            }
        }
        for dial in self.dialling.abandon(id) {
            match dial {
                Dial::Http(flight) => abandoned.push(flight),
                Dial::Socket(dial) => self.leave_dial(&dial.state),
            }
        }
        for call in abandoned {
            if !call.is_poll() && self.hold.contains(call.planned) {
                let age = now - call.planned;
                self.recorder.left_open(Family::Request, call.name, age);
            }
        }
    }

    /// A connection that is not waited for any longer was still being opened.
    fn leave_opening(&mut self, endpoint: EndpointIndex, opening: Option<Opening>, now: Nanos) {
        let asked = opening.map(|opening| opening.asked);
        if let Some(asked) = asked.filter(|&asked| self.hold.contains(asked)) {
            let name = self.dials.label(endpoint);
            let index = self.recorder.name(Family::Connection, &name);
            self.recorder
                .left_open(Family::Connection, index, now - asked);
        }
    }

    /// The replies that are still awaited will not be waited for any longer.
    pub(crate) fn leave_exchanges(&mut self, key: u32) {
        let now = self.clock.now();
        let Ok((_, socket)) = self.socket(SocketId(key)) else {
            return;
        };
        let waiting = std::mem::take(&mut socket.state.waiting);
        for exchange in waiting.into_iter().filter_map(|waiting| waiting.exchange) {
            if self.hold.contains(exchange.planned) {
                let age = now - exchange.planned;
                self.recorder
                    .left_open(Family::Exchange, exchange.name, age);
            }
        }
    }

    /// A socket that is not waited for any longer is still being opened, or about to be.
    pub(crate) fn leave_dial(&mut self, state: &SocketState) {
        let opening = state.opening.map(|opening| opening.planned);
        if let Some(planned) = opening.filter(|&planned| self.hold.contains(planned)) {
            let age = self.clock.now() - planned;
            let index = self.recorder.name(Family::Connection, &state.name);
            self.recorder.left_open(Family::Connection, index, age);
        }
    }
}
