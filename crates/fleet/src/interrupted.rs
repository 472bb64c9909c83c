//! What the NATS server has of a run whose coordinator was killed.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::Message;
use async_nats::jetstream;
use async_nats::jetstream::consumer::AckPolicy;
use async_nats::jetstream::consumer::push::Config;
use engine::Stored;
use futures_util::StreamExt as _;
use model::Nanos;
use tokio::time::timeout;

use crate::access::NatsAccess;
use crate::error::FleetError;
use crate::frames::Joiner;
use crate::nats::Link;
use crate::protocol;

/// Time without a message after which no agent takes part in the run any more. Agents show twice a second that they are
/// there.
const QUIET: Duration = Duration::from_secs(3);
/// The lease of a killed coordinator lapses within 3 s, and its agents have then 2 s to report. If they are still there
/// after this time, so is a coordinator.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time limit for each of the messages that are stored.
const READ_LIMIT: Duration = Duration::from_secs(10);

/// Reads the messages of a run, after its agents have left it. Empty if the server has none.
pub fn read_interrupted(access: &NatsAccess, run: &str) -> Result<Vec<Stored>, FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let link = Link::open(access, "coordinator").await?;
        let cannot = || FleetError::nats("read the messages of the interrupted run");
        let config = Config {
            deliver_subject: link.client.new_inbox(),
            filter_subject: protocol::of_run(run),
            ack_policy: AckPolicy::None,
            ..Config::default()
        };
        let consumer = link.runs().await?.create_consumer(config).await;
        let consumer = consumer.map_err(|why| cannot()(why.to_string()))?;
        let waiting = consumer.cached_info().num_pending;
        let messages = consumer.messages().await;
        let mut messages = messages.map_err(|why| cannot()(why.to_string()))?;
        let mut reader = Reader::new(run);
        for _ in 0..waiting {
            let message = timeout(READ_LIMIT, messages.next()).await;
            match message {
                Ok(Some(Ok(message))) => reader.add(&message),
                _ => return Err(cannot()("the server does not send all of them".to_owned())),
            }
        }
        let quiet = async {
            while let Ok(message) = timeout(QUIET, messages.next()).await {
                match message {
                    Some(Ok(message)) => reader.add(&message),
                    _ => return Err(cannot()("the connection was closed".to_owned())),
                }
            }
            Ok(reader.stored)
        };
        let stored = timeout(PATIENCE, quiet).await;
        stored.unwrap_or(Err(FleetError::StillRuns))
    })
}

/// Deletes the messages of runs whose record is saved.
pub fn forget_runs(access: &NatsAccess, runs: &[String]) -> Result<(), FleetError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let link = Link::open(access, "coordinator").await?;
        for run in runs {
            link.forget(run).await?;
        }
        Ok(())
    })
}

/// Joins the frames of a run to messages.
struct Reader {
    /// The beginnings of the subjects of agents, and the subject of the journal.
    agents: String,
    journal: String,
    /// `None` for a sender of whom a frame is missing: what follows cannot be trusted.
    joiners: HashMap<String, Option<Joiner>>,
    stored: Vec<Stored>,
}

impl Reader {
    fn new(run: &str) -> Self {
        Self {
            agents: protocol::events(run, ""),
            journal: protocol::journal(run),
            joiners: HashMap::new(),
            stored: Vec::new(),
        }
    }

    fn add(&mut self, message: &jetstream::Message) {
        let at = message
            .info()
            .map_or(0, |info| info.published.unix_timestamp_nanos());
        let at = Nanos(u64::try_from(at).unwrap_or_default());
        self.add_frame(at, &message.message);
    }

    fn add_frame(&mut self, at: Nanos, frame: &Message) {
        let subject = frame.subject.as_str();
        let agent = subject.strip_prefix(&self.agents);
        if agent.is_none() && subject != self.journal {
            return; // a command
        }
        let joiner = self.joiners.entry(subject.to_owned());
        let joiner = joiner.or_insert_with(|| Some(Joiner::default()));
        match joiner.as_mut().map(|joiner| joiner.add(&frame.payload)) {
            Some(Ok(Some(message))) if !message.is_empty() => self.stored.push(Stored {
                at,
                agent: agent.map(str::to_owned),
                message,
            }),
            Some(Err(_)) => *joiner = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use async_nats::Subject;
    use bytes::Bytes;

    use super::*;
    use crate::frames::Splitter;

    fn message(subject: String, payload: Bytes) -> Message {
        Message {
            subject: Subject::from(subject),
            reply: None,
            length: payload.len(),
            payload,
            headers: None,
            status: None,
            description: None,
        }
    }

    #[test]
    fn stored_messages_are_joined_by_sender_up_to_the_first_gap() {
        let mut reader = Reader::new("r");
        let mut splitters = [
            Splitter::default(),
            Splitter::default(),
            Splitter::default(),
        ];
        let subjects = [
            protocol::events("r", "a-1"),
            protocol::journal("r"),
            protocol::commands("r", "a-1"),
        ];
        for (sender, text, is_stored) in [
            (0, "one", true),
            (1, "begun", true),
            (2, "command", true),
            (0, "", true),
            (0, "two", false),
            (0, "three", true),
            (1, "level", true),
        ] {
            for frame in splitters[sender].frames(text.as_bytes()) {
                if is_stored {
                    reader.add_frame(Nanos(7), &message(subjects[sender].clone(), frame));
                }
            }
        }
        let found = reader.stored.iter().map(|stored| {
            let text = String::from_utf8_lossy(&stored.message).into_owned();
            (stored.agent.as_deref(), text)
        });
        let expected = [
            (Some("a-1"), "one".to_owned()),
            (None, "begun".to_owned()),
            (None, "level".to_owned()),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
}
