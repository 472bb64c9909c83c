use std::io;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use kit::token::Token;

/// Number of characters of an id, as in the original.
const LETTERS: usize = 20;

/// A new random public id, in the alphabet of base64 for URLs.
pub(crate) fn fresh() -> io::Result<String> {
    let mut id = BASE64_URL_SAFE_NO_PAD.encode(Token::random()?.to_string());
    // 32 hexadecimal digits encode to 43 random characters, of which the first 20 suffice.
    id.truncate(LETTERS);
    Ok(id)
}
