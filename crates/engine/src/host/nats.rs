use model::{Fault, Nanos, UserId};
use script::host::{
    FetchCall, NatsCall, NatsHost, NatsRequest, NatsServer, NatsSubscribeCall, OpId, Publication,
    SocketId,
};

use crate::nats::Nats;
use crate::world::World;

impl NatsHost for World {
    fn open_nats(&mut self, op: OpId, user: UserId, call: NatsCall) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.open(op, user, &call))
    }

    fn nats_server(&mut self, socket: SocketId) -> Option<NatsServer> {
        self.lend(|base| Nats { base }.server(socket))
    }

    fn nats_publish(
        &mut self,
        socket: SocketId,
        message: Publication,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.publish(socket, &message, planned))
    }

    fn nats_request(&mut self, op: OpId, socket: SocketId, call: NatsRequest) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.request(op, socket, call))
    }

    fn nats_subscribe(
        &mut self,
        op: OpId,
        socket: SocketId,
        call: NatsSubscribeCall,
    ) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.subscribe(op, socket, call))
    }

    fn nats_fetch(&mut self, op: OpId, socket: SocketId, call: FetchCall) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.fetch(op, socket, call))
    }

    fn nats_flush(&mut self, op: OpId, socket: SocketId) -> Result<(), Fault> {
        self.lend(|base| Nats { base }.flush(op, socket))
    }
}
