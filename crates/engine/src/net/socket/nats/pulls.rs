use model::{Fault, FaultKind, Nanos};
use wire::nats::jetstream::{Acknowledgement, Pull, PullStatus};
use wire::nats::{Message, Status, encode_publish};

/// Time after which the server ends a request for messages, so that requests of a client that is gone do not stay.
const PULL_EXPIRES: Nanos = Nanos::from_secs(30);

/// Requests for messages to a consumer of JetStream, one at a time.
#[derive(Debug)]
pub(crate) struct Pulls {
    /// The subject of the requests.
    subject: String,
    endless: Option<Endless>,
}

/// Requests without end.
#[derive(Debug)]
struct Endless {
    /// Number of messages per request.
    batch: u64,
    /// Number of messages of the current request that have not arrived.
    missing: u64,
    acknowledges: bool,
}

impl Pulls {
    /// Requests to `subject`: without end if `batch` is set, else when the script fetches messages.
    pub(crate) fn new(subject: String, batch: Option<u64>, acknowledges: bool) -> Self {
        let endless = |batch| Endless {
            batch,
            missing: 0,
            acknowledges,
        };
        Self {
            subject,
            endless: batch.map(endless),
        }
    }

    /// Whether the requests are without end.
    pub(super) fn is_endless(&self) -> bool {
        self.endless.is_some()
    }

    /// Appends a request for `batch` messages, which arrive on the subject `inbox`.
    pub(crate) fn request(
        &self,
        out: &mut Vec<u8>,
        inbox: &str,
        (batch, expires): (u64, Nanos),
    ) -> Result<(), Fault> {
        let pull = Pull {
            batch,
            expires_ns: expires.0,
            heartbeat_ns: 0,
        };
        encode_publish(out, &self.subject, Some(inbox), &[], pull.json().as_bytes())
    }

    /// Appends the next request, if they are without end.
    pub(crate) fn next(&mut self, out: &mut Vec<u8>, inbox: &str) -> Result<(), Fault> {
        let Some(endless) = &mut self.endless else {
            return Ok(());
        };
        endless.missing = endless.batch;
        let batch = endless.batch;
        self.request(out, inbox, (batch, PULL_EXPIRES))
    }

    /// Appends the acknowledgement of a message, and the next request after the last message of this one.
    pub(super) fn after(
        &mut self,
        out: &mut Vec<u8>,
        inbox: &str,
        message: &Message<'_>,
    ) -> Result<(), Fault> {
        let Some(endless) = &mut self.endless else {
            return Ok(());
        };
        if let Some(reply) = message.reply.filter(|_| endless.acknowledges) {
            let mut payload = Vec::new();
            Acknowledgement::Ack.encode(&mut payload);
            encode_publish(out, reply, None, &[], &payload)?;
        }
        endless.missing = endless.missing.saturating_sub(1);
        if endless.missing == 0 {
            self.next(out, inbox)?;
        }
        Ok(())
    }
}

/// The end of a request that this status reports. `None`: the request goes on.
pub(crate) fn end_of_pull(status: &Status<'_>) -> Option<Result<(), Fault>> {
    match PullStatus::of(status) {
        PullStatus::Heartbeat | PullStatus::FlowControl => None,
        PullStatus::Expired | PullStatus::NoMessages => Some(Ok(())),
        PullStatus::NoResponders => Some(Err(Fault::target(
            FaultKind::Refused,
            "no such consumer exists, or JetStream is not enabled (no responders)",
        ))),
        PullStatus::Ended | PullStatus::Unknown => {
            let detail = format!("NATS status {} {}", status.code, status.description);
            Some(Err(Fault::target(FaultKind::Denied, detail)))
        }
    }
}
