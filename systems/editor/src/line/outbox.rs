use std::future::poll_fn;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use kit::turns::Turns;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

use super::frame::Frame;
use super::waiting::{Bound, Waiting};

/// Reason why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client has disconnected or announced that it will disconnect.
    Gone,
    /// The server closes the connection with this status code and reason.
    Closed(u16, &'static str),
}

/// The recipient did not keep up. The status code 1008 means a policy violation.
pub(crate) const TOO_SLOW: End = End::Closed(1008, "too slow");
/// The server is shutting down. The status code 1001 means "going away".
pub(crate) const STOPPING: End = End::Closed(1001, "the editor is shutting down");

/// The sending side of a connection, with a bounded queue. [`Flush`] writes the queue. When the socket's buffer is
/// full, the connection's own task writes the rest. A recipient that does not read fills only its own queue.
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
    /// Whether the connection is in the list for the next flush.
    listed: bool,
    /// Whether the socket's buffer is full. While it is, only the connection's own task writes.
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

    /// Queues a frame. `caret` is the sender's number if only the newest frame of that sender matters. If the queue is
    /// full, ends the connection as too slow and returns `false`.
    pub(crate) fn post(self: &Arc<Self>, frame: &Frame, caret: Option<u64>) -> bool {
        let mut inside = self.inside();
        if inside.end.is_some() {
            return true;
        }
        let length = frame.bytes().len();
        if !inside.blocked && !inside.waiting.fits(length, self.bound) {
            // Between two flushes, more frames may be queued than fit, even if the recipient reads fast. Write first,
            // and then check again.
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

    /// Writes as much as the socket accepts. The connection's own task writes the rest.
    fn flush(&self) {
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

    /// Stops accepting frames. Queued frames are still sent, unless the recipient has disconnected or was too slow.
    pub(crate) fn finish(&self, end: End) {
        let mut inside = self.inside();
        if inside.end.is_none() {
            inside.finish(end);
            inside.wake();
        }
    }

    /// Whether the connection has ended.
    pub(crate) fn ended(&self) -> bool {
        self.inside().end.is_some()
    }

    /// Writes queued frames that [`Flush`] could not write. Ready when the connection has ended and the queue is empty.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<End> {
        let mut inside = self.inside();
        // In all other cases, [`Flush`] writes the queue.
        while inside.blocked || inside.end.is_some() {
            match self.write(&mut inside) {
                Ok(()) => inside.blocked = false,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    inside.blocked = true;
                    let stream: &TcpStream = self.stream.as_ref();
                    // This registers the waker. `continue` retries the write, because the socket may have become
                    // writable in the meantime.
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

/// The connections with frames queued since the last flush. They are flushed together after all ready tasks have run,
/// so that one system call sends the frames of several senders to a recipient. Under load, more frames share each
/// system call.
#[derive(Debug, Default)]
pub(crate) struct Flush(Mutex<Listed>);

#[derive(Debug, Default)]
struct Listed {
    lines: Vec<Arc<Outbox>>,
    waker: Option<Waker>,
}

impl Flush {
    /// Adds a connection to the next flush.
    fn list(&self, line: &Arc<Outbox>) {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listed.lines.push(line.clone());
        if let Some(waker) = listed.waker.take() {
            waker.wake();
        }
    }

    /// Flushes forever. The runtime runs a woken task only after all tasks that were ready before it, so messages
    /// collect into batches.
    pub(crate) async fn run(&self) {
        let mut lines = Vec::new();
        loop {
            poll_fn(|context| {
                let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                if listed.lines.is_empty() {
                    listed.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
                mem::swap(&mut listed.lines, &mut lines);
                Poll::Ready(())
            })
            .await;
            for line in lines.drain(..) {
                Turns::others().await;
                Turns::now(|| line.flush());
            }
            // Yield, so that flushing does not starve reading.
            tokio::task::yield_now().await;
        }
    }
}
