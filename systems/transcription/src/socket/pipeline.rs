use std::collections::VecDeque;
use std::task::{Context, Poll};

use tokio::time::Instant;

use crate::engine::{EngineError, Job, Recognised};
use crate::voice::Span;

/// A chunk in recognition.
pub(super) struct Pending {
    /// Time at which the chunk was received.
    pub(super) heard: Instant,
    pub(super) kind: Kind,
    pub(super) job: Job,
}

/// The reply to a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The words of the chunk.
    Partial,
    /// The chunk ends an utterance. `base` is the position from which the engine counts its times.
    Final { span: Span, base: u64 },
}

/// A recognised chunk.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) heard: Instant,
    pub(super) kind: Kind,
    pub(super) result: Result<Recognised, EngineError>,
}

/// The chunks of a session in recognition. Results leave in the order of the chunks.
#[derive(Default)]
pub(super) struct Pipeline(VecDeque<Pending>);

impl Pipeline {
    pub(super) fn push(&mut self, pending: Pending) {
        self.0.push_back(pending);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The result of the earliest chunk. The jobs of later chunks advance without being polled.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Done> {
        let Some(first) = self.0.front_mut() else {
            return Poll::Pending;
        };
        let Poll::Ready(result) = first.job.as_mut().poll(cx) else {
            return Poll::Pending;
        };
        let (heard, kind) = (first.heard, first.kind);
        self.0.pop_front();
        Poll::Ready(Done {
            heard,
            kind,
            result,
        })
    }
}
