//! Iterations of groups: before their start, and after their end.

use std::sync::Arc;

use model::{GroupId, Nanos, UserId};

use crate::error::ScriptFault;

/// One iteration of a group, before it starts.
#[derive(Clone, Debug)]
pub struct GroupStart {
    /// The group.
    pub id: GroupId,
    /// Number of the group within the level: 0, 1, 2, …
    pub number: u32,
    /// Number of previous iterations of the group.
    pub iteration: u32,
    /// The level: index, users, groups.
    pub level: (u32, u32, u32),
    /// Roles with their numbers of users, in the order of the users.
    pub roles: Option<Arc<Roles>>,
    /// Members of the group.
    pub users: Vec<UserStart>,
    /// The return value of `setup`, as JSON.
    pub setup: Option<Arc<str>>,
    /// The exported function to call. `None` means the default export.
    pub scenario: Option<Arc<str>>,
    /// Planned start of the iteration. The latency of messages sent before the first wait counts from this time. With
    /// `None`, it counts from the actual sending.
    pub planned: Option<Nanos>,
}

/// A member of a group, before the iteration starts.
#[derive(Clone, Debug)]
pub struct UserStart {
    /// The user.
    pub id: UserId,
    /// Name in the script, such as `u34-kpxwab`.
    pub name: Arc<str>,
    /// Number within the group: 0, 1, 2, …
    pub index: u32,
    /// Number within the level: 0, 1, 2, …
    pub number: u32,
    /// Role, if the group has roles.
    pub role: Option<Arc<str>>,
    /// Data that `setup` created for this user in a pool, as JSON.
    pub data: Option<Arc<str>>,
}

/// Roles with their numbers of users, in the order of the users.
pub type Roles = Vec<(String, u32)>;

/// An ended iteration of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The group.
    pub group: GroupId,
    /// The return value of `setup` as JSON, `None` for an iteration, or the fault.
    pub outcome: Result<Option<String>, ScriptFault>,
}
