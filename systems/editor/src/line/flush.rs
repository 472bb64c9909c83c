use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::outbox::Outbox;

/// The lines that got something in this turn of the runtime, flushed together at its end: what several
/// senders say to one receiver in a turn leaves in one call, and the more there is to do, the longer the
/// turns and the fewer the calls.
#[derive(Debug, Default)]
pub(crate) struct Flush(Mutex<Listed>);

#[derive(Debug, Default)]
struct Listed {
    lines: Vec<Arc<Outbox>>,
    waker: Option<Waker>,
}

impl Flush {
    /// Remembers a line.
    pub(super) fn list(&self, line: &Arc<Outbox>) {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
                line.flush();
            }
            // Flushing is not to starve those who read.
            tokio::task::yield_now().await;
        }
    }
}
