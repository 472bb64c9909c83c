use model::{Fault, Nanos, UserId};
use script::host::{Emission, EventCall, OpId, SocketId, SocketIoCall, SocketIoHost};

use crate::socketio::Sessions;
use crate::world::World;

impl SocketIoHost for World {
    fn open_socketio(&mut self, op: OpId, user: UserId, call: SocketIoCall) -> Result<(), Fault> {
        self.lend(|base| Sessions { base }.start(op, user, call))
    }

    fn emit(
        &mut self,
        socket: SocketId,
        said: Emission,
        planned: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.lend(|base| Sessions { base }.emit(socket, &said, planned))
    }

    fn emit_acknowledged(
        &mut self,
        op: OpId,
        socket: SocketId,
        call: EventCall,
    ) -> Result<(), Fault> {
        self.lend(|base| Sessions { base }.start_acknowledged(op, socket, &call))
    }

    fn next_event(
        &mut self,
        op: OpId,
        socket: SocketId,
        event: String,
        timeout: Option<Nanos>,
    ) -> Result<(), Fault> {
        self.lend(|base| Sessions { base }.await_event(op, socket, event, timeout))
    }

    fn listen_event(&mut self, socket: SocketId, event: &str) {
        self.lend(|base| Sessions { base }.handle_event(socket, event));
    }
}
