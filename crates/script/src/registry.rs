//! The protocols of sockets other than WebSocket. A protocol is registered here with one line: the name of its modules in
//! `api` and `host`, its calls of the host, how members of passive audiences connect, its messages if they are more than
//! text or bytes, and its modules of the prelude.

/// Passes the list of protocols to the macro `$define`.
macro_rules! with_protocols {
    ($define:ident) => {
        $define! {
            /// Server-sent events.
            events: Events(EventsHost, EventsCall) message Event(crate::host::ServerEvent)
                prelude ["headcount/events" = include_str!("prelude/events.js")],
            /// Socket.IO.
            socketio: SocketIo(SocketIoHost, SocketIoCall)
                prelude ["headcount/socketio" = include_str!("prelude/socketio.js")],
            /// NATS.
            nats: Nats(NatsHost, NatsMember) message Nats(Box<crate::host::NatsMessage>)
                prelude [
                    "headcount/natsmessage" = include_str!("prelude/natsmessage.js"),
                    "headcount/nats" = include_str!("prelude/nats.js")
                ],
            /// Redis.
            redis: Redis(RedisHost, RedisMember) message Redis(crate::host::RedisMessage)
                prelude ["headcount/redis" = include_str!("prelude/redis.js")],
        }
    };
}
