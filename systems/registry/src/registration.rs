use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::name::Name;
use crate::time::Time;

/// The facts about an identity, by which filters find it.
pub(crate) type Metadata = Map<String, Value>;

/// A registered identity. A replacement has a higher generation, so that the end of an old registration never removes a
/// new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub(crate) identity: Name,
    #[serde(with = "crate::shared_value")]
    pub(crate) metadata: Arc<Metadata>,
    pub(crate) registered_at: Time,
    /// `None` if the registration never ends.
    pub(crate) expires_at: Option<Time>,
    /// The time to live, with which the registration is refreshed.
    pub(crate) ttl_seconds: Option<u64>,
    /// Number of the change in its namespace. Every later change has a higher number.
    pub(crate) generation: u64,
}

impl Registration {
    pub(crate) fn is_over(&self, now: Time) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// A wish to register an identity.
#[derive(Clone, Debug)]
pub(crate) struct Wish {
    pub(crate) identity: Name,
    pub(crate) metadata: Arc<Metadata>,
    pub(crate) ttl_seconds: Option<u64>,
    /// Whether an existing registration is replaced instead of refusing the wish.
    pub(crate) replace: bool,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeKind {
    Registered,
    Replaced,
    Refreshed,
    Unregistered,
    Expired,
}

impl ChangeKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Registered => "registered",
            Self::Replaced => "replaced",
            Self::Refreshed => "refreshed",
            Self::Unregistered => "unregistered",
            Self::Expired => "expired",
        }
    }

    /// Whether the identity is registered after the change.
    pub(crate) fn leaves_it_registered(self) -> bool {
        !matches!(self, Self::Unregistered | Self::Expired)
    }
}

/// A change of one registration. If the registration has ended, this is its last state, with the generation of its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) kind: ChangeKind,
    #[serde(with = "crate::shared_value")]
    pub(crate) registration: Arc<Registration>,
}
