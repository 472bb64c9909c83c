use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use crate::account::hash_token;
use crate::market::Market;
use crate::operation::Access;
use crate::refusal::Refusal;
use crate::store::sessions;
use crate::types::Time;
use crate::work::Actor;

/// Authenticates the caller and checks access. Operations for anyone ignore the token, because callers who log in again
/// often still send an expired token.
pub(super) async fn caller(
    market: &Market,
    access: Access,
    parts: &Parts,
) -> Result<Actor, Refusal> {
    if access == Access::Anyone {
        return Ok(Actor::Nobody);
    }
    let actor = by_header(market, parts).await?;
    access.check(&actor)?;
    Ok(actor)
}

async fn by_header(market: &Market, parts: &Parts) -> Result<Actor, Refusal> {
    let Some(header) = parts.headers.get(AUTHORIZATION) else {
        return Ok(Actor::Nobody);
    };
    let header = header.to_str().map_err(|_| Refusal::Unauthenticated)?;
    let (scheme, token) = header.split_once(' ').ok_or(Refusal::Unauthenticated)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(Refusal::Unauthenticated);
    }
    by_token(market, token.trim()).await
}

/// The user to whom an access token belongs.
async fn by_token(market: &Market, token: &str) -> Result<Actor, Refusal> {
    let mut db = market.store.read().await?;
    let holder = sessions::holder(&mut db, &hash_token(token), Time::now()).await?;
    holder.map(Actor::User).ok_or(Refusal::Unauthenticated)
}
