//! The end of connections to NATS servers, and of the sockets that they carry.

use delivery::Leaving;
use model::{Fault, FaultKind};
use script::host::SocketId;

use crate::net::socket::Wire;
use crate::socket::SocketLink;
use crate::world::World;

impl World {
    /// Ends the sockets that a closing NATS connection carries, or tells the server that a socket leaves its connection.
    pub(crate) fn leave_nats(&mut self, key: u32, by_script: bool, how: Leaving) {
        let Ok((_, SocketLink { wire, .. })) = self.socket(SocketId(key)) else {
            return;
        };
        let (carried, connection): (Vec<u32>, _) = match wire {
            Wire::Nats(link) => (link.carried.iter().copied().collect(), None),
            Wire::SharedNats(shared) => {
                let subscriptions = shared.subscriptions.iter().copied().collect();
                (subscriptions, Some(shared.connection))
            }
            Wire::NatsSubscription(subscription) => (Vec::new(), Some(subscription.connection)),
            _ => return,
        };
        for socket in carried {
            let is_ending = |(_, socket): (_, &mut SocketLink)| socket.state.closing.is_some();
            if self.socket(SocketId(socket)).map_or(true, is_ending) {
                continue;
            }
            if by_script {
                self.level.closed_by_script.insert(socket);
            }
            self.say_goodbye(socket, None, how);
        }
        let Some(connection) = connection else {
            return;
        };
        let Ok((_, socket)) = self.socket(SocketId(connection)) else {
            return;
        };
        let is_closing = socket.state.closing.is_some();
        match &mut socket.wire {
            // The socket ends with its connection.
            _ if is_closing => {}
            Wire::Nats(link) if link.is_connected() => {
                let _ = link.unsubscribe(key); // a broken connection ends what it carries anyway
                self.net.update_interest(connection);
            }
            _ => self.end_carried(key),
        }
    }

    /// Ends a subscription, or a user's part of a shared connection, whose last message has arrived.
    pub(super) fn end_carried(&mut self, key: u32) {
        let detail = match self.socket(SocketId(key)) {
            Ok((_, socket)) if matches!(socket.wire, Wire::SharedNats(_)) => "the script closed it",
            _ => "the subscription is over",
        };
        self.end_in_order(key, &Fault::script(FaultKind::Closed, detail));
    }

    /// Ends the sockets that a NATS connection carried, or removes a socket from its connection. Returns whether the socket
    /// ends together with its connection.
    pub(crate) fn nats_is_over(&mut self, key: u32, wire: &Wire, fault: &Fault) -> bool {
        let connection = match wire {
            Wire::Nats(link) => {
                for &socket in &link.carried {
                    self.socket_broke(socket, fault);
                }
                return false;
            }
            Wire::SharedNats(shared) => shared.connection,
            Wire::NatsSubscription(subscription) => subscription.connection,
            _ => return false,
        };
        let Ok((_, socket)) = self.socket(SocketId(connection)) else {
            return true;
        };
        if let Wire::Nats(link) = &mut socket.wire {
            link.carried.remove(&key);
        }
        false
    }
}
