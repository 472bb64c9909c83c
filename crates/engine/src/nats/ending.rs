//! The end of connections to NATS servers, and of the sockets that they carry.

use delivery::Leaving;
use model::{Fault, FaultKind};
use script::host::SocketId;

use super::Nats;
use crate::net::socket::Wire;
use crate::net::socket::nats::NatsWire;
use crate::socket::{Over, SocketLink, Sockets};

impl Nats<'_> {
    /// Ends the sockets that a closing NATS connection carries, or tells the server that a socket leaves its connection.
    pub(super) fn leave(&mut self, key: u32, by_script: bool, how: Leaving) {
        let Ok((_, SocketLink { wire, .. })) = self.base.socket(SocketId(key)) else {
            return;
        };
        let (carried, connection): (Vec<u32>, _) = match wire {
            Wire::Nats(NatsWire::Connection(link)) => {
                (link.carried.iter().copied().collect(), None)
            }
            Wire::Nats(NatsWire::Shared(shared)) => {
                let subscriptions = shared.subscriptions.iter().copied().collect();
                (subscriptions, Some(shared.connection))
            }
            Wire::Nats(NatsWire::Subscription(subscription)) => {
                (Vec::new(), Some(subscription.connection))
            }
            _ => return,
        };
        for socket in carried {
            let is_ending =
                |(_, socket): (_, &mut SocketLink)| socket.state.ending.closing.is_some();
            if self.base.socket(SocketId(socket)).map_or(true, is_ending) {
                continue;
            }
            if by_script {
                self.base.level.closed_by_script.insert(socket);
            }
            Sockets { base: self.base }.say_goodbye(socket, None, how);
        }
        let Some(connection) = connection else {
            return;
        };
        let Ok((_, socket)) = self.base.socket(SocketId(connection)) else {
            return;
        };
        let is_closing = socket.state.ending.closing.is_some();
        match &mut socket.wire {
            // The socket ends with its connection.
            _ if is_closing => {}
            Wire::Nats(NatsWire::Connection(link)) if link.is_connected() => {
                let _ = link.unsubscribe(key); // a broken connection ends what it carries anyway
                self.base.net.update_interest(connection);
            }
            _ => self.end_carried(key),
        }
    }

    /// Ends a subscription, or a user's part of a shared connection, whose last message has arrived.
    pub(super) fn end_carried(&mut self, key: u32) {
        let detail = match self.base.socket(SocketId(key)) {
            Ok((_, socket)) if matches!(socket.wire, Wire::Nats(NatsWire::Shared(_))) => {
                "the script closed it"
            }
            _ => "the subscription is over",
        };
        Sockets { base: self.base }.end_in_order(key, &Fault::script(FaultKind::Closed, detail));
    }

    /// Ends the sockets that a NATS connection carried, or removes a socket from its connection.
    pub(super) fn part_from(&mut self, over: &Over) {
        let connection = match &over.link.wire {
            Wire::Nats(NatsWire::Connection(link)) => {
                for &key in &link.carried {
                    if let Ok((_, socket)) = self.base.socket(SocketId(key))
                        && let Wire::Nats(carried) = &mut socket.wire
                    {
                        carried.note_end_of_connection();
                    }
                    self.base.socket_broke(key, &over.fault);
                }
                return;
            }
            Wire::Nats(NatsWire::Shared(shared)) => shared.connection,
            Wire::Nats(NatsWire::Subscription(subscription)) => subscription.connection,
            _ => return,
        };
        let Ok((_, socket)) = self.base.socket(SocketId(connection)) else {
            return;
        };
        if let Wire::Nats(NatsWire::Connection(link)) = &mut socket.wire {
            link.carried.remove(&over.key);
        }
    }
}
