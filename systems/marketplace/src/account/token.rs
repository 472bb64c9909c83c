use kit::token::Token;
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;

/// A new token, and its hash, which is all that is kept of it.
pub(super) fn new() -> Result<(String, String), Refusal> {
    let token = Token::random()?.to_string();
    let hash = hash(&token);
    Ok((token, hash))
}

/// A token cannot be guessed, so that a fast hash without salt is enough.
pub(crate) fn hash(token: &str) -> String {
    format!("{:x}", Sha256::digest(token.as_bytes()))
}
