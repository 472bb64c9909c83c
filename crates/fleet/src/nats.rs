//! The connection to the NATS server, and what the fleet stores there.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::kv::Store;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event, ServerError, Subscriber};
use model::without_credentials;
use url::Url;

use crate::access::NatsAccess;
use crate::connect_failure;
use crate::error::FleetError;
use crate::protocol::{self, BUNDLES, MEMBERS, RUNS};

/// An agent that does not repeat its announcement for this time is gone.
const MEMBER_TTL: Duration = Duration::from_secs(5);
/// Scenarios are deleted after this time.
const BUNDLE_TTL: Duration = Duration::from_hours(24);
/// The messages of a run are deleted after this time, if the coordinator could not delete them.
const RUN_TTL: Duration = Duration::from_hours(24);
/// A lost connection is noticed after two of these.
const PING: Duration = Duration::from_secs(1);
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A connection, which restores itself.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) jetstream: Context,
    /// The last complaint of the server, such as about a missing permission. It comes apart from the request that caused
    /// it, which only gets no answer.
    complaint: Arc<Mutex<Option<String>>>,
}

impl Link {
    /// Connects.
    pub(crate) async fn open(access: &NatsAccess, name: &str) -> Result<Self, FleetError> {
        let url = parse(&access.url)?;
        let complaint = Arc::new(Mutex::new(None));
        let options = ConnectOptions::new()
            .name(format!("headcount {name}"))
            .ping_interval(PING)
            .connection_timeout(CONNECT_LIMIT)
            .reconnect_delay_callback(|_| Duration::from_millis(100))
            .event_callback({
                let complaint = Arc::clone(&complaint);
                move |event| {
                    if let Event::ServerError(ServerError::Other(text)) = event {
                        *complaint.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                    }
                    std::future::ready(())
                }
            });
        let options = access.apply(&url, options)?;
        let mut plain = url.clone();
        let _ = (plain.set_username(""), plain.set_password(None)); // a URL with a host has both
        let client = options.connect(plain.as_str()).await;
        let client = client.map_err(|why| FleetError::Connect {
            url: access.shown(),
            why: connect_failure::cause(&why, access, &url),
        })?;
        Ok(Self {
            jetstream: jetstream::new(client.clone()),
            client,
            complaint,
        })
    }

    /// The error of a request to the server.
    fn cannot(&self, what: &'static str, why: &impl ToString) -> FleetError {
        let complaint = self.complaint.lock();
        // Taken, because it does not belong to a later request.
        let complaint = complaint.unwrap_or_else(PoisonError::into_inner).take();
        let why = complaint.map_or_else(
            || why.to_string(),
            |complaint| format!("{} (the server says: {complaint})", why.to_string()),
        );
        FleetError::Nats { what, why }
    }

    /// Begins to receive what is sent on a subject from now on.
    pub(crate) async fn subscribe(&self, subject: String) -> Result<Subscriber, FleetError> {
        let subscribed = self.client.subscribe(subject).await;
        subscribed.map_err(|why| self.cannot("subscribe", &why))
    }

    /// The stream of the messages between coordinators and agents in runs. It is created if it is missing.
    pub(crate) async fn runs(&self) -> Result<Stream, FleetError> {
        let config = Config {
            name: RUNS.to_owned(),
            subjects: protocol::stored(),
            max_age: RUN_TTL,
            num_replicas: 1,
            ..Config::default()
        };
        let created = self.jetstream.get_or_create_stream(config).await;
        created.map_err(|why| self.cannot("store the messages of runs", &why))
    }

    /// Deletes the stored messages of a run.
    pub(crate) async fn forget(&self, run: &str) -> Result<(), FleetError> {
        let runs = self.runs().await?;
        let purged = runs.purge().filter(protocol::of_run(run)).await;
        purged
            .map(|_| ())
            .map_err(|why| self.cannot("delete the messages of the run", &why))
    }

    /// The bucket of the agents that are there. It is created if it is missing.
    pub(crate) async fn members(&self) -> Result<Store, FleetError> {
        // `create_key_value` needs a newer server than 2.9, so the stream of the bucket is created here.
        let config = Config {
            name: format!("KV_{MEMBERS}"),
            subjects: vec![format!("$KV.{MEMBERS}.>")],
            max_messages_per_subject: 1,
            max_age: MEMBER_TTL,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            discard: DiscardPolicy::New,
            num_replicas: 1,
            ..Config::default()
        };
        let what = "store the agents (is JetStream enabled?)";
        let created = self.jetstream.get_or_create_stream(config).await;
        created.map_err(|why| self.cannot(what, &why))?;
        let bucket = self.jetstream.get_key_value(MEMBERS).await;
        bucket.map_err(|why| self.cannot(what, &why))
    }

    /// The object store of scenarios. It is created if it is missing.
    pub(crate) async fn bundles(&self) -> Result<ObjectStore, FleetError> {
        if let Ok(store) = self.jetstream.get_object_store(BUNDLES).await {
            return Ok(store);
        }
        let config = object_store::Config {
            bucket: BUNDLES.to_owned(),
            max_age: BUNDLE_TTL,
            num_replicas: 1,
            ..object_store::Config::default()
        };
        let created = self.jetstream.create_object_store(config).await;
        created.map_err(|why| self.cannot("store the scenario", &why))
    }
}

fn parse(given: &str) -> Result<Url, FleetError> {
    let wrong = |why: String| FleetError::Url {
        url: without_credentials(given).into_owned(),
        why,
    };
    let url = Url::parse(given).map_err(|why| wrong(why.to_string()))?;
    if !matches!(url.scheme(), "nats" | "tls") || url.host_str().is_none_or(str::is_empty) {
        return Err(wrong(
            "expected nats://HOST:PORT or tls://HOST:PORT".to_owned(),
        ));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_other_servers_are_refused_without_showing_a_password() {
        assert!(parse("nats://127.0.0.1:4222").is_ok());
        assert!(parse("tls://user:secret@nats.example:4222").is_ok());
        for wrong in ["127.0.0.1:4222", "http://u:secret@host:1", "nats://"] {
            let why = parse(wrong).unwrap_err().to_string();
            assert!(!why.contains("secret"), "{why}");
        }
    }
}
