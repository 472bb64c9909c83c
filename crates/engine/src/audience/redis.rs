//! Members of passive audiences that subscribe to channels of Redis servers. Each has a connection of its own, because the
//! server sends each message only once per connection.

use model::{Fault, FaultKind};
use script::host::SubscribeCall;
use wire::resp::{Items, Signal, Value};

use super::arrival::MemberArrival;
use crate::net::socket::{Change, Redis, SourceKind};
use crate::redis::{Published, source_kind};
use crate::socket::Came;

/// Subscribes to channels. Uses `out` to encode.
pub(super) fn subscribe(
    redis: &mut Redis,
    call: SubscribeCall,
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    let kind = source_kind(call.kind);
    let change = Change {
        subscription: 0,
        kind,
        names: call.names,
        ends: false,
    };
    redis.change(out, kind.subscribe(), change).map(drop)
}

impl MemberArrival<'_> {
    /// Handles what a Redis server sent. The member's only command is the one that subscribes.
    pub(super) fn replied(&mut self, signal: Signal<'_>) {
        match signal {
            Signal::Connected(_) => self.opened(),
            Signal::Confirmed { .. } => self.confirmed(),
            Signal::Reply { reply, .. } => {
                if let Value::Error(error) = &reply.value {
                    self.fault = Some(error.fault());
                }
            }
            Signal::Push { kind, items, .. } => self.pushed(kind, items),
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
