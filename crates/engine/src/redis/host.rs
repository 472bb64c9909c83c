use model::{Fault, UserId};
use script::host::{
    CommandsCall, OpId, RedisCall, RedisHost, RedisServer, SocketId, SubscribeCall,
};

use crate::world::World;

impl RedisHost for World {
    fn open_redis(&mut self, op: OpId, user: UserId, call: RedisCall) -> Result<(), Fault> {
        self.start_redis(op, user, call)
    }

    fn redis_server(&mut self, socket: SocketId) -> Option<RedisServer> {
        self.server_of_redis(socket)
    }

    fn call_redis(&mut self, op: OpId, socket: SocketId, call: CommandsCall) -> Result<(), Fault> {
        self.start_commands(op, socket, &call)
    }

    fn subscribe(&mut self, op: OpId, socket: SocketId, call: SubscribeCall) -> Result<(), Fault> {
        self.start_subscription(op, socket, call)
    }

    fn unsubscribe(&mut self, op: OpId, socket: SocketId) {
        self.end_subscription(op, socket);
    }
}
