//! Handles what the connections to Redis servers receive, and their end.

use model::{Fault, Nanos};
use wire::resp::{self, Signal, SlotMap};

use super::Redis;
use super::aftermath::Aftermath;
use crate::net::socket::Detachable;
use crate::net::socket::redis::{Own, Redis as RedisLink, take_own};
use crate::protocol::Protocol;
use crate::socket::Over;

impl Protocol for Redis<'_> {
    fn received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        // Take the connection out while it parses, because handling its signals borrows the world.
        let Some(mut redis) = self.redis_place(key).and_then(Detachable::take) else {
            self.base
                .inconsistent("a Redis connection that is not in the table received data");
            return 0;
        };
        let RedisLink {
            connection,
            server,
            subscriptions,
            own,
            ..
        } = &mut *redis;
        let (mut messages, mut left) = (0, Aftermath::default());
        let outcome = connection.on_bytes(bytes, &mut |signal| {
            messages += 1;
            match signal {
                Signal::Connected(hello) => {
                    server.clone_from(hello);
                    left.node_of = self.redis_connected(key, now);
                }
                Signal::Reply { token, reply } => match take_own(own, token) {
                    Some(Own::Asking) => {}
                    Some(Own::Slots) => left.slots = Some(slots_in(&reply.value)),
                    None => {
                        let change = subscriptions.take_change(token);
                        let is_end = change.as_ref().is_some_and(|change| change.ends);
                        left.refused
                            .extend(change.map(|change| change.subscription));
                        if !is_end {
                            let redirected = self.redis_replied(key, token, &reply.value, now);
                            left.redirected.extend(redirected);
                        }
                    }
                },
                Signal::Confirmed { token } => {
                    if let Some(change) = subscriptions.take_change(token) {
                        self.redis_confirmed((key, token), &change, &mut left, now);
                    }
                }
                Signal::Push { kind, items, .. } => {
                    self.redis_pushed(key, (kind, items), (&*subscriptions, &mut left), now);
                }
            }
        });
        messages += usize::from(connection.holds_a_part());
        if let Some(place) = self.redis_place(key) {
            place.put_back(redis);
        }
        // Whatever happens to this connection, these commands go on.
        for redirected in std::mem::take(&mut left.redirected) {
            self.follow_redirect(key, redirected);
        }
        match outcome.and(left.malformed.take().map_or(Ok(()), Err)) {
            Ok(()) => self.settle(key, left),
            Err(fault) => self.base.socket_broke(key, &fault),
        }
        messages
    }

    fn helper_lost(&mut self, key: u32, name: &str, fault: &Fault) {
        self.node_is_over(key, name, fault);
    }

    fn is_over(&mut self, over: &Over) {
        self.end_what_belongs_to(over);
    }
}

/// The node of each slot, in the reply of a node.
fn slots_in(reply: &resp::Value<'_>) -> Result<SlotMap, Fault> {
    match reply {
        resp::Value::Error(error) => Err(error.fault()),
        reply => SlotMap::parse(reply),
    }
}
