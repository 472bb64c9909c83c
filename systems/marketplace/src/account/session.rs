use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::token;
use super::view::UserView;
use crate::market::Market;
use crate::operation::{Access, Empty, Route, Write};
use crate::refusal::Refusal;
use crate::store::PATIENCE;
use crate::store::sessions::{self, SessionRow};
use crate::store::users::{self, Credentials};
use crate::types::{Email, Id, Password};
use crate::work::{Step, Work};

/// The body of a login.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct LoginBody {
    email: Email,
    password: Password,
}

/// A session with its tokens. No other response contains the tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Session")]
pub(crate) struct SessionView {
    access_token: String,
    refresh_token: String,
    /// Seconds until the access token expires.
    expires_in: u64,
    user: UserView,
}

/// A login whose password was correct.
#[derive(Debug)]
pub(crate) struct Login {
    user: Id,
    /// The password's hash under the current scheme. `None` if the stored hash already uses that scheme.
    renewed: Option<String>,
}

impl Write for Login {
    const ROUTE: Route = Route::post("auth.login", "/api/auth/login")
        .by(Access::Anyone)
        .says("Logs in and returns tokens")
        .secret()
        .hashes();
    type Path = ();
    type Body = LoginBody;

    async fn begin((): (), body: LoginBody, market: &Market) -> Result<Self, Refusal> {
        let found = timeout(PATIENCE, credentials(market, &body.email)).await;
        let found = found.unwrap_or(Err(Refusal::Unreachable))?;
        let hash = found.as_ref().map(|found| found.password_hash.clone());
        let checked = market.hashing.check(body.password, hash).await?;
        match found.filter(|_| checked.good) {
            Some(found) => Ok(Self {
                user: found.id,
                renewed: checked.renewed,
            }),
            None => Err(Refusal::WrongCredentials),
        }
    }
}

/// The user with this address, and the hash of the user's password.
async fn credentials(market: &Market, email: &Email) -> Result<Option<Credentials>, Refusal> {
    let mut db = market.store.read().await?;
    Ok(users::credentials(&mut db, email).await?)
}

impl Step for Login {
    type Answer = SessionView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<SessionView, Refusal> {
        if let Some(hash) = &self.renewed {
            users::set_password_hash(work.db(), &self.user, hash).await?;
        }
        let fresh = Fresh::new(work, work.new_id()?, self.user.clone())?;
        sessions::insert(work.db(), &fresh.row).await?;
        fresh.view(work).await
    }
}

/// A refresh token.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RefreshBody {
    #[schemars(length(max = 200))]
    refresh_token: String,
}

/// Renews the tokens of a session. A refresh token that was used before may have been stolen, so its session ends.
#[derive(Debug)]
pub(crate) struct Refresh {
    hash: String,
}

impl Write for Refresh {
    const ROUTE: Route = Route::post("auth.refresh", "/api/auth/refresh")
        .by(Access::Anyone)
        .says("Exchanges a refresh token for new tokens; a refresh token can be used only once")
        .secret();
    type Path = ();
    type Body = RefreshBody;

    async fn begin((): (), body: RefreshBody, market: &Market) -> Result<Self, Refusal> {
        let hash = token::hash(&body.refresh_token);
        let stolen = {
            let mut db = market.store.read().await?;
            sessions::by_spent(&mut db, &hash).await?
        };
        if let Some(session) = stolen {
            tracing::warn!("a refresh token was used twice; its session is closed");
            market
                .perform(&crate::work::Actor::Nobody, None, &EndSession(session))
                .await?;
            return Err(Refusal::SpentToken);
        }
        Ok(Self { hash })
    }
}

impl Step for Refresh {
    type Answer = SessionView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<SessionView, Refusal> {
        let now = work.now;
        let found = sessions::by_refresh(work.db(), &self.hash).await?;
        let session = found.filter(|session| session.refresh_until > now);
        let session = session.ok_or(Refusal::SpentToken)?;
        let fresh = Fresh::new(work, session.id, session.user_id)?;
        if !sessions::renew(work.db(), &self.hash, &fresh.row).await? {
            return Err(Refusal::SpentToken);
        }
        fresh.view(work).await
    }
}

/// Logs the caller out.
#[derive(Debug)]
pub(crate) struct Logout;

impl Write for Logout {
    const ROUTE: Route = Route::post("auth.logout", "/api/auth/logout")
        .says("Ends the session and invalidates both of its tokens")
        .by(Access::SignedIn);
    type Path = ();
    type Body = Empty;

    async fn begin((): (), _: Empty, _: &Market) -> Result<Self, Refusal> {
        Ok(Self)
    }
}

impl Step for Logout {
    type Answer = Empty;

    async fn apply(&self, work: &mut Work<'_>) -> Result<Empty, Refusal> {
        let session = work.actor.user()?.session.clone();
        sessions::delete(work.db(), &session).await?;
        Ok(Empty {})
    }
}

/// Deletes a session.
struct EndSession(Id);

impl Step for EndSession {
    type Answer = ();

    async fn apply(&self, work: &mut Work<'_>) -> Result<(), Refusal> {
        Ok(sessions::delete(work.db(), &self.0).await?)
    }
}

/// New tokens for a session.
struct Fresh {
    row: SessionRow,
    access: String,
    refresh: String,
}

impl Fresh {
    fn new(work: &Work<'_>, id: Id, user_id: Id) -> Result<Self, Refusal> {
        let (access, access_hash) = token::new()?;
        let (refresh, refresh_hash) = token::new()?;
        let row = SessionRow {
            id,
            user_id,
            access_hash,
            access_until: work.now.after(work.terms.access_time),
            refresh_hash,
            refresh_until: work.now.after(work.terms.refresh_time),
        };
        Ok(Self {
            row,
            access,
            refresh,
        })
    }

    async fn view(self, work: &mut Work<'_>) -> Result<SessionView, Refusal> {
        let user = users::find(work.db(), &self.row.user_id).await?;
        Ok(SessionView {
            access_token: self.access,
            refresh_token: self.refresh,
            expires_in: work.terms.access_time.as_secs(),
            user: user.ok_or(Refusal::Unauthenticated)?.into(),
        })
    }
}
