use schemars::JsonSchema;
use serde::Deserialize;

use super::view::UserView;
use crate::market::Market;
use crate::operation::{Access, Route, Write};
use crate::refusal::Refusal;
use crate::store::users::{self, Role, UserRow};
use crate::types::words::words;
use crate::types::{Email, Password, Text};
use crate::work::{Step, Work};

words! {
    /// The roles that users can choose when they register.
    Trader {
        Buyer = "buyer",
        Seller = "seller",
    }
}

/// The body of a registration.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Registration {
    email: Email,
    password: Password,
    name: Text<1, 100>,
    role: Trader,
}

/// The body with which an admin creates a user.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewUser {
    email: Email,
    password: Password,
    name: Text<1, 100>,
    role: Role,
}

/// A new user whose password is already hashed.
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

/// Registers a buyer or seller.
#[derive(Debug)]
pub(crate) struct Register(Hashed);

impl Write for Register {
    const ROUTE: Route = Route::post("auth.register", "/api/auth/register")
        .by(Access::Anyone)
        .says("Registers a buyer or seller")
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

/// Creates an account of any role, for admins.
#[derive(Debug)]
pub(crate) struct CreateUser(Hashed);

impl Write for CreateUser {
    const ROUTE: Route = Route::post("users.admin.create", "/api/users/admin")
        .says("Creates an account of any role")
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
