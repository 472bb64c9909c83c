//! Signatures of incoming and outgoing webhooks, in the form `t=SECONDS,v1=HEX`. HEX is the HMAC-SHA256 of the seconds,
//! a dot and the body. Because the signature includes the time, an old webhook cannot be replayed.

use std::time::Duration;

use hmac::{Hmac, Mac};
use kit::secret::Secret;
use sha2::Sha256;

use crate::types::Time;

/// Maximum difference between a signature's time and the current time, in either direction.
const TOLERANCE: Duration = Duration::from_mins(5);

type HmacSha256 = Hmac<Sha256>;

/// Signs a body.
pub(crate) fn sign(secret: &Secret, now: Time, body: &[u8]) -> String {
    let seconds = now.millis() / 1000;
    let mac = mac(secret, &seconds.to_string(), body);
    let code = mac.map(|mac| format!("{:x}", mac.finalize().into_bytes()));
    format!("t={seconds},v1={}", code.unwrap_or_default())
}

/// Whether a header is a recent signature of this body. Compares in constant time.
pub(crate) fn is_good(secret: &Secret, header: &str, now: Time, body: &[u8]) -> bool {
    let part = |name: &str| {
        let mut parts = header
            .split(',')
            .filter_map(|part| part.trim().split_once('='));
        parts.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let (Some(seconds), Some(code)) = (part("t"), part("v1").and_then(bytes)) else {
        return false;
    };
    let made = seconds
        .parse::<i64>()
        .ok()
        .and_then(|seconds| seconds.checked_mul(1000));
    let is_fresh = made.is_some_and(|made| {
        let made = Time::from(made);
        made >= now.before(TOLERANCE) && made <= now.after(TOLERANCE)
    });
    let mac = mac(secret, seconds, body);
    is_fresh && mac.is_some_and(|mac| mac.verify_slice(&code).is_ok())
}

fn mac(secret: &Secret, seconds: &str, body: &[u8]) -> Option<HmacSha256> {
    // HMAC accepts keys of any length, so this never returns `None`.
    let mut mac = HmacSha256::new_from_slice(secret.reveal().as_bytes()).ok()?;
    mac.update(seconds.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(mac)
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.is_ascii() || !hex.len().is_multiple_of(2) {
        return None;
    }
    let digits = (0..hex.len()).step_by(2);
    digits
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::from("a secret of sixteen or more".to_owned())
    }

    #[test]
    fn a_signature_is_good_for_its_body_its_secret_and_its_time_alone() {
        let now = Time::from(1_800_000_000_000);
        let signed = sign(&secret(), now, b"body");
        assert!(is_good(&secret(), &signed, now, b"body"));
        assert!(is_good(
            &secret(),
            &signed,
            now.after(Duration::from_mins(4)),
            b"body"
        ));
        assert!(!is_good(&secret(), &signed, now, b"another"));
        assert!(!is_good(
            &secret(),
            &signed,
            now.after(Duration::from_mins(6)),
            b"body"
        ));
        let other = Secret::from("another secret, as long".to_owned());
        assert!(!is_good(&other, &signed, now, b"body"));
        for forged in [
            "",
            "t=1",
            "v1=00",
            "t=1800000000,v1=",
            "t=1800000000,v1=zz",
            "t=x,v1=00",
        ] {
            assert!(!is_good(&secret(), forged, now, b"body"), "{forged:?}");
        }
    }

    #[test]
    fn the_code_is_the_one_that_others_compute() {
        // printf '1800000000.body' | openssl dgst -sha256 -hmac 'a secret of sixteen or more'
        let signed = sign(&secret(), Time::from(1_800_000_000_000), b"body");
        assert_eq!(
            signed,
            "t=1800000000,v1=7d7d0e70954228f26ed66f13a4850dffcf06a3ff705bece025837e3e21a4982d"
        );
    }
}
