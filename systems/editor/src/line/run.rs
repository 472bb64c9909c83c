use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use kit::turns::Turns;
use slab::Slab;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::frame::{Frame, Violation, opcode};
use super::input::{Input, Message, Next};
use super::outbox::{End, Flush, Outbox};

/// Size of the read buffer in bytes. All connections of a thread share one buffer.
const READ: usize = 64 * 1024;
/// Maximum number of reads before other tasks run.
const TURNS: usize = 4;
/// A connection whose messages take longer than this pauses, so that others get their turn. One read can contain many
/// messages, and a message of a client can take milliseconds.
const SLICE: Duration = Duration::from_micros(250);
/// A connection that has paused is heavy for this time: its messages wait for their turn, one heavy connection at a time.
const HEAVY: Duration = Duration::from_secs(1);
/// Time limit for sending queued frames and receiving the client's close frame. The connection is then dropped.
const FAREWELL: Duration = Duration::from_secs(2);

// One buffer per thread is enough, because it is never in use across an `await`.
thread_local! {
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ].into_boxed_slice());
}

/// A handler's decision after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Continue.
    More,
    /// End the connection.
    End(End),
}

/// Handles the messages of one connection. Dropped when the connection ends for any reason.
pub(crate) trait Hear: Send {
    /// A text message.
    fn text(&mut self, text: &str) -> Heard;
    /// A binary message.
    fn binary(&mut self, bytes: &[u8]) -> Heard;
    /// The response to a ping.
    fn pong(&mut self) {}
    /// The timer has expired. Returns the next expiry, or ends the connection.
    fn alarm(&mut self) -> Result<Instant, End>;
}

/// All open `WebSockets`, so that a shutdown can close them and wait for the last one.
#[derive(Debug)]
pub(crate) struct Lines {
    open: Mutex<Slab<Weak<Outbox>>>,
    counted: watch::Sender<()>,
    pub(crate) turns: Turns,
    /// Writes the frames queued on all connections.
    pub(crate) flush: Arc<Flush>,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            open: Mutex::default(),
            counted: watch::Sender::new(()),
            turns: Turns::of_runtime(),
            flush: Arc::default(),
        }
    }
}

impl Lines {
    /// The number of open `WebSockets`.
    pub(crate) fn count(&self) -> usize {
        self.counted.receiver_count()
    }

    /// Closes every WebSocket.
    pub(crate) fn close(&self, end: End) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, line) in open.iter() {
            if let Some(line) = line.upgrade() {
                line.finish(end);
            }
        }
    }

    /// Waits until the last WebSocket is closed.
    pub(crate) async fn over(&self) {
        self.counted.closed().await;
    }

    /// Serves one WebSocket until it is closed. `already` contains the bytes that were read together with the
    /// handshake.
    pub(super) async fn run(
        &self,
        read: OwnedReadHalf,
        outbox: Arc<Outbox>,
        limit: usize,
        mut already: Vec<u8>,
        hear: impl Hear,
        alarm: Instant,
    ) {
        let _counted = self.counted.subscribe();
        let key = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.insert(Arc::downgrade(&outbox))
        };
        let mut line = Line {
            read,
            outbox,
            input: Input::new(limit),
            paused: false,
            heavy_until: None,
            hear: Some(hear),
        };
        if !already.is_empty() {
            line.received(&mut already);
        }
        line.serve(alarm, &self.turns).await;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.try_remove(key);
    }
}

struct Line<H> {
    read: OwnedReadHalf,
    outbox: Arc<Outbox>,
    input: Input,
    /// Whether received messages wait to be processed.
    paused: bool,
    /// The end of the time for which all messages wait for their turn.
    heavy_until: Option<Instant>,
    hear: Option<H>,
}

/// The reason why a connection stops polling its socket.
enum Stop {
    /// The connection has ended, even if frames are still queued.
    Ended,
    /// Received messages wait for the connection's turn.
    Paused,
}

impl<H: Hear> Line<H> {
    async fn serve(&mut self, alarm: Instant, turns: &Turns) {
        {
            let mut alarm = Box::pin(sleep_until(alarm));
            while let Stop::Paused = poll_fn(|context| self.poll(context, alarm.as_mut())).await {
                self.catch_up(turns).await;
            }
        }
        // Drop the handler now, so that it notices the end of the connection. The close handshake does not need the
        // handler.
        self.hear = None;
        let farewell = async {
            let end = poll_fn(|context| self.outbox.poll(context)).await;
            if end != End::Gone {
                poll_fn(|context| self.drain(context)).await;
            }
        };
        let _ = timeout(FAREWELL, farewell).await;
    }

