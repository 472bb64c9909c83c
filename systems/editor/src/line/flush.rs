use std::future::poll_fn;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::outbox::Outbox;

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
    pub(super) fn list(&self, line: &Arc<Outbox>) {
        let mut listed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        listed.lines.push(line.clone());
        if let Some(waker) = listed.waker.take() {
            waker.wake();
        }
    }

    /// Flushes forever. The runtime runs a woken task only after all tasks that were ready before it, so messages collect into batches.
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
            // Yield, so that flushing does not starve reading.
            tokio::task::yield_now().await;
        }
    }
}
