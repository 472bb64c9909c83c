use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use data_encoding::BASE32_NOPAD;
use model::Fault;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use super::subject::refused;
use crate::crc16::crc16;

/// The type of a seed, which becomes the letter `S` in Base32.
const SEED: u8 = 18 << 3;
/// The type of a user's key, which becomes the letter `U`.
const USER: u8 = 20 << 3;

/// The key of a user (an nkey): an Ed25519 key pair with a textual form.
///
/// The texts are Base32 without padding. They encode the type, 32 bytes of key or seed, and a CRC-16 of all that, least
/// significant byte first. A seed (`SU…`) has two type bytes: those of a seed and of a user, in five bits each.
pub struct Key {
    pair: Ed25519KeyPair,
}

impl Key {
    /// Reads the seed of a user, such as `SUAB…`. The error does not contain the seed.
    pub fn from_seed(seed: &str) -> Result<Self, Fault> {
        let unfit = |reason: &str| refused(format!("the NATS seed is unusable: {reason}"));
        let decoded = BASE32_NOPAD.decode(seed.trim().as_bytes());
        let decoded = decoded.map_err(|_| unfit("it is not Base32 in capital letters"))?;
        let Some((content, checksum)) = decoded.split_last_chunk() else {
            return Err(unfit("it is too short"));
        };
        if u16::from_le_bytes(*checksum) != crc16(content) {
            return Err(unfit(
                "its checksum is wrong, so a character is missing or wrong",
            ));
        }
        let Some((&[first, second], raw)) = content.split_first_chunk() else {
            return Err(unfit("it is too short"));
        };
        if first & 0xf8 != SEED {
            return Err(unfit("it is a public key; a seed begins with `SU`"));
        }
        if first << 5 | second >> 3 != USER {
            return Err(unfit(
                "it belongs to an account, operator or server; a user's begins with `SU`",
            ));
        }
        let pair = Ed25519KeyPair::from_seed_unchecked(raw);
        let pair = pair.map_err(|_| unfit("it does not hold 32 bytes"))?;
        Ok(Self { pair })
    }

    /// The public key, such as `UDXU…`.
    pub fn public(&self) -> String {
        let mut content = vec![USER];
        content.extend_from_slice(self.pair.public_key().as_ref());
        content.extend_from_slice(&crc16(&content).to_le_bytes());
        BASE32_NOPAD.encode(&content)
    }

    /// Signs the server's nonce. The signature is in the Base64 of URLs, without padding.
    pub fn sign(&self, nonce: &str) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.pair.sign(nonce.as_bytes()))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.public()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair from the documentation of NATS.
    const SEED_TEXT: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    const PUBLIC_TEXT: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

    #[test]
    fn a_seed_gives_its_public_key_and_is_never_shown() {
        let key = Key::from_seed(SEED_TEXT).unwrap();
        assert_eq!(key.public(), PUBLIC_TEXT);
        assert_eq!(format!("{key:?}"), format!("Key(\"{PUBLIC_TEXT}\")"));
        assert_eq!(key.sign("nonce").len(), 86);
        assert_ne!(key.sign("nonce"), key.sign("other"));
    }

    #[test]
    fn other_texts_are_refused_with_a_reason_and_without_the_text() {
        let check = |seed: &str, words: &str| {
            let fault = Key::from_seed(seed).unwrap_err();
            assert!(fault.detail.contains(words), "{fault}");
            assert!(seed.len() < 9 || !fault.detail.contains(seed), "{fault}");
        };
        check("", "too short");
        check("no seed!", "Base32");
        check(&SEED_TEXT.to_lowercase(), "Base32");
        check(&SEED_TEXT.replace("SSL3", "SSL4"), "checksum");
        check(PUBLIC_TEXT, "public key");
        let with_checksum = |mut content: Vec<u8>| {
            content.extend_from_slice(&crc16(&content).to_le_bytes());
            BASE32_NOPAD.encode(&content)
        };
        check(&with_checksum(vec![SEED, 0]), "account");
        check(
            &with_checksum(vec![SEED | USER >> 5, (USER & 31) << 3, 1, 2]),
            "32 bytes",
        );
    }
}
