use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use redis::{FromRedisValue, RedisError, RedisResult, Script};

use super::keys::Keys;
use super::link::Link;
use crate::filter::Filter;
use crate::message::{Message, MessageId, Mode};
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, ChangeKind, Registration, Wish};
use crate::tenant::Tenant;
use crate::time::Time;

/// Number of registrations per read.
const PAGE: usize = 1000;

/// The data in Redis.
#[derive(Clone, Debug)]
pub(super) struct Data {
    link: Link,
    keys: Keys,
    scripts: Arc<Scripts>,
}

#[derive(Debug)]
struct Scripts {
    register: Script,
    refresh: Script,
    unregister: Script,
    keep: Script,
    settle: Script,
    enumerate: Script,
}

/// The answer of the scripts that change a registration: the outcome, and the registration's fields.
type Fields = Vec<Option<String>>;

impl Data {
    pub(super) fn new(link: Link, prefix: &str) -> Self {
        let scripts = Scripts {
            register: Script::new(include_str!("../../lua/register.lua")),
            refresh: Script::new(include_str!("../../lua/refresh.lua")),
            unregister: Script::new(include_str!("../../lua/unregister.lua")),
            keep: Script::new(include_str!("../../lua/keep.lua")),
            settle: Script::new(include_str!("../../lua/settle.lua")),
            enumerate: Script::new(include_str!("../../lua/enumerate.lua")),
        };
        Self {
            link,
            keys: Keys::new(prefix),
            scripts: Arc::new(scripts),
        }
    }

    pub(super) async fn register(&self, tenant: &Tenant, wish: Wish) -> Result<Change, Refusal> {
        let (space, limit) = (&tenant.name, tenant.limits.max_identities);
        let metadata = serde_json::to_string(&*wish.metadata);
        let metadata = metadata.map_err(|error| Refusal::Internal(error.to_string()))?;
        let fields: Fields = self
            .scripts
            .register
            .key(self.keys.registration(space, &wish.identity))
            .key(self.keys.ends(space))
            .key(self.keys.generation(space))
            .arg(wish.identity.as_str())
            .arg(metadata)
            .arg(
                wish.ttl_seconds
                    .map(|ttl| ttl.to_string())
                    .unwrap_or_default(),
            )
            .arg(u8::from(wish.replace))
            .arg(limit)
            .invoke_async(&mut self.link.clone())
            .await
            .map_err(|error| unavailable(&error))?;
        change(&wish.identity, &fields, limit)
    }

    pub(super) async fn refresh(
        &self,
        space: &Name,
        identity: &Name,
        ttl_seconds: Option<u64>,
    ) -> Result<Change, Refusal> {
        let fields: Fields = self
            .scripts
            .refresh
            .key(self.keys.registration(space, identity))
            .key(self.keys.ends(space))
            .key(self.keys.generation(space))
            .arg(identity.as_str())
            .arg(ttl_seconds.map(|ttl| ttl.to_string()).unwrap_or_default())
            .invoke_async(&mut self.link.clone())
            .await
            .map_err(|error| unavailable(&error))?;
        change(identity, &fields, 0)
    }

