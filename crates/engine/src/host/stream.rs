use model::Fault;
use script::host::{OpId, SocketId, StreamCall, StreamHost};

use crate::protocols::Paced;
use crate::world::World;

impl StreamHost for World {
    fn start_stream(&mut self, op: OpId, socket: SocketId, call: StreamCall) -> Result<(), Fault> {
        self.lend(|base| Paced { base }.start(op, socket, call))
    }

    fn stop_stream(&mut self, socket: SocketId) {
        self.lend(|base| Paced { base }.stop(socket));
    }
}
