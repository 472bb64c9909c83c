use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::bridge::Bridge;
use crate::house::{Left, Ticket};

/// A connection's place in the house, from before the upgrade until the connection is gone, however
/// it goes: given back when dropped.
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
        // Without a runtime everything ends anyway.
        if let (Left::Waits, Ok(runtime)) = (left, Handle::try_current()) {
            runtime.spawn(async move {
                sleep(bridge.times.grace).await;
                bridge.house().end_unless_resumed(ticket);
            });
        }
    }
}
