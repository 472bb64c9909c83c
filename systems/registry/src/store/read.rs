use std::collections::HashMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use kit::memory::Budget;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use super::open::Store;
use super::write::Slot;
use crate::mailbox::QUEUED;
use crate::message::{Message, MessageId, Mode};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::Registration;
use crate::time::Time;

impl Store {
    /// Reserves a place for one write.
    pub(crate) fn slot(&self) -> Result<Slot, Refusal> {
        self.writer.slot()
    }

    /// All registrations that are not over, with their namespaces. Rows that cannot be read are reported and left out.
    pub(crate) async fn registrations(
        &self,
        now: Time,
    ) -> Result<Vec<(Name, Arc<Registration>)>, sqlx::Error> {
        let query = "SELECT namespace, identity, generation, registered_at, expires_at, ttl_seconds, metadata \
                     FROM registrations WHERE expires_at IS NULL OR expires_at > ?";
        let rows = sqlx::query(query).bind(now.millis());
        let rows = rows.fetch_all(&self.reader).await?;
        let mut found = Vec::with_capacity(rows.len());
        for row in &rows {
            if let Some(registration) = registration(row)? {
                found.push(registration);
            } else {
                tracing::error!("a registration in the database is damaged and left out");
            }
        }
        Ok(found)
    }

    /// The messages that wait for an identity, oldest first. They count as sent before. Returns no more than a queue holds, and
    /// than there is memory for, and whether these are all.
    pub(crate) async fn pending(
        &self,
        namespace: &Name,
        identity: &Name,
        now: Time,
        memory: &Budget,
    ) -> Result<(Vec<Arc<Message>>, bool), sqlx::Error> {
        let query = "SELECT m.id, m.content_type, m.delivery, m.sent_at, m.payload FROM pending p \
                     JOIN messages m ON m.namespace = p.namespace AND m.id = p.message \
                     WHERE p.namespace = ? AND p.identity = ? AND m.kept_until > ? ORDER BY m.sent_at, m.id";
        let mut rows = sqlx::query(query)
            .bind(namespace.as_str())
            .bind(identity.as_str())
            .bind(now.millis())
            .fetch(&self.reader);
        let (mut found, mut size) = (Vec::new(), 0);
        while let Some(row) = rows.try_next().await? {
            let message = message(namespace, &row)?;
            let Some(message) = message.within(memory) else {
                return Ok((found, false));
            };
            size += message.cost();
            if size > QUEUED {
                return Ok((found, false));
            }
            found.push(Arc::new(message));
        }
        Ok((found, true))
    }

    /// The number of messages that wait for each of these identities. Identities without messages are left out.
    pub(crate) async fn queued(
        &self,
        namespace: &Name,
        identities: &[Name],
    ) -> Result<HashMap<Name, u32>, sqlx::Error> {
        let query = "SELECT identity, COUNT(*) FROM pending WHERE namespace = ? \
                     AND identity IN (SELECT value FROM json_each(?)) GROUP BY identity";
        let names = serde_json::json!(identities).to_string();
        let rows = sqlx::query(query).bind(namespace.as_str()).bind(names);
        let rows = rows.fetch_all(&self.reader).await?;
        let mut queued = HashMap::with_capacity(rows.len());
        for row in rows {
            let (name, count): (String, u32) = (row.try_get(0)?, row.try_get(1)?);
            queued.extend(Name::new(&name).ok().map(|name| (name, count)));
        }
        Ok(queued)
    }

    /// Whether a message with this id was kept before.
    pub(crate) async fn knows(
        &self,
        namespace: &Name,
        id: &MessageId,
    ) -> Result<bool, sqlx::Error> {
        let query = "SELECT EXISTS (SELECT 1 FROM messages WHERE namespace = ? AND id = ?)";
        let known = sqlx::query_scalar(query)
            .bind(namespace.as_str())
            .bind(id.as_str());
        known.fetch_one(&self.reader).await
    }
}

fn registration(row: &SqliteRow) -> Result<Option<(Name, Arc<Registration>)>, sqlx::Error> {
    let (namespace, identity): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (generation, begin, end): (i64, i64, Option<i64>) =
        (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
    let (ttl, metadata): (Option<i64>, String) = (row.try_get(5)?, row.try_get(6)?);
    let (Ok(namespace), Ok(identity), Ok(metadata), Ok(generation)) = (
        Name::new(&namespace),
        Name::new(&identity),
        serde_json::from_str(&metadata),
        u64::try_from(generation),
    ) else {
        return Ok(None);
    };
    let registration = Registration {
        identity,
        metadata: Arc::new(metadata),
        registered_at: Time::of_millis(begin),
        expires_at: end.map(Time::of_millis),
        ttl_seconds: ttl.and_then(|ttl| u64::try_from(ttl).ok()),
        generation,
    };
    Ok(Some((namespace, Arc::new(registration))))
}

fn message(namespace: &Name, row: &SqliteRow) -> Result<Message, sqlx::Error> {
    let (id, content_type, mode): (String, String, String) =
        (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let (sent_at, payload): (i64, Vec<u8>) = (row.try_get(3)?, row.try_get(4)?);
    let damaged = || sqlx::Error::Decode(format!("the message `{id}` is damaged").into());
    let message = Message::new(
        MessageId::new(&id).ok_or_else(damaged)?,
        namespace.clone(),
        content_type.into(),
        Mode::of(&mode).ok_or_else(damaged)?,
        payload.into(),
        Time::of_millis(sent_at),
    );
    Ok(message.again())
}
