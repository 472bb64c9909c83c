use schemars::JsonSchema;
use serde::Deserialize;

use super::UserView;
use crate::http::{Access, Market, Route, Write};
use crate::refusal::Refusal;
use crate::store::users::{self, Role, UserRow};
use crate::types::words::words;
use crate::types::{Email, Password, Text};
use crate::work::{Step, Work};

words! {
    /// What one may be by registering.
    Trader {
        Buyer = "buyer",
        Seller = "seller",
    }
}

/// Who registers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Registration {
    email: Email,
    password: Password,
    name: Text<1, 100>,
    role: Trader,
}

/// Whom an admin makes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewUser {
    email: Email,
    password: Password,
    name: Text<1, 100>,
    role: Role,
}

/// A user whose password was hashed.
#[derive(Debug)]
pub(super) struct Hashed {
    pub(super) email: Email,
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) password_hash: String,
}

impl Step for Hashed {
    type Answer = UserView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<UserView, Refusal> {
        let row = UserRow {
            id: work.new_id()?,
            email: self.email.as_str().to_owned(),
            name: self.name.clone(),
            role: self.role,
            telegram_chat: None,
            created_at: work.now,
        };
        users::insert(work.db(), &row, &self.password_hash)
            .await
            .map_err(|error| Refusal::once(error, Refusal::EmailTaken))?;
        Ok(UserView::from(row))
    }
}

/// Somebody makes an account.
#[derive(Debug)]
pub(crate) struct Register(Hashed);

impl Write for Register {
    const ROUTE: Route = Route::post("auth.register", "/api/auth/register")
        .by(Access::Anyone)
        .says("Makes an account as buyer or seller")
        .creates()
        .hashes();
    type Path = ();
    type Body = Registration;

    async fn begin((): (), new: Registration, market: &Market) -> Result<Self, Refusal> {
        let role = match new.role {
            Trader::Buyer => Role::Buyer,
            Trader::Seller => Role::Seller,
        };
        let password_hash = market.hashing.hash(new.password).await?;
        let name = new.name.as_str().to_owned();
        Ok(Self(Hashed {
            email: new.email,
            name,
            role,
            password_hash,
        }))
    }
}

impl Step for Register {
    type Answer = UserView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<UserView, Refusal> {
        self.0.apply(work).await
    }
}

/// An admin makes an account.
#[derive(Debug)]
pub(crate) struct CreateUser(Hashed);

impl Write for CreateUser {
    const ROUTE: Route = Route::post("users.admin.create", "/api/users/admin")
        .says("Makes an account of any role")
        .by(Access::Admin)
        .creates()
        .hashes();
    type Path = ();
    type Body = NewUser;

    async fn begin((): (), new: NewUser, market: &Market) -> Result<Self, Refusal> {
        let password_hash = market.hashing.hash(new.password).await?;
        let name = new.name.as_str().to_owned();
        Ok(Self(Hashed {
            email: new.email,
            name,
            role: new.role,
            password_hash,
        }))
    }
}

impl Step for CreateUser {
    type Answer = UserView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<UserView, Refusal> {
        self.0.apply(work).await
    }
}
