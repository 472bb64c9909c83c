use tokio::time::Instant;

use super::Lease;
use super::child::Request;
use crate::engine::recogniser::{EngineError, Job, Recogniser, nothing};

/// The recogniser of one stream.
#[derive(Debug)]
pub(super) struct Stream {
    lease: Lease,
    /// Samples that were not sent to the child process yet.
    samples: Vec<i16>,
    /// Whether the current utterance has any audio.
    begun: bool,
}

impl Stream {
    pub(super) fn new(lease: Lease) -> Self {
        Self {
            lease,
            samples: Vec::new(),
            begun: false,
        }
    }

    fn ask(&mut self, request: fn(Vec<i16>) -> Request) -> Job {
        let request = request(std::mem::take(&mut self.samples));
        match &self.lease.child {
            Some(child) => child.ask(request),
            None => Box::pin(std::future::ready(Err(EngineError::Ended))),
        }
    }
}

impl Recogniser for Stream {
    fn feed(&mut self, frame: &[i16], _: bool) {
        self.begun = true;
        self.samples.extend_from_slice(frame);
    }

    fn partial(&mut self, _: Instant) -> Job {
        if self.samples.is_empty() {
            return nothing();
        }
        self.ask(Request::Add)
    }

    fn finish(&mut self, _: Instant) -> Job {
        if !self.begun {
            return nothing();
        }
        self.begun = false;
        self.ask(Request::Finish)
    }
}
