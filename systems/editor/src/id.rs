use std::io;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use kit::token::Token;

/// Number of characters of an id, as in the original.
const LETTERS: usize = 20;

/// Returns a new random public id in the alphabet of URL-safe base64.
pub(crate) fn fresh() -> io::Result<String> {
    let mut id = BASE64_URL_SAFE_NO_PAD.encode(Token::random()?.to_string());
    // The base64 form of 32 hexadecimal digits has 43 characters, of which the first 20 are random enough.
    id.truncate(LETTERS);
    Ok(id)
}
