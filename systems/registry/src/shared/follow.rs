use std::sync::{Arc, Weak};
use std::time::Duration;

use async_nats::{Client, StatusCode, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::codec::{self, Ack};
use super::error::SharedError;
use super::recent::Recent;
use super::sender::Sender;
use crate::hub::Posted;
use crate::mailbox::{Delivery, End, Receipt};
use crate::message::MessageId;
use crate::name::Name;
use crate::registration::Change;
use crate::tenant::{Tenant, Tenants};
use crate::time::Time;
use crate::tracking::{Cause, State};

/// Interval between comparisons of the views with Redis.
const COMPARED: Duration = Duration::from_secs(15);
/// Pause after a comparison that failed.
const AGAIN: Duration = Duration::from_millis(500);
/// The reply of an instance whose inboxes of the identity are full.
const SLOW: &str = "slow";

/// Subscribes, loads the views, and starts the tasks that keep them up to date.
pub(super) async fn start(
    sender: &Arc<Sender>,
    tenants: &Tenants,
    interruptions: mpsc::Receiver<()>,
) -> Result<(), SharedError> {
    let Some(client) = sender.lines.control() else {
        return Ok(());
    };
    let changes = client.subscribe(codec::all_changes()).await?;
    let settled = client.subscribe(codec::all_settled()).await?;
    for (number, client) in sender.lines.all() {
        let acks = client.subscribe(Ack::all(sender.line(number))).await?;
        tokio::spawn(follow_acks(acks, Arc::downgrade(sender)));
    }
    sender.lines.settle().await;
    // The subscriptions are active, so no change is missed between this and the first comparison.
    for tenant in tenants.values() {
        compare(sender, tenant, true).await?;
    }
    tokio::spawn(follow_changes(changes, tenants.clone()));
    tokio::spawn(follow_settled(settled, tenants.clone()));
    let compared = compare_often(Arc::downgrade(sender), tenants.clone(), interruptions);
    tokio::spawn(compared);
    Ok(())
}

/// Makes a view equal to Redis. Unless `in_any_case`, does so only if their generations differ.
async fn compare(
    sender: &Sender,
    tenant: &Tenant,
    in_any_case: bool,
) -> Result<(), redis::RedisError> {
    let known = tenant.view.read().generation();
    if !in_any_case && known == sender.data.generation(&tenant.name).await? {
        return Ok(());
    }
    let found = sender.data.registrations(&tenant.name).await?;
    let gone = tenant.view.edit().reconcile(found, known, Time::now());
    for registration in gone {
        tenant.hub.close(&registration.identity, End::Unregistered);
    }
    Ok(())
}

async fn compare_often(
    sender: Weak<Sender>,
    tenants: Tenants,
    mut interruptions: mpsc::Receiver<()>,
) {
    loop {
        let interrupted = timeout(COMPARED, interruptions.recv()).await.is_ok();
        for tenant in tenants.values() {
            let Some(sender) = sender.upgrade() else {
                return;
            };
            while let Err(error) = compare(&sender, tenant, interrupted).await {
                tracing::warn!(%error, "cannot compare the registrations with Redis; retrying");
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

async fn follow_changes(mut changes: Subscriber, tenants: Tenants) {
    while let Some(message) = changes.next().await {
        let tenant = codec::last(&message.subject).and_then(|space| tenants.get(&space));
        match (tenant, serde_json::from_slice::<Change>(&message.payload)) {
            (Some(tenant), Ok(change)) => {
                tenant.apply(change);
            }
            (None, _) => {}
            (Some(_), Err(error)) => {
                tracing::warn!(%error, "a change of another instance cannot be read");
            }
        }
    }
}

async fn follow_settled(mut settled: Subscriber, tenants: Tenants) {
    while let Some(message) = settled.next().await {
        let Some((space, identity)) = codec::last_two(&message.subject) else {
            continue;
        };
        let ids: Vec<String> = serde_json::from_slice(&message.payload).unwrap_or_default();
        let Some(tenant) = tenants.get(&space) else {
            continue;
        };
        for mailbox in tenant.hub.of(&identity) {
            for id in &ids {
                // The instance that relayed the acknowledgement forgets the message.
                mailbox.acknowledge(id);
            }
        }
    }
}

async fn follow_acks(mut acks: Subscriber, sender: Weak<Sender>) {
    while let Some(message) = acks.next().await {
        let Some(sender) = sender.upgrade() else {
            return;
        };
        let Some(ack) = Ack::read(&message.subject) else {
            continue;
        };
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            sender.settle_target(&ack, State::Failed(Cause::NoReceiver));
        } else if message.payload == SLOW.as_bytes() {
            sender.settle_target(&ack, State::Failed(Cause::SlowReceiver));
        } else {
            sender.settle_target(&ack, State::Received);
            if ack.kept {
                // If too many acknowledgements wait, the message is sent and acknowledged again.
                let _ = sender.settle(&ack.space, &ack.identity, &ack.id);
            }
        }
    }
}

/// Reads the messages of one identity and posts them to its inboxes here.
pub(super) async fn read_inbox(
    mut heard: Subscriber,
    tenant: Arc<Tenant>,
    identity: Name,
    client: Client,
    instance: u32,
    recent: Arc<Recent>,
) {
    let mut number = 0;
    while let Some(received) = heard.next().await {
        number += 1;
        let fresh = MessageId::numbered(Time::now(), instance, number);
        let message = codec::message(&tenant.name, &received, fresh);
        let reply = received.reply.filter(codec::is_ack);
        let delivery = Delivery {
            message: recent.share(message),
            receipt: reply.clone().map_or(Receipt::Nobody, Receipt::There),
        };
        if tenant.hub.post(&identity, &delivery) == Posted::Full
            && let Some(reply) = reply
        {
            // If it is lost, the multicast waits until its time limit.
            drop(client.publish(reply, SLOW.into()).await);
        }
    }
}
