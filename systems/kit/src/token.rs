//! Unguessable tokens: 128 bits from the operating system's generator, written as 32 hexadecimal digits.

use std::fmt;
use std::str::FromStr;

use rustix::rand::{GetRandomFlags, getrandom};

/// An identifier that is secret and cannot be guessed. `Debug` does not reveal it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(u128);

/// The text is not 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token must have 32 hexadecimal digits")]
pub struct TokenError;

impl Token {
    /// Creates a token. Fails only if the operating system cannot provide random bytes.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        let mut filled = 0;
        while filled < bytes.len() {
            match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
                Ok(n) => filled += n,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Self(u128::from_ne_bytes(bytes)))
    }

    /// The random bytes, for callers that need them in another form.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let digits = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match u128::from_str_radix(text, 16) {
            Ok(value) if digits => Ok(Self(value)),
            _ => Err(TokenError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_back_from_its_text() {
        let token = Token::random().unwrap();
        assert_eq!(token.to_string().parse(), Ok(token));
    }

    #[test]
    fn two_tokens_differ_and_debug_hides_them() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one, other);
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "abc", "+123456789012345678901234567890ab", "zz"] {
            assert_eq!(text.parse::<Token>(), Err(TokenError), "{text:?} was taken");
        }
    }
}
