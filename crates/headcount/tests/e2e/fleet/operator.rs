//! A NATS server in operator mode: its users have tokens (JWT) that an account has signed.
//!
//! Keys and tokens are made here, independently of the code under test. The keys are those of tests: their seeds are one
//! number, repeated.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use data_encoding::BASE32_NOPAD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use crate::nats::server::NatsServer;

/// Types of keys: the letters `O`, `A` and `U`.
const OPERATOR: u8 = 14 << 3;
const ACCOUNT: u8 = 0;
const USER: u8 = 20 << 3;

struct Key {
    pair: Ed25519KeyPair,
    public: String,
    seed: String,
}

impl Key {
    fn new(kind: u8, number: u8) -> Self {
        let raw = [number; 32];
        let pair = Ed25519KeyPair::from_seed_unchecked(&raw).unwrap();
        let public = with_checksum([&[kind], pair.public_key().as_ref()].concat());
        let seed =
            with_checksum([&[18 << 3 | kind >> 5, (kind & 31) << 3], raw.as_slice()].concat());
        Self { pair, public, seed }
    }

    /// A token about `subject`.
    fn sign(&self, subject: &str, claims: &Value) -> String {
        let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let header = encode(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
        let body = encode(&json!({
            "jti": "test", "iat": 1_700_000_000, "iss": self.public, "name": "test", "sub": subject, "nats": claims,
        }));
        let text = format!("{header}.{body}");
        let signature = BASE64_URL_SAFE_NO_PAD.encode(self.pair.sign(text.as_bytes()));
        format!("{text}.{signature}")
    }
}

/// Appends a CRC-16, and encodes all.
fn with_checksum(mut content: Vec<u8>) -> String {
    let mut crc = 0_u16;
    for byte in &content {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            let shifted = crc << 1;
            crc = if crc & 0x8000 == 0 {
                shifted
            } else {
                shifted ^ 0x1021
            };
        }
    }
    content.extend(crc.to_le_bytes());
    BASE32_NOPAD.encode(&content)
}

/// A server with JetStream, for the users of one account.
pub(super) struct Operator {
    pub(super) server: NatsServer,
    account: Key,
}

/// What a user has.
pub(super) struct User {
    pub(super) jwt: String,
    pub(super) seed: String,
}

impl Operator {
    pub(super) fn start() -> Self {
        let operator = Key::new(OPERATOR, 1);
        let (account, system) = (Key::new(ACCOUNT, 2), Key::new(ACCOUNT, 3));
        let limits = |storage: i32| {
            json!({
                "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1,
                "leaf": -1, "mem_storage": storage, "disk_storage": storage, "streams": storage, "consumer": storage,
            })
        };
        let about = |account: &Key, storage: i32| {
            let claims = json!({ "type": "account", "version": 2, "limits": limits(storage) });
            operator.sign(&account.public, &claims)
        };
        let claims = json!({ "type": "operator", "version": 2, "system_account": system.public });
        let server = NatsServer::start(&format!(
            "jetstream: enabled\noperator: {}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{ {}: {}, {}: {} }}",
            operator.sign(&operator.public, &claims),
            system.public,
            system.public,
            about(&system, 0),
            account.public,
            about(&account, -1),
        ));
        Self { server, account }
    }

    /// A user of the account who may use these subjects only.
    pub(super) fn user(&self, allowed: &[&str]) -> User {
        let key = Key::new(USER, 4);
        let allowed = json!({ "allow": allowed });
        let claims = json!({
            "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "pub": allowed, "sub": allowed,
        });
        User {
            jwt: self.account.sign(&key.public, &claims),
            seed: key.seed,
        }
    }

    /// The seed of a user whom the account does not know.
    pub(super) fn foreign_seed() -> String {
        Key::new(USER, 5).seed
    }
}

impl User {
    /// The credentials file, as `nsc` writes it.
    pub(super) fn file(&self) -> String {
        let Self { jwt, seed } = self;
        format!(
            "-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n\
             ************************* IMPORTANT *************************\n\
             NKEY Seed printed below can be used to sign and prove identity.\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    }
}
