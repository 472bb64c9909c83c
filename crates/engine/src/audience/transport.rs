//! What the transport of a protocol does for members of passive audiences.

use model::{Fault, Nanos};
use script::host::SubscribeCall;

use super::arrival::MemberArrival;
use crate::base::Base;

/// A transport that members can use. By default, each member has a connection of its own.
pub(crate) trait MemberTransport {
    /// Passes received bytes of a member's own connection to `arrival`. Returns the number of messages in them, and the
    /// fault that ends the connection.
    fn hear(&mut self, _: &[u8], _: &mut MemberArrival<'_>) -> (usize, Result<(), Fault>) {
        (0, Ok(()))
    }

    /// Subscribes the member with this number on the connection. Uses `out` to encode.
    fn subscribe(&mut self, _: u32, _: &SubscribeCall, _out: &mut Vec<u8>) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether several members can use the connection.
    fn carries_several(&self) -> bool {
        false
    }

    /// Whether the server has accepted a connection that several members can use, so that they can subscribe.
    fn takes_subscriptions(&self) -> bool {
        false
    }

    /// Handles received bytes of a connection that several members use. Returns the number of messages in them, including
    /// an incomplete last message.
    fn received_for_several(base: &mut Base, _key: u32, _bytes: &[u8], _at: Nanos) -> usize {
        base.inconsistent("several members use a connection that can carry only one");
        0
    }
}
