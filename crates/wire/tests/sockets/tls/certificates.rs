//! Certificates that the user lists, and certificates of the client.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use model::{Fault, FaultKind, Side};
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use wire::{ClientCertificate, Read, TlsSettings};

use super::{
    der, localhost, peer_with, secured, server, tls_peer_of, tls_peer_with, until_the_end,
};
use crate::drive::read;

/// The contents of a certificate as `openssl req -x509` makes it: for `localhost`, and a CA.
fn as_openssl_makes_it() -> CertificateParams {
    let mut contents = localhost();
    contents.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    contents
}

fn refusal(contents: &CertificateParams, name: &str) -> Fault {
    let (address, thread, pem) = tls_peer_with(contents, until_the_end);
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let fault = secured(address, &settings, name).unwrap_err();
    thread.join().unwrap();
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Tls));
    fault
}

#[test]
fn a_listed_ca_certificate_is_trusted_as_the_servers_own() {
    let (address, thread, pem) = tls_peer_with(&as_openssl_makes_it(), until_the_end);
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    drop(secured(address, &settings, "localhost").unwrap());
    thread.join().unwrap();
}

#[test]
fn a_listed_ca_certificate_is_refused_for_another_name() {
    let fault = refusal(&as_openssl_makes_it(), "other.test");
    assert!(fault.detail.contains("for another name"), "{fault}");
}

#[test]
fn a_listed_ca_certificate_is_refused_once_it_has_expired() {
    let mut expired = as_openssl_makes_it();
    expired.not_after = date_time_ymd(2020, 1, 1);
    let fault = refusal(&expired, "localhost");
    let said = &fault.detail;
    assert!(
        said.contains("expired") && said.contains(" days ago"),
        "{fault}"
    );
}

#[test]
fn a_certificate_that_is_not_valid_yet_is_refused() {
    let mut early = as_openssl_makes_it();
    early.not_before = date_time_ymd(2999, 1, 1);
    early.not_after = date_time_ymd(3000, 1, 1);
    let fault = refusal(&early, "localhost");
    assert!(fault.detail.contains("becomes valid in"), "{fault}");
}

#[test]
fn a_certificate_for_another_name_is_told_with_its_names() {
    let fault = refusal(&localhost(), "127.0.0.1");
    let said = "it is valid for localhost, but not for 127.0.0.1";
    assert!(fault.detail.contains(said), "{fault}");
}

/// Browsers and TLS libraries ignore the common name.
#[test]
fn a_certificate_without_a_subject_alt_name_says_how_to_make_one() {
    let mut nameless = CertificateParams::default();
    nameless
        .distinguished_name
        .push(DnType::CommonName, "localhost");
    for (host, name) in [
        ("localhost", "DNS:localhost"),
        ("127.0.0.1", "IP:127.0.0.1"),
    ] {
        let fault = refusal(&nameless, host);
        assert!(
            fault.detail.contains(&format!("subjectAltName={name}")),
            "{fault}"
        );
    }
}

#[test]
fn a_private_key_of_another_certificate_is_a_fault_of_the_script() {
    let own = KeyPair::generate().unwrap();
    let cert = localhost().self_signed(&own).unwrap();
    let other = KeyPair::generate().unwrap().serialize_pem();
    let own = ClientCertificate::from_pem(cert.pem().as_bytes(), other.as_bytes()).unwrap();
    let fault = TlsSettings::presenting(Some(own), false, None).unwrap_err();
    assert_eq!((fault.side, fault.kind), (Side::Script, FaultKind::Tls));
    assert!(
        fault.detail.contains("does not belong to the certificate"),
        "{fault}"
    );
}

/// The exception applies to the listed bytes, not to the name or the key in them.
#[test]
fn another_certificate_with_the_key_of_a_listed_one_is_refused() {
    let key = KeyPair::generate().unwrap();
    let listed = as_openssl_makes_it().self_signed(&key).unwrap();
    let contents = as_openssl_makes_it();
    let issuer = Issuer::from_params(&contents, &key);
    let mut other = as_openssl_makes_it();
    other.serial_number = Some(7.into());
    let other = other.signed_by(&key, &issuer).unwrap();
    let (address, thread) = tls_peer_of(&other, &key, until_the_end);
    let settings = TlsSettings::new(false, Some(listed.pem().as_bytes())).unwrap();
    let fault = secured(address, &settings, "localhost").unwrap_err();
    assert!(fault.detail.contains("is a CA"), "{fault}");
    thread.join().unwrap();
}

/// Someone may list the server's certificate and not its CA, as with `curl --cacert`.
#[test]
fn a_listed_certificate_is_trusted_without_its_issuer() {
    let ca_key = KeyPair::generate().unwrap();
    let mut ca = as_openssl_makes_it();
    ca.distinguished_name.push(DnType::CommonName, "our CA");
    let key = KeyPair::generate().unwrap();
    let issuer = Issuer::from_params(&ca, &ca_key);
    let cert = localhost().signed_by(&key, &issuer).unwrap();
    let (address, thread) = tls_peer_of(&cert, &key, until_the_end);
    let settings = TlsSettings::new(false, Some(cert.pem().as_bytes())).unwrap();
    drop(secured(address, &settings, "localhost").unwrap());
    thread.join().unwrap();
}

