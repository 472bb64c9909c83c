use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::ServerAddr;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::codec;
use super::error::SharedError;
use super::follow;
use super::link::Link;
use super::nats::Lines;
use super::recent::Recent;
use super::redis::{Data, unavailable};
use super::sender::Sender;
use super::settle;
use crate::filter::Filter;
use crate::mailbox::{Delivery, Receipt};
use crate::message::{Message, MessageId};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, Registration, Wish};
use crate::tenant::{Tenant, Tenants};
use crate::tracking::Tracking;

/// Maximum number of messages that are sent again to one identity at a time.
const AGAIN: usize = 16;

/// How to reach Redis and NATS.
#[derive(Clone, Debug)]
pub(crate) struct SharedConfig {
    pub(crate) redis: Vec<String>,
    pub(crate) redis_prefix: String,
    pub(crate) nats: Vec<String>,
    pub(crate) nats_prefix: String,
    pub(crate) nats_connections: u16,
    /// Time after which a kept message without an acknowledgement is sent again.
    pub(crate) ack_timeout: Duration,
}

/// The shared backend of one instance.
#[derive(Debug)]
pub(crate) struct Shared {
    sender: Arc<Sender>,
    ack_timeout: Duration,
    recent: Arc<Recent>,
    /// The tasks that read the messages of identities with inboxes here.
    inboxes: Mutex<HashMap<(Name, Name), AbortHandle>>,
}

impl Shared {
    /// Connects, loads all registrations, and starts to follow the other instances.
    pub(crate) async fn start(
        config: &SharedConfig,
        tenants: &Tenants,
    ) -> Result<Self, SharedError> {
        let number = kit::token::Token::random().map_err(SharedError::Number)?;
        let [a, b, c, d, ..] = number.to_bytes();
        let link = Link::open(&config.redis).await?;
        let data = Data::new(link, &config.redis_prefix);
        if let Some(loss) = data.loss_at_its_end().await {
            tracing::warn!("{loss}");
        }
        let urls: Result<Vec<ServerAddr>, _> = config.nats.iter().map(|url| url.parse()).collect();
        let urls = urls.map_err(SharedError::Url)?;
        let (interrupted, interruptions) = mpsc::channel(1);
        let (count, prefix) = (config.nats_connections, &config.nats_prefix);
        let lines = Lines::open(&urls, count, prefix, &interrupted).await?;
        let settled = settle::start(data.clone());
        let instance = u32::from_be_bytes([a, b, c, d]);
        let sender = Arc::new(Sender::new(instance, data, lines, settled));
        follow::start(&sender, tenants, interruptions).await?;
        Ok(Self {
            sender,
            ack_timeout: config.ack_timeout,
            recent: Arc::default(),
            inboxes: Mutex::default(),
        })
    }

    pub(crate) async fn register(&self, tenant: &Tenant, wish: Wish) -> Result<Change, Refusal> {
        let change = self.sender.data.register(tenant, wish).await?;
        Ok(self.tell(tenant, change).await)
    }

    pub(crate) async fn refresh(
        &self,
        tenant: &Tenant,
        identity: &Name,
        ttl_seconds: Option<u64>,
    ) -> Result<Change, Refusal> {
        let change = self
            .sender
            .data
            .refresh(&tenant.name, identity, ttl_seconds)
            .await?;
        Ok(self.tell(tenant, change).await)
    }

    /// Returns `None` if the identity was not registered.
    pub(crate) async fn unregister(
        &self,
        tenant: &Tenant,
        identity: &Name,
    ) -> Result<Option<Change>, Refusal> {
        match self.sender.data.unregister(&tenant.name, identity).await? {
            Some(change) => Ok(Some(self.tell(tenant, change).await)),
            None => Ok(None),
        }
    }

    /// Applies an own change to the view and tells the other instances.
    async fn tell(&self, tenant: &Tenant, change: Change) -> Change {
        tenant.apply(change.clone());
        match serde_json::to_string(&change) {
            Ok(text) => {
                let subject = codec::changes(&tenant.name);
                self.sender.lines.tell(subject, text).await;
            }
            Err(error) => tracing::error!(%error, "a change cannot be encoded"),
        }
        change
    }

    /// The registrations that meet a filter, which Redis evaluates.
    pub(crate) async fn enumerate(
        &self,
        space: &Name,
        filter: &Filter,
    ) -> Result<Vec<Arc<Registration>>, Refusal> {
        let found = self.sender.data.enumerate(space, filter).await;
        found.map_err(|error| unavailable(&error))
    }

    /// Saves a message for identities. See [`Data::keep`].
    pub(crate) async fn keep(
        &self,
        tenant: &Tenant,
        message: &Message,
        identities: &[Name],
        retention: Duration,
        is_new: bool,
    ) -> Result<Option<HashSet<Name>>, Refusal> {
        let kept = self
            .sender
            .data
            .keep(tenant, message, identities, retention, is_new);
        kept.await
    }

