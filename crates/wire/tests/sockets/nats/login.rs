use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use data_encoding::BASE32_NOPAD;
use model::FaultKind;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use wire::nats::{Credentials, Key};

use super::*;

/// A user's key from the documentation of NATS.
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";

fn with(credentials: Credentials) -> Login {
    Login {
        credentials,
        ..Login::default()
    }
}

fn password(password: &str) -> Credentials {
    Credentials::Password {
        user: "ada".into(),
        password: password.into(),
    }
}

fn key() -> Key {
    Key::from_seed(SEED).unwrap()
}

#[test]
fn each_kind_of_credentials_is_accepted_and_a_wrong_one_refused() {
    let check = |configuration: &str, right: Credentials, wrong: Credentials| {
        let server = Server::start(configuration);
        let mut client = server.login(with(right)).unwrap();
        client.subscribe("a", None, 1);
        client.publish("a", None, b"x");
        assert_eq!(client.take(1)[0].text(), "x");
        let fault = server.login(with(wrong)).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Denied, "{fault}");
        assert!(fault.detail.contains("Authorization Violation"), "{fault}");
    };
    check(
        "authorization { token: s3cret }",
        Credentials::Token("s3cret".into()),
        Credentials::Token("x".into()),
    );
    check(
        "authorization { user: ada, password: pw }",
        password("pw"),
        password("x"),
    );
    let nkeys = format!(
        "authorization {{ users: [ {{ nkey: {} }} ] }}",
        key().public()
    );
    let stranger = Key::from_seed(&key_of(USER, 9).seed).unwrap();
    check(&nkeys, Credentials::Key(key()), Credentials::Key(stranger));
}

#[test]
fn what_a_user_may_not_do_is_refused_and_the_connection_continues() {
    let server = Server::start(
        "authorization { users: [ { user: ada, password: pw, permissions: { publish: \"a.>\", subscribe: \"a.>\" } } ] }",
    );
    let mut client = server.login(with(password("pw"))).unwrap();
    client.subscribe("b", None, 1);
    client.publish("b", None, b"x");
    client.subscribe("a.1", None, 2);
    client.publish("a.1", None, b"x");
    client.settle();
    let expected = [
        "Permissions Violation for Subscription to \"b\"",
        "Permissions Violation for Publish to \"b\"",
    ];
    assert_eq!(client.refusals, expected);
    assert_eq!(client.take(1)[0].sid, 2);
}

#[test]
fn tls_begins_after_the_servers_first_line() {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = files.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (certificate, private) = (
        write("cert.pem", cert.pem()),
        write("key.pem", signing_key.serialize_pem()),
    );
    let server = Server::start(&format!(
        "tls {{ cert_file: {certificate:?}, key_file: {private:?} }}"
    ));
    let settings = TlsSettings::new(false, Some(cert.pem().as_bytes())).unwrap();
    let mut client = Client::connect(server.address, Login::default(), Some(&settings)).unwrap();
    assert!(client.connection.stream().is_secured() && client.connection.info().tls_required);
    client.subscribe("a", None, 1);
    client.publish("a", None, &vec![b'x'; 500_000]);
    assert_eq!(client.take(1)[0].payload.len(), 500_000);
    drop(server.folder);
}

/// Types of keys: the letters `O`, `A` and `U`.
const OPERATOR: u8 = 14 << 3;
const ACCOUNT: u8 = 0;
const USER: u8 = 20 << 3;

/// A key for tests, written here independently of the code under test.
struct TestKey {
    pair: Ed25519KeyPair,
    public: String,
    seed: String,
}

fn key_of(kind: u8, number: u8) -> TestKey {
    let raw = [number; 32];
    let pair = Ed25519KeyPair::from_seed_unchecked(&raw).unwrap();
    let public = checked([&[kind], pair.public_key().as_ref()].concat());
    let seed = checked([&[18 << 3 | kind >> 5, (kind & 31) << 3], raw.as_slice()].concat());
    TestKey { pair, public, seed }
}

/// Appends the CRC-16, computed bit by bit, and encodes all.
fn checked(mut content: Vec<u8>) -> String {
    let mut crc = 0_u16;
    for byte in &content {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 {
                crc << 1
            } else {
                (crc << 1) ^ 0x1021
            };
        }
    }
    content.extend(crc.to_le_bytes());
    BASE32_NOPAD.encode(&content)
}

/// A token about `subject`, signed by `issuer`.
fn token(issuer: &TestKey, subject: &str, claims: &Value) -> String {
    let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let header = encode(&json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let body = encode(&json!({
        "jti": "test", "iat": 1_700_000_000, "iss": issuer.public, "name": "test", "sub": subject, "nats": claims,
    }));
    let text = format!("{header}.{body}");
    let signature = BASE64_URL_SAFE_NO_PAD.encode(issuer.pair.sign(text.as_bytes()));
    format!("{text}.{signature}")
}

#[test]
fn a_token_of_an_account_is_accepted_with_the_users_key_only() {
    let (operator, account, user) = (key_of(OPERATOR, 1), key_of(ACCOUNT, 2), key_of(USER, 3));
    let unlimited = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    });
    let by_operator = token(
        &operator,
        &operator.public,
        &json!({ "type": "operator", "version": 2 }),
    );
    let claims = json!({ "type": "account", "version": 2, "limits": unlimited });
    let by_account = token(&operator, &account.public, &claims);
    let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {} });
    let by_user = token(&account, &user.public, &claims);
    let server = Server::start(&format!(
        "operator: {by_operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {by_account} }}",
        account.public
    ));
    let file = |seed: &str| {
        format!(
            "-----BEGIN NATS USER JWT-----\n{by_user}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    let mut client = server
        .login(with(Credentials::from_file(&file(&user.seed)).unwrap()))
        .unwrap();
    client.subscribe("a", None, 1);
    client.publish("a", None, b"x");
    assert_eq!(client.take(1)[0].text(), "x");
    let stolen = Credentials::from_file(&file(SEED)).unwrap();
    let fault = server.login(with(stolen)).err().unwrap();
    assert_eq!(fault.kind, FaultKind::Denied, "{fault}");
}
