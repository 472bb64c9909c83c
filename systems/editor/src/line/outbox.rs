use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

use super::flush::Flush;
use super::frame::Frame;
use super::waiting::{Bound, Waiting};

/// Why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The other side is gone, or said good-bye.
    Gone,
    /// With this status and reason.
    Closed(u16, &'static str),
}

/// The receiver did not keep up (1008: policy).
pub(crate) const TOO_SLOW: End = End::Closed(1008, "too slow");
/// The server stops.
pub(crate) const STOPPING: End = End::Closed(1001, "the editor stops");

/// The way to one receiver: a bounded queue, written by whoever flushes the lines of a turn, and where
/// the system takes no more, by the connection's own task. A receiver that does not read fills its own
/// queue and nobody else's.
#[derive(Debug)]
pub(crate) struct Outbox {
    stream: OwnedWriteHalf,
    bound: Bound,
    flush: Arc<Flush>,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    waiting: Waiting,
    end: Option<End>,
    waker: Option<Waker>,
    /// It is among those that are flushed at the end of the turn.
    listed: bool,
    /// The system took no more: the connection's own task goes on when it does.
    blocked: bool,
}

impl Outbox {
    pub(crate) fn new(stream: OwnedWriteHalf, bound: Bound, flush: &Arc<Flush>) -> Self {
        Self {
            stream,
            bound,
            flush: flush.clone(),
            inside: Mutex::default(),
        }
    }

    /// Sends a frame. `caret` names the sender where only its newest matters. `false` when this was
    /// too much: the line ends as too slow.
    pub(crate) fn post(self: &Arc<Self>, frame: &Frame, caret: Option<u64>) -> bool {
        let mut inside = self.inside();
        if inside.end.is_some() {
            return true;
        }
        let length = frame.bytes().len();
        if !inside.blocked && !inside.waiting.fits(length, self.bound) {
            // A turn that brings more than may wait is no fault of the receiver.
            self.try_flush(&mut inside);
        }
        if inside.blocked && caret.is_some_and(|sender| inside.waiting.renew(sender, frame)) {
            return true;
        }
        let fits = inside.waiting.fits(length, self.bound);
        if fits {
            inside.waiting.push(frame, caret);
            if !inside.blocked && !inside.listed {
                inside.listed = true;
                self.flush.list(self);
            }
        } else if inside.end.is_none() {
            inside.finish(TOO_SLOW);
            inside.wake();
        }
        fits
    }

    /// Writes what the system takes now; the rest is for the connection's own task.
    pub(super) fn flush(&self) {
        let mut inside = self.inside();
        inside.listed = false;
        self.try_flush(&mut inside);
    }

    fn try_flush(&self, inside: &mut Inside) {
        if let Err(error) = self.write(inside) {
            inside.blocked = true;
            if error.kind() != io::ErrorKind::WouldBlock {
                inside.finish(End::Gone);
            }
            inside.wake();
        }
    }

    /// Takes no more. What waits is still delivered, but not to one who is gone or too slow.
    pub(crate) fn finish(&self, end: End) {
        let mut inside = self.inside();
        if inside.end.is_none() {
            inside.finish(end);
            inside.wake();
        }
    }

    /// Whether the line has ended.
    pub(crate) fn ended(&self) -> bool {
        self.inside().end.is_some()
    }

    /// Writes what waits. Ready once the line has ended and nothing waits.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<End> {
        let mut inside = self.inside();
        // What is listed leaves at the end of the turn.
        while inside.blocked || inside.end.is_some() {
            match self.write(&mut inside) {
                Ok(()) => inside.blocked = false,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    inside.blocked = true;
                    let stream: &TcpStream = self.stream.as_ref();
                    match stream.poll_write_ready(context) {
                        Poll::Ready(Ok(())) => continue,
                        Poll::Ready(Err(_)) => inside.finish(End::Gone),
                        Poll::Pending => {}
                    }
                }
                Err(_) => inside.finish(End::Gone),
            }
            break;
        }
        if let Some(end) = inside.end.filter(|_| inside.waiting.is_empty()) {
            return Poll::Ready(end);
        }
        match &mut inside.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn write(&self, inside: &mut Inside) -> io::Result<()> {
        while !inside.waiting.is_empty() {
            inside.waiting.write(&self.stream)?;
        }
        Ok(())
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    fn finish(&mut self, end: End) {
        self.end = Some(end);
        match end {
            End::Gone => self.waiting = Waiting::default(),
            End::Closed(code, reason) => {
                if end == TOO_SLOW {
                    self.waiting.forget();
                }
                self.waiting.push(&Frame::close(code, reason), None);
            }
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
