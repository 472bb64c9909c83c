use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::log::{ConnectionLog, DeliveryLog, Log, Micros, Of, RequestLog};
use crate::order::{Kind, Order};
use crate::rooms::Rooms;

/// Interval at which the server measures its own wake-up delay.
const BEAT: Duration = Duration::from_millis(5);

/// One port, with its configured fault, its log and the members of its rooms.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) order: Order,
    opened: Instant,
    state: Mutex<State>,
    ended: watch::Sender<bool>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) log: Log,
    pub(crate) rooms: Rooms,
    first: Option<Instant>,
    requests: u64,
    deliveries: u64,
    messages: u64,
}

/// A request in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    pub(crate) index: usize,
    pub(crate) act: Kind,
    pub(crate) due: Instant,
}

impl Cell {
    pub(crate) fn open(order: Order) -> Arc<Self> {
        Arc::new(Self {
            order,
            opened: Instant::now(),
            state: Mutex::default(),
            ended: watch::Sender::new(false),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn micros(&self, at: Instant) -> Micros {
        let since = at.saturating_duration_since(self.opened);
        u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
    }

    pub(crate) fn now_us(&self) -> Micros {
        self.micros(Instant::now())
    }

    /// Resolves when the port is closed.
    pub(crate) async fn ended(&self) {
        let mut ended = self.ended.subscribe();
        // An error means that the port was dropped, which also closes it.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// Closes the port and returns its log.
    pub(crate) fn end(&self) -> Log {
        self.ended.send_replace(true);
        let mut log = std::mem::take(&mut self.state().log);
        log.ended_us = self.now_us();
        log
    }

    /// Measures this server's own wake-up delay until the port is closed.
    pub(crate) async fn watch_lag(&self) {
        loop {
            let due = Instant::now() + BEAT;
            tokio::select! {
                () = sleep(BEAT) => {}
                () = self.ended() => return,
            }
            let late = self.now_us().saturating_sub(self.micros(due));
            let mut state = self.state();
            state.log.lag_us = state.log.lag_us.max(late);
        }
    }

    /// Logs an accepted connection. Returns its index.
    pub(crate) fn accepted(&self) -> usize {
        let accepted_us = self.now_us();
        let mut state = self.state();
        state.log.connections.push(ConnectionLog {
            accepted_us,
            gone_us: None,
            closed_here: false,
        });
        state.log.connections.len() - 1
    }

    pub(crate) fn connection_has(&self, fault: Kind, connection: usize) -> bool {
        self.order.connection_has(fault, connection as u64 + 1)
    }

    /// Logs the end of a connection.
    pub(crate) fn gone(&self, connection: usize, closed_here: bool) {
        let now = self.now_us();
        let mut state = self.state();
        state.rooms.leave(connection);
        if let Some(log) = state.log.connections.get_mut(connection) {
            log.gone_us.get_or_insert(now);
            log.closed_here |= closed_here;
        }
    }

    /// Logs a request that has been read.
    pub(crate) fn request(&self, of: Of, connection: usize) -> Ticket {
        let now = Instant::now();
        let mut state = self.state();
        state.first.get_or_insert(now);
        let act = if of == Of::Opening {
            Kind::Healthy
        } else {
            state.requests += 1;
            self.order.act(state.requests)
        };
        let delay = if of == Of::Opening {
            Duration::ZERO
        } else {
            self.order.delay() + self.order.extra(act)
        };
        state.log.requests.push(RequestLog {
            of,
            connection,
            read_us: self.micros(now),
            answered_us: None,
            ok: false,
            gone_us: None,
        });
        Ticket {
            index: state.log.requests.len() - 1,
            act,
            due: now + delay,
        }
    }

    /// Logs that a whole response has been written.
    pub(crate) fn answered(&self, index: usize, ok: bool) {
        let now = self.now_us();
        if let Some(log) = self.state().log.requests.get_mut(index) {
            log.answered_us = Some(now);
            log.ok = ok;
        }
    }

    /// Logs that the client gave up waiting for this response.
    pub(crate) fn given_up(&self, index: usize) {
        let now = self.now_us();
        if let Some(log) = self.state().log.requests.get_mut(index) {
            log.gone_us.get_or_insert(now);
        }
    }

    /// Waits until `due`, and then until the fault lets the connection send. Never returns if the connection is frozen
    /// forever.
    pub(crate) async fn until(&self, due: Instant, connection: usize) {
        sleep_until(due).await;
        loop {
            match self.gate(connection) {
                Gate::Open => return,
                Gate::Until(ends) => sleep_until(ends).await,
                Gate::Closed => return std::future::pending().await,
            }
        }
    }

    fn gate(&self, connection: usize) -> Gate {
        let began = self.state().first;
        let Some(began) = began.filter(|_| self.connection_has(Kind::Frozen, connection)) else {
            return Gate::Open;
        };
        let begins = began + Duration::from_millis(self.order.at_ms);
        let ends = begins + Duration::from_millis(self.order.ms);
        let now = Instant::now();
        if now < begins || self.order.ms > 0 && now >= ends {
            Gate::Open
        } else if self.order.ms == 0 {
            Gate::Closed
        } else {
            Gate::Until(ends)
        }
    }
}

/// Whether a connection may send.
enum Gate {
    Open,
    Until(Instant),
    /// The connection may never send again.
    Closed,
}

impl State {
    /// Counts a message that has been read, and returns its number.
    pub(crate) fn message(&mut self) -> u64 {
        self.first.get_or_insert_with(Instant::now);
        self.messages += 1;
        self.messages
    }

    /// Logs a delivery to one receiver. Returns its number on this port, and its index in the log.
    pub(crate) fn delivery(&mut self, log: DeliveryLog) -> (u64, usize) {
        self.deliveries += 1;
        self.log.deliveries.push(log);
        (self.deliveries, self.log.deliveries.len() - 1)
    }
}
