//! The kept messages in Redis.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use redis::{FromRedisValue, RedisResult};

use super::redis::{Data, PAGE, unavailable};
use crate::message::{Message, MessageId, Mode};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::tenant::Tenant;
use crate::time::Time;

impl Data {
    /// Saves a message for identities. Returns the identities that already have too many messages, and `None` if the id
    /// was used before.
    pub(super) async fn keep(
        &self,
        tenant: &Tenant,
        message: &Message,
        identities: &[Name],
        retention: Duration,
        is_new: bool,
    ) -> Result<Option<HashSet<Name>>, Refusal> {
        let space = &tenant.name;
        let answer: redis::Value = self
            .scripts
            .keep
            .key(self.keys.message(space, &message.id))
            .key(self.keys.queue(space))
            .arg(message.id.as_str())
            .arg(&*message.content_type)
            .arg(message.mode.word())
            .arg(message.sent_at.millis())
            .arg(Time::now().after(retention).millis())
            .arg(tenant.limits.max_queued)
            .arg(u8::from(!is_new))
            .arg(serde_json::json!(identities).to_string())
            .arg(&message.payload[..])
            .invoke_async(&mut self.link.clone())
            .await
            .map_err(|error| unavailable(&error))?;
        if answer == redis::Value::Nil {
            return Ok(None);
        }
        let full = Vec::<String>::from_redis_value(answer);
        let full = full.map_err(|error| Refusal::BackendUnavailable(error.to_string()))?;
        Ok(Some(full.iter().flat_map(|name| Name::new(name)).collect()))
    }

    /// Forgets acknowledged messages of one namespace.
    pub(super) async fn settle(
        &self,
        space: &Name,
        settled: &[(Name, MessageId)],
    ) -> RedisResult<()> {
        let mut invocation = self.scripts.settle.key(self.keys.queue(space));
        invocation.arg(self.keys.messages(space));
        for (identity, id) in settled {
            invocation.arg(identity.as_str()).arg(id.as_str());
        }
        invocation.invoke_async(&mut self.link.clone()).await
    }

    /// The kept messages of an identity, oldest first. They count as sent before.
    pub(super) async fn pending(
        &self,
        space: &Name,
        identity: &Name,
    ) -> RedisResult<Vec<Arc<Message>>> {
        let mut link = self.link.clone();
        let mut range = redis::cmd("ZRANGEBYLEX");
        // `0` follows `/`.
        let (from, to) = (format!("[{identity}/"), format!("({identity}0"));
        let range = range.arg(self.keys.queue(space)).arg(from).arg(to);
        let entries: Vec<String> = range.query_async(&mut link).await?;
        let waiting: Vec<(MessageId, Time)> =
            entries.iter().filter_map(|entry| read(entry)).collect();
        let (mut found, mut ended) = (Vec::with_capacity(waiting.len()), Vec::new());
        for waiting in waiting.chunks(PAGE) {
            let mut pipeline = redis::pipe();
            for (id, _) in waiting {
                let fields = ["content_type", "delivery", "sent_at", "payload"];
                let key = self.keys.message(space, id);
                pipeline.cmd("HMGET").arg(key).arg(&fields);
            }
            let rows: Vec<Vec<Option<Vec<u8>>>> = pipeline.query_async(&mut link).await?;
            for (entry, row) in waiting.iter().zip(rows) {
                let (id, sent_at) = entry;
                let message = message(space, id, row).filter(|message| message.sent_at == *sent_at);
                match message {
                    Some(message) => found.push(Arc::new(message.again())),
                    None => ended.push(entry),
                }
            }
        }
        if !ended.is_empty() {
            self.prune(space, identity, &ended).await?;
        }
        found.sort_by(|one, other| (one.sent_at, &one.id).cmp(&(other.sent_at, &other.id)));
        Ok(found)
    }

    /// Removes the entries of messages whose retention has ended.
    async fn prune(
        &self,
        space: &Name,
        identity: &Name,
        ended: &[&(MessageId, Time)],
    ) -> RedisResult<()> {
        let mut invocation = self.scripts.prune.key(self.keys.queue(space));
        invocation
            .arg(self.keys.messages(space))
            .arg(identity.as_str());
        for (id, sent_at) in ended {
            invocation.arg(id.as_str()).arg(sent_at.millis());
        }
        invocation.invoke_async(&mut self.link.clone()).await
    }

    /// The identities for which messages wait.
    pub(super) async fn queued(&self, space: &Name) -> RedisResult<Vec<Name>> {
        let (mut found, mut last) = (Vec::new(), String::new());
        loop {
            let names: Vec<String> = self
                .scripts
                .queued
                .key(self.keys.queue(space))
                .arg(&last)
                .arg(PAGE)
                .invoke_async(&mut self.link.clone())
                .await?;
            found.extend(names.iter().flat_map(|name| Name::new(name)));
            match names.into_iter().nth(PAGE - 1) {
                Some(name) => last = name,
                None => return Ok(found),
            }
        }
    }

    /// Whether this instance may send the messages of an identity again. Until `span` has passed, no instance may.
    pub(super) async fn takes_turn(
        &self,
        space: &Name,
        identity: &Name,
        span: Duration,
    ) -> RedisResult<bool> {
        let mut set = redis::cmd("SET");
        let set = set.arg(self.keys.turn(space, identity)).arg("1").arg("NX");
        let set = set
            .arg("PX")
            .arg(u64::try_from(span.as_millis()).unwrap_or(u64::MAX));
        let taken: Option<String> = set.query_async(&mut self.link.clone()).await?;
        Ok(taken.is_some())
    }
}

/// Reads the message's id and time from an entry of the queue.
fn read(entry: &str) -> Option<(MessageId, Time)> {
    let mut parts = entry.split('/').skip(1);
    let id = MessageId::new(parts.next()?)?;
    Some((id, Time::of_millis(parts.next()?.parse().ok()?)))
}

fn message(space: &Name, id: &MessageId, row: Vec<Option<Vec<u8>>>) -> Option<Message> {
    let mut fields = row.into_iter();
    let mut text = || String::from_utf8(fields.next()??).ok();
    let (content_type, mode, sent_at) = (text()?, text()?, text()?);
    let payload = fields.next()??;
    Some(Message::new(
        id.clone(),
        space.clone(),
        content_type.into(),
        Mode::of(&mode)?,
        payload.into(),
        Time::of_millis(sent_at.parse().ok()?),
    ))
}
