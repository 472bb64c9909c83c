use std::sync::Arc;

use model::{GroupId, UserId};

/// One iteration of a group, about to begin.
#[derive(Clone, Debug)]
pub struct GroupStart {
    /// Which group.
    pub id: GroupId,
    /// Its name in the script, e.g. `g12`.
    pub name: String,
    /// 0, 1, 2, … within the level.
    pub number: u32,
    /// How many iterations it has run before.
    pub iteration: u32,
    /// The level: index, users, groups.
    pub level: (u32, u32, u32),
    /// Roles with their numbers of users, in the order of the users.
    pub roles: Option<Vec<(String, u32)>>,
    /// Its members.
    pub users: Vec<UserStart>,
    /// What `setup` returned, as JSON.
    pub setup: Option<Arc<str>>,
}

/// One member of a group, about to begin.
#[derive(Clone, Debug)]
pub struct UserStart {
    /// Which user.
    pub id: UserId,
    /// The name in the script, e.g. `u34`.
    pub name: String,
    /// 0, 1, 2, … within the group.
    pub index: u32,
    /// 0, 1, 2, … within the level.
    pub number: u32,
    /// The role, if the group has roles.
    pub role: Option<String>,
    /// What the set-up pool made for this user, as JSON.
    pub data: Option<Arc<str>>,
}
