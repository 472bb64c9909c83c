use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Poll, Waker};

use kit::fault::Faults;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::frame::Frame;
use super::outbox::Outbox;

/// Frames that a system ordered to be late may hold.
const LATE: usize = 1 << 18;

/// The lines that got something in this turn of the runtime, flushed together at its end: what several
/// senders say to one receiver in a turn leaves in one call, and the more there is to do, the longer the
/// turns and the fewer the calls.
#[derive(Debug, Default)]
pub(crate) struct Flush {
    listed: Mutex<Listed>,
    /// Where frames wait on order before they are posted.
    late: OnceLock<mpsc::Sender<Late>>,
}

/// A frame that leaves later than it could.
#[derive(Debug)]
struct Late {
    ready: Instant,
    line: Arc<Outbox>,
    frame: Frame,
    caret: Option<u64>,
}

#[derive(Debug, Default)]
struct Listed {
    lines: Vec<Arc<Outbox>>,
    waker: Option<Waker>,
}

impl Flush {
    /// From now on every frame leaves as late as was ordered; in order, for all wait equally long.
    pub(crate) fn be_late(&self, faults: Arc<Faults>) {
        let (late, mut frames) = mpsc::channel::<Late>(LATE);
        if self.late.set(late).is_err() {
            return;
        }
        tokio::spawn(async move {
            while let Some(late) = frames.recv().await {
                faults.hold(late.ready).await;
                late.line.post_now(&late.frame, late.caret);
            }
        });
    }

    /// Whether the frame waits and is posted later. What finds no place is posted at once.
    pub(super) fn delays(&self, line: &Arc<Outbox>, frame: &Frame, caret: Option<u64>) -> bool {
        let Some(late) = self.late.get() else {
            return false;
        };
        let held = Late {
            ready: Instant::now(),
            line: line.clone(),
            frame: frame.clone(),
            caret,
        };
        late.try_send(held).is_ok()
    }

    /// Remembers a line.
    pub(super) fn list(&self, line: &Arc<Outbox>) {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.lines.push(line.clone());
        if let Some(waker) = listed.waker.take() {
            waker.wake();
        }
    }

    /// Flushes for ever. A task that is woken has its turn after those that are ready already.
    pub(crate) async fn run(&self) {
        let mut lines = Vec::new();
        loop {
            poll_fn(|context| {
                let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
                if listed.lines.is_empty() {
                    listed.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
                mem::swap(&mut listed.lines, &mut lines);
                Poll::Ready(())
            })
            .await;
            for line in lines.drain(..) {
                line.flush();
            }
            // Flushing is not to starve those who read.
            tokio::task::yield_now().await;
        }
    }
}
