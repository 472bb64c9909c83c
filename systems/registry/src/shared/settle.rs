use std::collections::HashMap;
use std::iter::from_fn;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::sleep;

use super::redis::Data;
use crate::message::MessageId;
use crate::name::Name;

/// Maximum number of acknowledgements that wait. Further ones are dropped, and their messages are sent again.
const QUEUE: usize = 65_536;
/// Maximum number of acknowledgements per request.
const BATCH: usize = 1000;
/// Time in which acknowledgements are collected for one request. Those of a multicast arrive within milliseconds.
const TOGETHER: Duration = Duration::from_millis(10);
/// Pause before a failed request is repeated.
const AGAIN: Duration = Duration::from_millis(500);

/// An acknowledged message of an identity in a namespace.
pub(super) type Settled = (Name, Name, MessageId);

/// Starts the task that forgets acknowledged messages, many with each request. If it fails, messages are sent again,
/// which their mode allows.
pub(super) fn start(data: Data) -> mpsc::Sender<Settled> {
    let (sender, queue) = mpsc::channel(QUEUE);
    tokio::spawn(run(data, queue));
    sender
}

async fn run(data: Data, mut queue: mpsc::Receiver<Settled>) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        if batch.len() < BATCH {
            sleep(TOGETHER).await;
            batch.extend(from_fn(|| queue.try_recv().ok()).take(BATCH - batch.len()));
        }
        let mut by_space: HashMap<Name, Vec<(Name, MessageId)>> = HashMap::new();
        for (space, identity, id) in batch.drain(..) {
            by_space.entry(space).or_default().push((identity, id));
        }
        for (space, settled) in by_space {
            while let Err(error) = data.settle(&space, &settled).await {
                tracing::warn!(%error, messages = settled.len(), "cannot forget acknowledged messages; retrying");
                sleep(AGAIN).await;
            }
        }
    }
}
