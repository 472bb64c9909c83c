use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use kit::token::Token;

use super::config::{HashConfig, HashKind};

/// The scheme of new hashes. Existing hashes of either kind and any cost can be checked.
#[derive(Clone, Debug)]
pub(crate) enum Scheme {
    Argon2id(Params),
    Bcrypt(u32),
}

/// Reason why a password cannot be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SchemeError {
    #[error("too long: bcrypt supports passwords of at most 71 bytes")]
    TooLong,
    #[error("cannot create or parse a hash: {0}")]
    Broken(String),
    #[error("cannot start a hashing thread: {0}")]
    Thread(std::io::Error),
}

impl Scheme {
    pub(crate) fn new(config: &HashConfig) -> Result<Self, SchemeError> {
        match config.hash {
            HashKind::Bcrypt => Ok(Self::Bcrypt(config.bcrypt_cost)),
            HashKind::Argon2id => Params::new(config.argon_memory, config.argon_passes, 1, None)
                .map(Self::Argon2id)
                .map_err(broken),
        }
    }

    /// Hashes a new password with a random salt.
    pub(crate) fn hash(&self, password: &str) -> Result<String, SchemeError> {
        let salt = Token::random().map_err(broken)?.to_bytes();
        match self {
            Self::Argon2id(params) => {
                let salt = SaltString::encode_b64(&salt).map_err(broken)?;
                let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
                let hash = argon.hash_password(password.as_bytes(), &salt);
                hash.map(|hash| hash.to_string()).map_err(broken)
            }
            Self::Bcrypt(cost) => {
                // bcrypt uses 72 bytes, including a terminating NUL, and would silently truncate a longer password.
                if password.len() > 71 {
                    return Err(SchemeError::TooLong);
                }
                let parts = bcrypt::hash_with_salt(password, *cost, salt).map_err(broken)?;
                Ok(parts.format_for_version(bcrypt::Version::TwoB))
            }
        }
    }

    /// Whether the hash belongs to this password. Accepts hashes of every scheme.
    pub(crate) fn verify(password: &str, hash: &str) -> Result<bool, SchemeError> {
        if hash.starts_with("$2") {
            return bcrypt::verify(password, hash).map_err(broken);
        }
        let hash = PasswordHash::new(hash).map_err(broken)?;
        let checked = Argon2::default().verify_password(password.as_bytes(), &hash);
        match checked {
            Ok(()) => Ok(true),
            Err(argon2::password_hash::Error::Password) => Ok(false),
            Err(error) => Err(broken(error)),
        }
    }

    /// Whether this scheme, with its current cost, created the hash.
    pub(crate) fn made(&self, hash: &str) -> bool {
        match self {
            Self::Bcrypt(cost) => hash.starts_with(&format!("$2b${cost:02}$")),
            Self::Argon2id(params) => {
                let of = format!(
                    "$argon2id$v=19$m={},t={},p={}$",
                    params.m_cost(),
                    params.t_cost(),
                    params.p_cost()
                );
                hash.starts_with(&of)
            }
        }
    }

    /// The name and cost, as text for people.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Bcrypt(cost) => format!("bcrypt cost {cost}"),
            Self::Argon2id(params) => {
                format!(
                    "argon2id {} KiB, {} passes",
                    params.m_cost(),
                    params.t_cost()
                )
            }
        }
    }
}

fn broken(error: impl std::fmt::Display) -> SchemeError {
    SchemeError::Broken(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argon() -> Scheme {
        Scheme::Argon2id(Params::new(64, 1, 1, None).unwrap())
    }

    #[test]
    fn each_scheme_knows_its_own_hashes_and_checks_those_of_the_other() {
        for (scheme, other) in [(argon(), Scheme::Bcrypt(4)), (Scheme::Bcrypt(4), argon())] {
            let hash = scheme.hash("correct horse").unwrap();
            assert!(scheme.made(&hash) && !other.made(&hash), "{hash}");
            assert!(Scheme::verify("correct horse", &hash).unwrap());
            assert!(!Scheme::verify("battery staple", &hash).unwrap());
            assert_ne!(hash, scheme.hash("correct horse").unwrap(), "no salt");
        }
    }

    #[test]
    fn a_hash_that_others_made_is_accepted() {
        // From the test vectors of OpenBSD's bcrypt, by the Openwall project.
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
        assert!(Scheme::verify("U*U", hash).unwrap());
        assert!(!Scheme::verify("U*V", hash).unwrap());
    }

    #[test]
    fn bcrypt_does_not_cut_a_password_in_silence() {
        let long = "x".repeat(73);
        assert!(matches!(
            Scheme::Bcrypt(4).hash(&long),
            Err(SchemeError::TooLong)
        ));
    }
}
