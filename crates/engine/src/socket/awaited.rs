//! What protocols of their own await on sockets.

use std::convert::Infallible;
use std::fmt::Debug;

use wire::websocket;

use crate::net::socket::Wire;

/// The transport of a protocol, whose users await replies or messages of their own kind.
pub(crate) trait Awaits {
    type Awaited: Awaited;
}

/// A reply or a message that the script awaits, and that the protocol recognises.
pub(crate) trait Awaited: Debug {
    /// The number of times that the request was sent again.
    fn repeats(&self) -> u64 {
        0
    }

    /// Notes on the socket that the time limit has passed.
    fn expire(&self, _wire: &mut Wire) {}
}

/// Nothing of the protocol's own is awaited.
impl Awaited for Infallible {}

impl Awaits for websocket::Connection {
    type Awaited = Infallible;
}

macro_rules! define_own {
    ($($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// What is awaited, by protocol.
        #[derive(Debug)]
        #[expect(dead_code, reason = "some protocols await nothing of their own")]
        pub(crate) enum Own {
            $($name(<$wire as Awaits>::Awaited),)*
        }

        impl Awaited for Own {
            fn repeats(&self) -> u64 {
                match self {
                    $(Self::$name(awaited) => awaited.repeats(),)*
                }
            }

            fn expire(&self, wire: &mut Wire) {
                match self {
                    $(Self::$name(awaited) => awaited.expire(wire),)*
                }
            }
        }
    };
}
with_protocols!(define_own);
