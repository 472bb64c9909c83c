use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::store::users::{Role, UserRow};
use crate::types::{Id, Time};

/// The path parameters of a user.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct UserPath {
    pub(crate) user: Id,
}

/// A user, as shown to the user and to admins.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "User")]
pub(crate) struct UserView {
    pub(crate) id: Id,
    email: String,
    name: String,
    role: Role,
    telegram_chat: Option<String>,
    created_at: Time,
}

impl From<UserRow> for UserView {
    fn from(row: UserRow) -> Self {
        Self {
            id: row.id,
            email: row.email,
            name: row.name,
            role: row.role,
            telegram_chat: row.telegram_chat,
            created_at: row.created_at,
        }
    }
}
