use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::operation::Operation;
use crate::metrics::Timed;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registration::{Change, ChangeKind, Metadata, Wish};
use crate::registry::Registry;
use crate::size;
use crate::tenant::{Rated, Tenant};
use crate::time::Time;

/// How many times the limit of its JSON metadata may take in memory.
const MEMORY_FACTOR: usize = 16;

/// Registers an identity.
#[derive(Debug)]
pub(super) struct Register;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegisterBody {
    #[schemars(with = "Name")]
    identity: String,
    #[serde(default)]
    metadata: Metadata,
    /// Time to live in whole seconds. Without it, the registration never ends.
    #[schemars(range(min = 1, max = 86400))]
    ttl_seconds: Option<u64>,
    /// Whether an existing registration is replaced.
    #[serde(default)]
    replace: bool,
}

/// A registration after a change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RegistrationView {
    identity: Name,
    registered_at: Time,
    expires_at: Option<Time>,
    ttl_seconds: Option<u64>,
    /// Number of the change. A later change has a higher number.
    generation: u64,
    change: ChangeKind,
}

impl From<Change> for RegistrationView {
    fn from(change: Change) -> Self {
        let registration = &change.registration;
        Self {
            identity: registration.identity.clone(),
            registered_at: registration.registered_at,
            expires_at: registration.expires_at,
            ttl_seconds: registration.ttl_seconds,
            generation: registration.generation,
            change: change.kind,
        }
    }
}

impl Operation for Register {
    const ID: &'static str = "register";
    const SUMMARY: &'static str = "Registers an identity with metadata and a time to live";
    const REFUSALS: &'static [&'static str] = &["409"];
    type Body = RegisterBody;
    type Answer = RegistrationView;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: RegisterBody,
    ) -> Result<RegistrationView, Refusal> {
        let begin = Instant::now();
        let wish = Wish {
            identity: Name::new(&body.identity)?,
            metadata: Arc::new(checked(body.metadata, tenant)?),
            ttl_seconds: ttl(body.ttl_seconds, tenant)?,
            replace: body.replace,
        };
        tenant.spend(Rated::Change, begin)?;
        let change = registry.backend.register(tenant, wish).await?;
        registry
            .counters
            .time(Timed::Register, begin.elapsed().as_secs_f64());
        Ok(change.into())
    }
}

/// Starts the time to live of a registration again.
#[derive(Debug)]
pub(super) struct Refresh;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RefreshBody {
    #[schemars(with = "Name")]
    identity: String,
    /// A new time to live in whole seconds. Default: the earlier one.
    #[schemars(range(min = 1, max = 86400))]
    ttl_seconds: Option<u64>,
}

impl Operation for Refresh {
    const ID: &'static str = "refresh";
    const SUMMARY: &'static str = "Starts the time to live of a registration again (heartbeat)";
    const REFUSALS: &'static [&'static str] = &[];
    type Body = RefreshBody;
    type Answer = RegistrationView;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: RefreshBody,
    ) -> Result<RegistrationView, Refusal> {
        let identity = Name::new(&body.identity)?;
        let ttl_seconds = ttl(body.ttl_seconds, tenant)?;
        tenant.spend(Rated::Change, Instant::now())?;
        let change = registry
            .backend
            .refresh(tenant, &identity, ttl_seconds)
            .await?;
        Ok(change.into())
    }
}

/// Ends a registration.
#[derive(Debug)]
pub(super) struct Unregister;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnregisterBody {
    #[schemars(with = "Name")]
    identity: String,
}

/// The result of the end of a registration.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unregistered {
    identity: Name,
    /// Whether the identity was registered before.
    removed: bool,
}

impl Operation for Unregister {
    const ID: &'static str = "unregister";
    const SUMMARY: &'static str =
        "Ends a registration and forgets the identity's messages; may be repeated";
    const REFUSALS: &'static [&'static str] = &[];
    type Body = UnregisterBody;
    type Answer = Unregistered;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: UnregisterBody,
    ) -> Result<Unregistered, Refusal> {
        let identity = Name::new(&body.identity)?;
        tenant.spend(Rated::Change, Instant::now())?;
        let removed = registry
            .backend
            .unregister(tenant, &identity)
            .await?
            .is_some();
        Ok(Unregistered { identity, removed })
    }
}

/// Refuses metadata that is too large.
fn checked(metadata: Metadata, tenant: &Tenant) -> Result<Metadata, Refusal> {
    let limit = tenant.limits.max_metadata;
    let size = size::json(&metadata);
    if size > limit as usize {
        let why = format!("it has {size} bytes, and at most {limit} are accepted");
        return Err(Refusal::InvalidMetadata(why));
    }
    let (memory, limit) = (size::memory(&metadata), limit as usize * MEMORY_FACTOR);
    if memory > limit {
        let why = format!(
            "it has so many values that it takes {memory} bytes in memory, and at most {limit} are accepted"
        );
        return Err(Refusal::InvalidMetadata(why));
    }
    Ok(metadata)
}

fn ttl(seconds: Option<u64>, tenant: &Tenant) -> Result<Option<u64>, Refusal> {
    let limit = tenant.limits.max_ttl.as_secs();
    match seconds {
        Some(0) => Err(Refusal::InvalidField(
            "ttl_seconds",
            "must be at least 1".to_owned(),
        )),
        Some(more) if more > limit => {
            let why = format!("must be at most {limit}, the limit of the namespace");
            Err(Refusal::InvalidField("ttl_seconds", why))
        }
        fine => Ok(fine),
    }
}
