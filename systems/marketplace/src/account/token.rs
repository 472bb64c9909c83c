use kit::token::Token;
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;

/// Creates a token. Returns it with its hash; only the hash is stored.
pub(super) fn new() -> Result<(String, String), Refusal> {
    let token = Token::random()?.to_string();
    let hash = hash(&token);
    Ok((token, hash))
}

/// Hashes a token. A fast hash without salt is enough, because tokens cannot be guessed.
pub(crate) fn hash(token: &str) -> String {
    format!("{:x}", Sha256::digest(token.as_bytes()))
}
