use std::io;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use kit::token::Token;

/// Letters of an id, as many as the original's.
const LETTERS: usize = 20;

/// A new public id, in the letters of base64 for URLs.
pub(crate) fn fresh() -> io::Result<String> {
    let mut id = BASE64_URL_SAFE_NO_PAD.encode(Token::random()?.to_string());
    // 32 hexadecimal digits are 43 letters; the middle would do as well, all are random.
    id.truncate(LETTERS);
    Ok(id)
}