    /// Processes the messages that wait, one slice per turn.
    async fn catch_up(&mut self, turns: &Turns) {
        while self.paused {
            let (heavy, outbox) = (self.is_heavy(), self.outbox.clone());
            let ended = {
                let mut turn = pin!(turns.take(heavy, || self.take(&mut [])));
                // Nobody else writes queued frames while the socket's buffer is full.
                poll_fn(|context| {
                    let _ = outbox.poll(context);
                    if outbox.ended() {
                        return Poll::Ready(true);
                    }
                    turn.as_mut().poll(context).map(|()| false)
                })
                .await
            };
            self.paused &= !ended;
        }
    }

    fn poll(&mut self, context: &mut Context<'_>, mut alarm: Pin<&mut Sleep>) -> Poll<Stop> {
        // Loop until the timer is pending, so that its waker is registered.
        while alarm.as_mut().poll(context).is_ready() {
            match self.hear.as_mut().map(Hear::alarm) {
                Some(Ok(next)) => alarm.as_mut().reset(next),
                Some(Err(end)) => self.outbox.finish(end),
                None => {}
            }
            if self.outbox.ended() {
                return Poll::Ready(Stop::Ended);
            }
        }
        for _ in 0..TURNS {
            if self.paused {
                let _ = self.outbox.poll(context);
                return Poll::Ready(Stop::Paused);
            }
            match self.receive(context) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => self.outbox.finish(End::Gone),
                Poll::Pending => {
                    let _ = self.outbox.poll(context);
                    // Frames that are still queued are sent during the close handshake (see `serve`).
                    return if self.outbox.ended() {
                        Poll::Ready(Stop::Ended)
                    } else {
                        Poll::Pending
                    };
                }
            }
            if self.outbox.ended() {
                return Poll::Ready(Stop::Ended);
            }
        }
        // There may be more to read, but let other tasks run first.
        context.waker().wake_by_ref();
        let _ = self.outbox.poll(context);
        Poll::Pending
    }

    /// Reads once. Returns `false` at the end of the stream.
    fn receive(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        BUFFER.with_borrow_mut(|buffer| {
            let mut into = ReadBuf::new(buffer);
            match Pin::new(&mut self.read).poll_read(context, &mut into) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Err(_)) => Poll::Ready(false),
                Poll::Ready(Ok(())) => {
                    let read = into.filled_mut();
                    let more = !read.is_empty();
                    if more {
                        self.received(read);
                    }
                    Poll::Ready(more)
                }
            }
        })
    }

    fn is_heavy(&self) -> bool {
        self.heavy_until.is_some_and(|until| Instant::now() < until)
    }

    /// Processes received bytes now, or keeps them for the connection's turn.
    fn received(&mut self, read: &mut [u8]) {
        if self.is_heavy() || Turns::is_spent() {
            self.input.hold(read);
            self.paused = true;
        } else {
            Turns::now(|| self.take(read));
        }
    }

    fn take(&mut self, read: &mut [u8]) {
        let (outbox, hear) = (&self.outbox, &mut self.hear);
        let until = Instant::now() + SLICE;
        let mut paused = false;
        let taken = self.input.take(read, |message| {
            let Some(hear) = hear else { return Next::Stop };
            let heard = match message {
                Message::Text(text) => hear.text(text),
                Message::Binary(bytes) => hear.binary(bytes),
                Message::Ping(payload) => {
                    outbox.post(&Frame::new(opcode::PONG, payload), None);
                    Heard::More
                }
                Message::Pong => {
                    hear.pong();
                    Heard::More
                }
                Message::Close(_) => Heard::End(End::Closed(1000, "")),
            };
            if let Heard::End(end) = heard {
                outbox.finish(end);
            }
            if outbox.ended() {
                return Next::Stop;
            }
            paused = Instant::now() > until;
            if paused { Next::Pause } else { Next::GoOn }
        });
        self.paused = paused && taken.is_ok();
        if paused {
            self.heavy_until = Some(until + HEAVY);
        }
        if let Err(violation) = taken {
            outbox.finish(End::Closed(violation.code(), reason(violation)));
        }
    }

    /// Reads and discards data until the client has also closed. Closing a socket with unread data would reset the
    /// connection and discard data in flight to the client.
    fn drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        BUFFER.with_borrow_mut(|buffer| {
            loop {
                let mut into = ReadBuf::new(buffer);
                match Pin::new(&mut self.read).poll_read(context, &mut into) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok(())) if !into.filled().is_empty() => {}
                    Poll::Ready(_) => return Poll::Ready(()),
                }
            }
        })
    }
}

fn reason(violation: Violation) -> &'static str {
    match violation {
        Violation::Protocol => "invalid frame",
        Violation::NotText => "invalid UTF-8",
        Violation::TooLarge => "message too large",
    }
}
