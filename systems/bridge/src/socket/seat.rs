use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::bridge::Bridge;
use crate::house::{Left, Ticket};

/// A connection's claim to its session, from before the upgrade until the connection has closed. Dropping the seat
/// releases the session, whatever ended the connection.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) bridge: Arc<Bridge>,
    pub(super) ticket: Ticket,
    _open: watch::Receiver<()>,
}

impl Seat {
    pub(super) fn new(bridge: Arc<Bridge>, ticket: Ticket) -> Self {
        bridge.counters.sockets.inc();
        Self {
            _open: bridge.sockets.subscribe(),
            bridge,
            ticket,
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let bridge = self.bridge.clone();
        let ticket = self.ticket;
        bridge.counters.sockets.dec();
        let left = bridge.house().unseat(ticket, Instant::now());
        // Without a runtime, the process is ending and no timer is needed.
        if let (Left::Waits, Ok(runtime)) = (left, Handle::try_current()) {
            runtime.spawn(async move {
                sleep(bridge.times.grace).await;
                bridge.house().end_unless_resumed(ticket);
            });
        }
    }
}