    pub(super) async fn unregister(
        &self,
        space: &Name,
        identity: &Name,
    ) -> Result<Option<Change>, Refusal> {
        let fields: Fields = self
            .scripts
            .unregister
            .key(self.keys.registration(space, identity))
            .key(self.keys.ends(space))
            .key(self.keys.generation(space))
            .key(self.keys.queue(space, identity))
            .key(self.keys.queued(space))
            .arg(identity.as_str())
            .invoke_async(&mut self.link.clone())
            .await
            .map_err(|error| unavailable(&error))?;
        match change(identity, &fields, 0) {
            Err(Refusal::NotRegistered) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The highest generation in Redis.
    pub(super) async fn generation(&self, space: &Name) -> RedisResult<u64> {
        let mut get = redis::cmd("GET");
        let get = get.arg(self.keys.generation(space));
        let found: Option<u64> = get.query_async(&mut self.link.clone()).await?;
        Ok(found.unwrap_or(0))
    }

    /// All registrations of a namespace.
    pub(super) async fn registrations(&self, space: &Name) -> RedisResult<Vec<Arc<Registration>>> {
        let mut range = redis::cmd("ZRANGE");
        let range = range.arg(self.keys.ends(space)).arg(0).arg(-1);
        let names: Vec<String> = range.query_async(&mut self.link.clone()).await?;
        self.load(space, &names).await
    }

    /// The registrations that meet a filter, which Redis evaluates.
    pub(super) async fn enumerate(
        &self,
        space: &Name,
        filter: &Filter,
    ) -> RedisResult<Vec<Arc<Registration>>> {
        let names: Vec<String> = self
            .scripts
            .enumerate
            .key(self.keys.ends(space))
            .arg(self.keys.registrations(space))
            .arg(filter.tree().to_string())
            .invoke_async(&mut self.link.clone())
            .await?;
        self.load(space, &names).await
    }

    /// The registrations of these identities. Those that ended meanwhile are left out.
    async fn load(&self, space: &Name, names: &[String]) -> RedisResult<Vec<Arc<Registration>>> {
        let mut found = Vec::with_capacity(names.len());
        for names in names.chunks(PAGE) {
            let names: Vec<Name> = names.iter().flat_map(|name| Name::new(name)).collect();
            let mut pipeline = redis::pipe();
            for name in &names {
                let key = self.keys.registration(space, name);
                let fields = [
                    "generation",
                    "registered_ms",
                    "expires_ms",
                    "ttl",
                    "metadata",
                ];
                pipeline.cmd("HMGET").arg(key).arg(&fields);
            }
            let rows: Vec<Fields> = pipeline.query_async(&mut self.link.clone()).await?;
            for (name, row) in names.iter().zip(rows) {
                if let [
                    Some(generation),
                    Some(begin),
                    Some(end),
                    Some(ttl),
                    Some(metadata),
                ] = &row[..]
                {
                    let fields = [generation, begin, end, ttl, metadata];
                    found.extend(registration(name, fields).map(Arc::new));
                }
            }
        }
        Ok(found)
    }

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
            .key(self.keys.queued(space))
            .arg(self.keys.queues(space))
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
        let mut invocation = self.scripts.settle.key(self.keys.queued(space));
        invocation.arg(self.keys.queues(space));
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
        let mut all = redis::cmd("HGETALL");
        let all = all.arg(self.keys.queue(space, identity));
        let mut ids: Vec<(String, i64)> = all.query_async(&mut link).await?;
        ids.sort_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
        let ids: Vec<MessageId> = ids
            .iter()
            .filter_map(|(id, _)| MessageId::new(id))
            .collect();
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(PAGE) {
            let mut pipeline = redis::pipe();
            for id in ids {
                let fields = ["content_type", "delivery", "sent_at", "payload"];
                let key = self.keys.message(space, id);
                pipeline.cmd("HMGET").arg(key).arg(&fields);
            }
            let rows: Vec<Vec<Option<Vec<u8>>>> = pipeline.query_async(&mut link).await?;
            for (id, row) in ids.iter().zip(rows) {
                found.extend(message(space, id, row).map(|message| Arc::new(message.again())));
            }
        }
        Ok(found)
    }

    /// The identities for which messages wait.
    pub(super) async fn queued(&self, space: &Name) -> RedisResult<Vec<Name>> {
        let mut members = redis::cmd("SMEMBERS");
        let members = members.arg(self.keys.queued(space));
        let names: Vec<String> = members.query_async(&mut self.link.clone()).await?;
        Ok(names.iter().flat_map(|name| Name::new(name)).collect())
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

    /// Whether Redis writes its data to disk before it answers. `None` if it does not tell.
    pub(super) async fn is_durable(&self) -> Option<bool> {
        let mut info = redis::cmd("INFO");
        let text: RedisResult<String> = info
            .arg("persistence")
            .query_async(&mut self.link.clone())
            .await;
        let text = text.ok()?;
        Some(text.contains("aof_enabled:1"))
    }
}

/// The error of a request to Redis.
pub(super) fn unavailable(error: &RedisError) -> Refusal {
    Refusal::BackendUnavailable(format!("Redis: {error}"))
}

fn change(identity: &Name, fields: &[Option<String>], limit: u32) -> Result<Change, Refusal> {
    let outcome = fields
        .first()
        .and_then(Option::as_deref)
        .unwrap_or_default();
    let kind = match outcome {
        "exists" => return Err(Refusal::AlreadyRegistered),
        "full" => return Err(Refusal::QuotaExceeded(limit, "identities")),
        "missing" => return Err(Refusal::NotRegistered),
        "registered" => ChangeKind::Registered,
        "replaced" => ChangeKind::Replaced,
        "refreshed" => ChangeKind::Refreshed,
        _ => ChangeKind::Unregistered,
    };
    let damaged =
        || Refusal::BackendUnavailable(format!("the registration of `{identity}` is damaged"));
    let [
        _,
        Some(generation),
        Some(begin),
        Some(end),
        Some(ttl),
        Some(metadata),
    ] = fields
    else {
        return Err(damaged());
    };
    let fields = [generation, begin, end, ttl, metadata];
    let registration = registration(identity, fields).ok_or_else(damaged)?;
    Ok(Change {
        kind,
        registration: Arc::new(registration),
    })
}

/// Reads a registration from its fields: generation, begin, end, ttl and metadata.
fn registration(identity: &Name, fields: [&String; 5]) -> Option<Registration> {
    let [generation, begin, end, ttl, metadata] = fields;
    let end = Some(end).filter(|end| !end.is_empty());
    let ttl = Some(ttl).filter(|ttl| !ttl.is_empty());
    Some(Registration {
        identity: identity.clone(),
        metadata: Arc::new(serde_json::from_str(metadata).ok()?),
        registered_at: Time::of_millis(begin.parse().ok()?),
        expires_at: end
            .map(|end| end.parse().map(Time::of_millis))
            .transpose()
            .ok()?,
        ttl_seconds: ttl.map(|ttl| ttl.parse()).transpose().ok()?,
        generation: generation.parse().ok()?,
    })
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
