//! Members of passive audiences that subscribe to channels of Redis servers. Each has a connection of its own, because the
//! server sends each message only once per connection.

use model::{Fault, FaultKind};
use rand_pcg::Pcg64Mcg;
use script::host::{Payload, RedisMember, SubscribeCall};
use wire::resp::{Items, Signal, Value};

use super::arrival::MemberArrival;
use super::described::{Describe, Described};
use super::member::{First, Ready};
use super::transport::MemberTransport;
use crate::base::Base;
use crate::dial::Opener;
use crate::net::socket::redis::{Change, Redis, RedisWire, SourceKind};
use crate::redis::{Published, redis_login, source_kind};
use crate::socket::Came;

impl Describe for RedisMember {
    fn describe(
        self,
        base: &mut Base,
        _: Vec<Payload>,
        _: &mut Pcg64Mcg,
    ) -> Result<Described, Fault> {
        let Self { call, subscribe } = self;
        let (url, login) = redis_login(&call, base.net.connector.target())?;
        let endpoint = base.net.connector.endpoint_of(&url)?;
        let opener = Opener::Redis(Box::new(login));
        let limit = base.opening_limit(call.timeout);
        Ok(Described {
            first: First::Subscription(subscribe),
            ready: Ready::Confirmed,
            ..Described::new(endpoint, opener, limit)
        })
    }
}

impl MemberTransport for RedisWire {
    fn hear(
        &mut self,
        bytes: &[u8],
        arrival: &mut MemberArrival<'_>,
    ) -> (usize, Result<(), Fault>) {
        let Some(redis) = connection_of(self) else {
            return (0, Ok(()));
        };
        let mut messages = 0;
        let outcome = redis.connection.on_bytes(bytes, &mut |signal| {
            messages += 1;
            arrival.replied(&signal);
        });
        (messages, outcome)
    }

    fn subscribe(
        &mut self,
        number: u32,
        call: &SubscribeCall,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let Some(redis) = connection_of(self) else {
            return Ok(());
        };
        let kind = source_kind(call.kind);
        let change = Change {
            subscription: number,
            kind,
            names: call.names.clone(),
            ends: false,
        };
        redis.change(out, kind.subscribe(), change).map(drop)
    }
}

fn connection_of(wire: &mut RedisWire) -> Option<&mut Redis> {
    match wire {
        RedisWire::Connection(redis) => redis.get_mut(),
        RedisWire::Subscription(_) | RedisWire::Cluster(_) => None,
    }
}

impl MemberArrival<'_> {
    /// Handles what a Redis server sent. The member's only command is the one that subscribes.
    pub(super) fn replied(&mut self, signal: &Signal<'_>) {
        match signal {
            Signal::Connected(_) => self.opened(),
            Signal::Confirmed { .. } => self.confirmed(),
            Signal::Reply { reply, .. } => {
                if let Value::Error(error) = &reply.value {
                    self.fault = Some(error.fault());
                }
            }
            Signal::Push { kind, items, .. } => self.pushed(kind, *items),
        }
    }

    fn pushed(&mut self, push: &str, items: Items<'_>) {
        if SourceKind::of_end(push).is_some() {
            let detail = "the server ended the subscription";
            self.fault = Some(Fault::target(FaultKind::Closed, detail));
        }
        if let Some(kind) = SourceKind::of_message(push) {
            match Published::of(kind, items) {
                Ok(published) => self.message(Came::message(published.payload)),
                Err(fault) => self.fault = Some(fault),
            }
        }
    }
}