    /// The kept messages of an identity, oldest first.
    pub(crate) async fn pending(
        &self,
        space: &Name,
        identity: &Name,
    ) -> Result<Vec<Arc<Message>>, Refusal> {
        self.sender
            .data
            .pending(space, identity)
            .await
            .map_err(|error| unavailable(&error))
    }

    /// Subscribes to the messages of an identity that has its first inbox here. Returns when NATS knows the subscription.
    pub(crate) async fn enter(&self, tenant: &Arc<Tenant>, identity: &Name) -> Result<(), Refusal> {
        let failed = |why: String| Refusal::BackendUnavailable(format!("NATS: {why}"));
        let lines = &self.sender.lines;
        let (_, client) = lines
            .of(identity)
            .ok_or_else(|| failed("no connection".to_owned()))?;
        let subject = lines.subject(&tenant.name, identity);
        let heard = client.subscribe(subject).await;
        let heard = heard.map_err(|error| failed(error.to_string()))?;
        let reading = follow::read_inbox(
            heard,
            tenant.clone(),
            identity.clone(),
            client.clone(),
            self.sender.instance,
            self.recent.clone(),
        );
        let task = tokio::spawn(reading).abort_handle();
        let key = (tenant.name.clone(), identity.clone());
        if let Some(older) = self.inboxes().insert(key, task) {
            older.abort();
        }
        lines.settle().await;
        Ok(())
    }

    /// Ends the subscription of an identity without inboxes here.
    pub(crate) fn leave(&self, space: &Name, identity: &Name) {
        let key = (space.clone(), identity.clone());
        if let Some(task) = self.inboxes().remove(&key) {
            task.abort();
        }
    }

    fn inboxes(&self) -> std::sync::MutexGuard<'_, HashMap<(Name, Name), AbortHandle>> {
        self.inboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on the acknowledgement of an inbox to the instance that sent the message.
    pub(crate) async fn acknowledge(&self, reply: &async_nats::Subject) {
        if let Some(client) = self.sender.lines.control() {
            // If it is lost, a kept message is sent again.
            drop(client.publish(reply.clone(), "".into()).await);
        }
    }

    /// Tells the instances with the inboxes of an identity that messages are acknowledged.
    pub(crate) async fn relay(&self, space: &Name, identity: &Name, ids: &[MessageId]) {
        let ids: Vec<&str> = ids.iter().map(MessageId::as_str).collect();
        let text = serde_json::json!(ids).to_string();
        self.sender
            .lines
            .tell(codec::settled(space, identity), text)
            .await;
    }

    /// Queues the end of a kept message.
    pub(crate) fn settle(
        &self,
        space: &Name,
        identity: &Name,
        id: &MessageId,
    ) -> Result<(), Refusal> {
        self.sender.settle(space, identity, id)
    }

    /// Remembers a multicast that waits for acknowledgements.
    pub(crate) fn expect(&self, tracking: &Arc<Tracking>) {
        self.sender.expect(tracking);
    }

    /// Publishes a message for an identity. Returns whether it was published.
    pub(crate) async fn publish(&self, space: &Name, identity: &Name, delivery: &Delivery) -> bool {
        self.sender.publish(space, identity, delivery).await
    }

    /// Sends kept messages again that are older than the limit for acknowledgements. One of the instances does so for
    /// each identity. Receivers that subscribe directly on NATS depend on it, because they do not connect here.
    pub(crate) async fn send_again(&self, tenant: &Tenant) -> Result<u64, Refusal> {
        let space = &tenant.name;
        let mut sent = 0;
        for identity in self
            .sender
            .data
            .queued(space)
            .await
            .map_err(|error| unavailable(&error))?
        {
            let span = self.ack_timeout;
            if !self
                .sender
                .data
                .takes_turn(space, &identity, span)
                .await
                .map_err(|error| unavailable(&error))?
            {
                continue;
            }
            let limit = crate::time::Time::now().before(span);
            let pending = self.pending(space, &identity).await?;
            let old = pending
                .into_iter()
                .filter(|message| message.sent_at <= limit);
            for message in old.take(AGAIN) {
                let receipt = Receipt::Nobody;
                let delivery = Delivery { message, receipt };
                tenant.hub.post(&identity, &delivery);
                self.publish(space, &identity, &delivery).await;
                sent += 1;
            }
        }
        Ok(sent)
    }

    /// The facts for `/healthz`: whether NATS and Redis respond.
    pub(crate) async fn health(&self, space: &Name) -> (bool, bool) {
        (
            self.sender.lines.is_connected(),
            self.sender.data.generation(space).await.is_ok(),
        )
    }
}