/// A peer that admits only clients with a certificate of `ca`. It greets them and returns how many certificates it saw.
fn peer_for_members(ca: &Certificate) -> (SocketAddr, JoinHandle<usize>, String) {
    let mut roots = RootCertStore::empty();
    roots.add(ca.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let members = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    let key = KeyPair::generate().unwrap();
    let cert = localhost().self_signed(&key).unwrap();
    let config = server()
        .with_client_cert_verifier(members.build().unwrap())
        .with_single_cert(vec![cert.der().clone()], der(&key))
        .unwrap();
    let (address, thread) = peer_with(config, |socket| {
        let _ = socket.write_all(b"hello");
        let _ = socket.flush();
        until_the_end(socket);
        socket.conn.peer_certificates().map_or(0, <[_]>::len)
    });
    (address, thread, cert.pem())
}

#[test]
fn a_client_certificate_is_presented_to_a_peer_that_asks() {
    let ca_key = KeyPair::generate().unwrap();
    let ca = as_openssl_makes_it().self_signed(&ca_key).unwrap();
    let (key, other_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let contents = as_openssl_makes_it();
    let issuer = Issuer::from_params(&contents, &ca_key);
    let cert = localhost().signed_by(&key, &issuer).unwrap();
    let read_pem = |key: &KeyPair| {
        ClientCertificate::from_pem(cert.pem().as_bytes(), key.serialize_pem().as_bytes())
    };

    let (address, thread, pem) = peer_for_members(&ca);
    let own = read_pem(&key).unwrap();
    let settings = TlsSettings::presenting(Some(own), false, Some(pem.as_bytes())).unwrap();
    let mut stream = secured(address, &settings, "localhost").unwrap();
    assert!(matches!(read(&mut stream, &mut [0; 64]), Read::Bytes(5)));
    drop(stream);
    assert_eq!(thread.join().unwrap(), 1);

    let of_another = read_pem(&other_key).unwrap();
    let fault = TlsSettings::presenting(Some(of_another), true, None).unwrap_err();
    assert_eq!(fault.side, Side::Script);
}

/// `openssl x509 -req` makes such a certificate by default, and curl and Node present it.
#[test]
fn a_client_certificate_of_version_1_can_be_presented() {
    let own = ClientCertificate::from_pem(VERSION_1.as_bytes(), VERSION_1_KEY.as_bytes()).unwrap();
    TlsSettings::presenting(Some(own), true, None).unwrap();
}

const VERSION_1_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqa+99IacDFYBi2tg
oGOMGYWrVX905jYk9mp4L4xHkPOhRANCAAQoceLK1y/wm75c6a8FtO6iw3WsJIl6
ugWWFRV5fCNX2Kw/207wn3t1FLIt4OEc1YNOJS3JX/2YOhWcSM3gYffG
-----END PRIVATE KEY-----
";
const VERSION_1: &str = "\
-----BEGIN CERTIFICATE-----
MIIBGzCBwQIUJj5sJSCT33u6V3V7s+joHrdYsJAwCgYIKoZIzj0EAwIwDTELMAkG
A1UEAwwCY2EwIBcNMjYxMTI2MjE1MzAzWhgPMjEyNjExMDIyMTUzMDNaMBExDzAN
BgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABChx4srXL/Cb
vlzprwW07qLDdawkiXq6BZYVFXl8I1fYrD/bTvCfe3UUsi3g4RzVg04lLclf/Zg6
FZxIzeBh98YwCgYIKoZIzj0EAwIDSQAwRgIhALGnvDtwxk44HiNBe58wz7NSA8mq
FHkGcmhnkKFx77zeAiEAgRAkSC/CJYIRX4eQVFAjq8SIMeSfsvbnqvpD/xgHOQM=
-----END CERTIFICATE-----
";

#[test]
fn a_missing_client_certificate_is_named_with_its_options() {
    let ca_key = KeyPair::generate().unwrap();
    let ca = as_openssl_makes_it().self_signed(&ca_key).unwrap();
    let (address, thread, pem) = peer_for_members(&ca);
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    // The client of TLS 1.3 has ended its handshake before the peer refuses it.
    let mut stream = secured(address, &settings, "localhost").unwrap();
    match read(&mut stream, &mut [0; 64]) {
        Read::Failed(fault) => assert!(fault.detail.contains("`cert` and `key`"), "{fault}"),
        other => panic!("{other:?}"),
    }
    drop(stream);
    thread.join().unwrap();
}

#[test]
fn files_without_certificate_or_key_are_refused_by_name() {
    let key = KeyPair::generate().unwrap();
    let cert = localhost().self_signed(&key).unwrap();
    let refusal = |cert: &str, key: &str| {
        let read = ClientCertificate::from_pem(cert.as_bytes(), key.as_bytes());
        read.unwrap_err().detail
    };
    assert!(refusal(&key.serialize_pem(), &key.serialize_pem()).contains("`cert`"));
    assert!(refusal(&cert.pem(), &cert.pem()).contains("`key`"));
}
