use super::config::AccountConfig;
use super::create::Hashed;
use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::users::{self, Role};
use crate::types::{Email, Password};
use crate::work::Actor;

/// Reason why the first admin cannot be created.
#[derive(Clone, Debug)]
pub(crate) struct AdminError(pub(crate) String);

/// Creates the configured admin, unless the account exists. Fails if the address belongs to a user who is not an admin.
pub(crate) async fn ensure_admin(
    market: &Market,
    config: &AccountConfig,
) -> Result<(), AdminError> {
    let (Some(email), Some(password)) = (&config.admin_email, &config.admin_password) else {
        return Ok(());
    };
    let refused = AdminError;
    let email = Email::try_from(email.clone()).map_err(|error| refused(error.to_string()))?;
    let password = Password::try_from(password.reveal().to_owned());
    let password = password.map_err(|error| refused(error.to_string()))?;
    let hashed = market.hashing.hash(password).await;
    let password_hash = hashed.map_err(|refusal| refused(refusal.to_string()))?;
    let admin = Hashed {
        email,
        name: "Admin".to_owned(),
        role: Role::Admin,
        password_hash,
    };
    match market.perform(&Actor::Nobody, None, &admin).await {
        Ok(_) => tracing::info!("created the admin account"),
        Err(Refusal::EmailTaken) => {
            let role = role(market, &admin.email).await;
            let role = role.map_err(|refusal| refused(refusal.to_string()))?;
            if role != Some(Role::Admin) {
                let role = role.map_or("nobody", Role::word);
                let email = admin.email.as_str();
                return Err(refused(format!("`{email}` is the account of a {role}")));
            }
        }
        Err(refusal) => return Err(refused(refusal.to_string())),
    }
    Ok(())
}

/// The role of the user with this address.
async fn role(market: &Market, email: &Email) -> Result<Option<Role>, Refusal> {
    let mut db = market.store.read().await?;
    let Some(found) = users::credentials(&mut db, email).await? else {
        return Ok(None);
    };
    let user = users::find(&mut db, &found.id).await?;
    Ok(user.map(|user| user.role))
}
