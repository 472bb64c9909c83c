use std::sync::Arc;

use redis::{RedisError, RedisResult, Script};

use super::keys::Keys;
use super::link::Link;
use crate::filter::Filter;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, ChangeKind, Registration, Wish};
use crate::tenant::Tenant;
use crate::time::Time;

/// Number of registrations, messages or identities per read.
pub(super) const PAGE: usize = 1000;

/// The data in Redis: the registrations here, and the kept messages in `queue`.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) link: Link,
    pub(super) keys: Keys,
    pub(super) scripts: Arc<Scripts>,
}

#[derive(Debug)]
pub(super) struct Scripts {
    register: Script,
    refresh: Script,
    unregister: Script,
    enumerate: Script,
    pub(super) keep: Script,
    pub(super) settle: Script,
    pub(super) queued: Script,
    pub(super) prune: Script,
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
            queued: Script::new(include_str!("../../lua/queued.lua")),
            prune: Script::new(include_str!("../../lua/prune.lua")),
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
            .key(self.keys.queue(space))
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

    /// What the end of Redis loses although it was acknowledged, and how to prevent that. `None` if it loses nothing, or
    /// does not tell. With `appendfsync everysec`, Redis postpones its writes by up to two seconds while the disk is busy.
    pub(super) async fn loss_at_its_end(&self) -> Option<&'static str> {
        let mut link = self.link.clone();
        let persistence: RedisResult<String> = redis::cmd("INFO")
            .arg("persistence")
            .query_async(&mut link)
            .await;
        if persistence.ok()?.contains("aof_enabled:0") {
            return Some(
                "Redis keeps its data in memory only, so its end loses them: set `appendonly yes`",
            );
        }
        let mut question = redis::cmd("CONFIG");
        let setting: RedisResult<Vec<String>> = question
            .arg("GET")
            .arg("appendfsync")
            .query_async(&mut link)
            .await;
        (setting.ok()?.last()? != "always").then_some(
            "Redis answers before it writes, so its end loses the last seconds: set `appendfsync always`",
        )
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

#[cfg(test)]
mod tests {
    use kit::testing::Redis;

    use super::super::link::Link;
    use super::*;

    #[tokio::test]
    async fn a_redis_that_loses_what_it_acknowledged_is_reported() {
        let server = Redis::start();
        let mut link = Link::open(&[server.url()]).await.unwrap();
        let data = Data::new(link.clone(), "test");
        assert_eq!(data.loss_at_its_end().await, None);
        for (setting, value) in [("appendfsync", "everysec"), ("appendonly", "no")] {
            let mut change = redis::cmd("CONFIG");
            change.arg("SET").arg(setting).arg(value);
            let _: String = change.query_async(&mut link).await.unwrap();
            let loss = data.loss_at_its_end().await.unwrap();
            assert!(loss.contains(setting), "{loss}");
        }
    }
}
