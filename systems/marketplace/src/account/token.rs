use std::fmt::Write as _;

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
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(token.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
