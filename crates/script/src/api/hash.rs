//! `hash(algorithm, data, encoding)` and `hmac(algorithm, key, data, encoding)`.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use md5::Md5;
use rquickjs::{IntoJs, Result, TypedArray, Value};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::arg::{Given, kind, text, type_error};
use super::native::{Call, Natives};
use super::options::unknown;
use super::payload::bytes;

const ALGORITHMS: [&str; 4] = ["md5", "sha1", "sha256", "sha512"];
const ENCODINGS: [&str; 4] = ["hex", "base64", "base64url", "bytes"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl Algorithm {
    fn named(name: &str) -> Option<Self> {
        let all = [Self::Md5, Self::Sha1, Self::Sha256, Self::Sha512];
        let at = ALGORITHMS.iter().position(|known| *known == name)?;
        all.get(at).copied()
    }

    fn hash(self, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Md5 => Md5::digest(data).to_vec(),
            Self::Sha1 => Sha1::digest(data).to_vec(),
            Self::Sha256 => Sha256::digest(data).to_vec(),
            Self::Sha512 => Sha512::digest(data).to_vec(),
        }
    }

    /// Returns the authentication code. `None` never occurs, because HMAC takes keys of any length.
    fn hmac(self, key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Md5 => code::<Hmac<Md5>>(key, data),
            Self::Sha1 => code::<Hmac<Sha1>>(key, data),
            Self::Sha256 => code::<Hmac<Sha256>>(key, data),
            Self::Sha512 => code::<Hmac<Sha512>>(key, data),
        }
    }
}

fn code<M: Mac + KeyInit>(key: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    let mut mac = <M as Mac>::new_from_slice(key).ok()?;
    mac.update(data);
    Some(mac.finalize().into_bytes().to_vec())
}

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add_as("hash", "hash(algorithm, data, encoding)", hash)?;
    natives.add_as("hmac", "hmac(algorithm, key, data, encoding)", hmac)
}

fn hash<'js>(
    call: &Call<'_, 'js>,
    Given(name): Given<'js>,
    Given(data): Given<'js>,
    Given(encoding): Given<'js>,
) -> Result<Value<'js>> {
    let algorithm = algorithm(call, &name)?;
    let data = input(call, &data, "data")?;
    encoded(call, algorithm.hash(&data), &encoding)
}

fn hmac<'js>(
    call: &Call<'_, 'js>,
    Given(name): Given<'js>,
    Given(key): Given<'js>,
    Given(data): Given<'js>,
    Given(encoding): Given<'js>,
) -> Result<Value<'js>> {
    let algorithm = algorithm(call, &name)?;
    let key = input(call, &key, "key")?;
    let data = input(call, &data, "data")?;
    let code = algorithm.hmac(&key, &data);
    let unusable = || type_error(&call.ctx, &format!("{}: unusable key", call.method));
    encoded(call, code.ok_or_else(unusable)?, &encoding)
}

fn algorithm<'js>(call: &Call<'_, 'js>, value: &Value<'js>) -> Result<Algorithm> {
    let (ctx, method) = (&call.ctx, call.method);
    let name = text(ctx, value, &format!("{method}: the algorithm"))?;
    Algorithm::named(&name).ok_or_else(|| {
        let message = format!("{method}: {}", unknown("algorithm", &name, &ALGORITHMS));
        type_error(ctx, &message)
    })
}

/// Returns the bytes of a string, as UTF-8, or of binary data.
fn input<'js>(call: &Call<'_, 'js>, value: &Value<'js>, name: &str) -> Result<Vec<u8>> {
    let what = format!("{}: `{name}`", call.method);
    if value.is_string() {
        return text(&call.ctx, value, &what).map(String::into_bytes);
    }
    bytes(value).ok_or_else(|| {
        let message = format!(
            "{what} must be a string, ArrayBuffer or Uint8Array, not {}",
            kind(value)
        );
        type_error(&call.ctx, &message)
    })
}

fn encoded<'js>(call: &Call<'_, 'js>, bytes: Vec<u8>, encoding: &Value<'js>) -> Result<Value<'js>> {
    let (ctx, method) = (&call.ctx, call.method);
    let encoding = if encoding.is_undefined() {
        ENCODINGS[0].to_owned()
    } else {
        text(ctx, encoding, &format!("{method}: the encoding"))?
    };
    match encoding.as_str() {
        "hex" => hex(&bytes).into_js(ctx),
        "base64" => STANDARD.encode(&bytes).into_js(ctx),
        "base64url" => URL_SAFE_NO_PAD.encode(&bytes).into_js(ctx),
        "bytes" => TypedArray::<u8>::new(ctx.clone(), bytes)?.into_js(ctx),
        _ => {
            let message = format!("{method}: {}", unknown("encoding", &encoding, &ENCODINGS));
            Err(type_error(ctx, &message))
        }
    }
}

/// Formats bytes in lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(*byte)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The expected values are from RFC 1321, RFC 2202, RFC 4231 and FIPS 180-2, and match the output of `openssl dgst`.

    #[test]
    fn digests_of_the_standards() {
        for (name, abc) in [
            ("md5", "900150983cd24fb0d6963f7d28e17f72"),
            ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (
                "sha256",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                "sha512",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
        ] {
            let algorithm = Algorithm::named(name).unwrap();
            assert_eq!(hex(&algorithm.hash(b"abc")), abc, "{name}");
        }
    }

    #[test]
    fn codes_of_the_standards() {
        for (name, code) in [
            ("md5", "750c783e6ab0b503eaa86e310a5db738"),
            ("sha1", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            (
                "sha256",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                "sha512",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                 9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ),
        ] {
            let algorithm = Algorithm::named(name).unwrap();
            let found = algorithm.hmac(b"Jefe", b"what do ya want for nothing?");
            assert_eq!(hex(&found.unwrap()), code, "{name}");
        }
    }
}
