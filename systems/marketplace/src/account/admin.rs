use super::create::Hashed;
use crate::config::{AccountConfig, ConfigError};
use crate::market::Market;
use crate::refusal::Refusal;
use crate::store::users::Role;
use crate::types::{Email, Password};
use crate::work::Actor;

/// Makes the admin of the configuration, unless the account is there already.
pub(crate) async fn ensure_admin(
    market: &Market,
    config: &AccountConfig,
) -> Result<(), ConfigError> {
    let (Some(email), Some(password)) = (&config.admin_email, &config.admin_password) else {
        return Ok(());
    };
    let refused = |why: String| ConfigError::Admin(why);
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
        Ok(_) => tracing::info!("the admin has an account"),
        Err(Refusal::EmailTaken) => {}
        Err(refusal) => return Err(refused(refusal.to_string())),
    }
    Ok(())
}
