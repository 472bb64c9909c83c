use model::{Fault, UserId};
use script::host::{
    CommandsCall, OpId, RedisCall, RedisHost, RedisServer, SocketId, SubscribeCall,
};

use crate::redis::Redis;
use crate::world::World;

impl RedisHost for World {
    fn open_redis(&mut self, op: OpId, user: UserId, call: RedisCall) -> Result<(), Fault> {
        self.lend(|base| Redis { base }.start(op, user, call))
    }

    fn redis_server(&mut self, socket: SocketId) -> Option<RedisServer> {
        self.lend(|base| Redis { base }.server_of(socket))
    }

    fn call_redis(&mut self, op: OpId, socket: SocketId, call: CommandsCall) -> Result<(), Fault> {
        self.lend(|base| Redis { base }.start_commands(op, socket, &call))
    }

    fn subscribe(&mut self, op: OpId, socket: SocketId, call: SubscribeCall) -> Result<(), Fault> {
        self.lend(|base| Redis { base }.start_subscription(op, socket, call))
    }

    fn unsubscribe(&mut self, op: OpId, socket: SocketId) {
        self.lend(|base| Redis { base }.end_subscription(op, socket));
    }
}
