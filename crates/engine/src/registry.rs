//! The protocols of sockets. A protocol is registered here with one line: its name, the transport of its messages, and the
//! type that handles it for users. Everything that differs between protocols is a method of one of these two, or of a call
//! in `script::host`. The enums and the forwarding are made from this list, so each call is resolved at compile time.

/// Passes the list of protocols to the macro `$define`, after the tokens `$before`.
macro_rules! with_protocols {
    ($define:ident $($before:tt)*) => {
        $define! {
            $($before)*
            WebSocket: wire::websocket::Connection => crate::socketio::Sessions,
            SocketIo: Box<crate::net::socket::socketio::Polling> => crate::socketio::Sessions,
            Events: Box<crate::net::socket::EventStream> => crate::events::Streams,
            Nats: crate::net::socket::nats::NatsWire => crate::nats::Nats,
            Redis: crate::net::socket::redis::RedisWire => crate::redis::Redis,
        }
    };
}

macro_rules! define_on_wire {
    ($d:tt $($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// `on_wire!(wire, it => …)`: evaluates an expression with the transport in a `Wire`.
        macro_rules! on_wire {
            ($d wire:expr, $d it:ident => $d result:expr) => {
                match $d wire {
                    $(crate::net::socket::Wire::$name($d it) => $d result,)*
                }
            };
        }
    };
}
with_protocols!(define_on_wire $);

/// The session that a socket can carry on top of its messages. No other protocol has one.
pub(crate) use crate::socketio::Talk;
