use argon2::password_hash::{Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use kit::token::Token;

use super::config::{HashConfig, HashKind};

/// The scheme of new hashes. Existing hashes of either kind and any cost can be checked.
#[derive(Clone, Debug)]
pub(crate) enum Scheme {
    Argon2id(Params),
    Bcrypt(u32),
}

/// The memory in which argon2id works, megabytes that a thread keeps for its next hash. The allocator may keep freed memory
/// of that size anyway, or return it to the system, which then clears it page by page for every hash.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Vec<Block>);

impl Scratch {
    fn blocks(&mut self, params: &Params) -> &mut [Block] {
        if self.0.len() < params.block_count() {
            self.0 = vec![Block::default(); params.block_count()]; // without the old content
        }
        &mut self.0
    }

    /// Frees what hashes of this scheme do not need. An older hash may have needed more.
    pub(crate) fn fit(&mut self, scheme: &Scheme) {
        let needed = match scheme {
            Scheme::Argon2id(params) => params.block_count(),
            Scheme::Bcrypt(_) => 0,
        };
        self.0.truncate(needed);
        self.0.shrink_to_fit();
    }
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
    pub(crate) fn hash(
        &self,
        password: &str,
        scratch: &mut Scratch,
    ) -> Result<String, SchemeError> {
        let salt = Token::random().map_err(broken)?.to_bytes();
        match self {
            Self::Argon2id(params) => {
                let salt = SaltString::encode_b64(&salt).map_err(broken)?;
                let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
                argon_hash(&argon, password, salt.as_salt(), scratch).map_err(broken)
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
    pub(crate) fn verify(
        password: &str,
        hash: &str,
        scratch: &mut Scratch,
    ) -> Result<bool, SchemeError> {
        if hash.starts_with("$2") {
            return bcrypt::verify(password, hash).map_err(broken);
        }
        let hash = PasswordHash::new(hash).map_err(broken)?;
        argon_verify(password, &hash, scratch).map_err(broken)
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

fn argon_hash(
    argon: &Argon2<'_>,
    password: &str,
    salt: Salt<'_>,
    scratch: &mut Scratch,
) -> argon2::password_hash::Result<String> {
    let output = output(argon, Params::DEFAULT_OUTPUT_LEN, password, salt, scratch)?;
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon.params())?,
        salt: Some(salt),
        hash: Some(output),
    };
    Ok(hash.to_string())
}

fn argon_verify(
    password: &str,
    hash: &PasswordHash<'_>,
    scratch: &mut Scratch,
) -> argon2::password_hash::Result<bool> {
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else {
        return Ok(false);
    };
    let algorithm = Algorithm::try_from(hash.algorithm)?;
    let version = hash.version.map(Version::try_from).transpose()?;
    let params = Params::try_from(hash)?;
    let argon = Argon2::new(algorithm, version.unwrap_or_default(), params);
    // The comparison takes the same time wherever the outputs differ.
    Ok(output(&argon, expected.len(), password, salt, scratch)? == expected)
}

fn output(
    argon: &Argon2<'_>,
    length: usize,
    password: &str,
    salt: Salt<'_>,
    scratch: &mut Scratch,
) -> argon2::password_hash::Result<Output> {
    let mut bytes = [0; Salt::RECOMMENDED_LENGTH * 4];
    let salt = salt.decode_b64(&mut bytes)?;
    Output::init_with(length, |out| {
        let blocks = scratch.blocks(argon.params());
        Ok(argon.hash_password_into_with_memory(password.as_bytes(), salt, out, blocks)?)
    })
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
        let scratch = &mut Scratch::default();
        for (scheme, other) in [(argon(), Scheme::Bcrypt(4)), (Scheme::Bcrypt(4), argon())] {
            let hash = scheme.hash("correct horse", scratch).unwrap();
            assert!(scheme.made(&hash) && !other.made(&hash), "{hash}");
            assert!(Scheme::verify("correct horse", &hash, scratch).unwrap());
            assert!(!Scheme::verify("battery staple", &hash, scratch).unwrap());
            assert_ne!(
                hash,
                scheme.hash("correct horse", scratch).unwrap(),
                "no salt"
            );
        }
    }

    #[test]
    fn a_hash_that_others_made_is_accepted() {
        let scratch = &mut Scratch::default();
        // From the test vectors of OpenBSD's bcrypt, by the Openwall project.
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
        assert!(Scheme::verify("U*U", hash, scratch).unwrap());
        assert!(!Scheme::verify("U*V", hash, scratch).unwrap());
    }

    #[test]
    fn hashes_in_used_memory_equal_those_of_the_library() {
        use argon2::password_hash::{PasswordHasher, PasswordVerifier};

        let scratch = &mut Scratch::default();
        for (memory, passes) in [(256, 2), (64, 1), (512, 3), (64, 2)] {
            let params = Params::new(memory, passes, 1, None).unwrap();
            let ours = Scheme::Argon2id(params.clone())
                .hash("horse", scratch)
                .unwrap();
            let parsed = PasswordHash::new(&ours).unwrap();
            let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
            argon.verify_password(b"horse", &parsed).unwrap();
            let theirs = argon.hash_password(b"horse", parsed.salt.unwrap()).unwrap();
            assert_eq!(ours, theirs.to_string());
            assert!(Scheme::verify("horse", &ours, scratch).unwrap());
            assert!(!Scheme::verify("house", &ours, scratch).unwrap());
        }
        assert_eq!(scratch.0.len(), 512);
        scratch.fit(&argon());
        assert_eq!(scratch.0.len(), 64);
    }

    #[test]
    fn bcrypt_does_not_cut_a_password_in_silence() {
        let long = "x".repeat(73);
        assert!(matches!(
            Scheme::Bcrypt(4).hash(&long, &mut Scratch::default()),
            Err(SchemeError::TooLong)
        ));
    }
}
