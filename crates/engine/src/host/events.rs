use model::{Fault, UserId};
use script::host::{EventsCall, EventsHost, OpId, SocketId, StreamState};

use crate::events::Streams;
use crate::world::World;

impl EventsHost for World {
    fn open_events(&mut self, op: OpId, user: UserId, call: EventsCall) -> Result<(), Fault> {
        self.lend(|base| Streams { base }.start(op, user, call))
    }

    fn stream_state(&mut self, socket: SocketId) -> Option<StreamState> {
        self.lend(|base| Streams { base }.state_of(socket))
    }
}
