//! Members of passive audiences that subscribe to channels of Redis servers. Each has a connection of its own, because the
//! server sends each message only once per connection.

use model::{Fault, FaultKind};
use wire::resp::{Items, Signal, Value};

use super::arrival::MemberArrival;
use crate::net::socket::SourceKind;
use crate::redis::Published;
use crate::socket::Came;

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
