//! Certificates of the user's own: a server's that nobody signed, and the client's. Plain HTTP where TLS is expected,
//! and the reverse.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{ConfigBuilder, RootCertStore, ServerConfig, WantsVerifier};

use crate::harness::{Lab, Raw, Server};
use crate::wire_errors::{SHORT, answering, get, get_fails, serve_tls};

/// The contents of a certificate as `openssl req -x509` makes it by default: it is a CA.
fn contents() -> CertificateParams {
    let mut contents = CertificateParams::new(["localhost".to_owned()]).unwrap();
    contents.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    contents
}

fn as_openssl_makes_it() -> (Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    (contents().self_signed(&key).unwrap(), key)
}

fn server() -> ConfigBuilder<ServerConfig, WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    builder.with_safe_default_protocol_versions().unwrap()
}

fn der(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(key.serialize_der().into())
}

fn start(config: ServerConfig) -> String {
    let config = Arc::new(config);
    let raw = Raw::start(move |stream| serve_tls(stream, Arc::clone(&config), SHORT));
    format!("https://localhost:{}", raw.port())
}

/// A scenario with these options, beside the certificate of the server.
fn lab(options: &str, cert: &Certificate) -> Lab {
    let text = format!(
        r#"export const options = {{ load: {{ users: 2, once: true }}, ca: "server.pem", {options} }};
export default async function go({{ users: [u], check }}) {{ check("ok", (await u.get("/x")).text === "ok"); }}
"#
    );
    let lab = Lab::new().with("go.ts", &text);
    lab.with("server.pem", &cert.pem())
}

#[test]
fn ca_accepts_the_default_certificate_of_openssl() {
    let (cert, config) = self_signed();
    let level = lab("", &cert).level("go.ts", &start(config), &[]);
    assert_eq!(level["checks"]["passed"], 2, "{level:#}");
}

fn self_signed() -> (Certificate, ServerConfig) {
    let (cert, key) = as_openssl_makes_it();
    let config = server()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], der(&key))
        .unwrap();
    (cert, config)
}

/// rustls responds with an alert.
#[test]
fn plain_http_to_a_tls_server_that_sends_an_alert_is_recognised() {
    let config = Arc::new(self_signed().1);
    let server = Raw::start(move |stream| serve_tls(stream, Arc::clone(&config), SHORT));
    let said = get_fails(&get("", "/x"), &server.url(), "protocol");
    assert_eq!(
        said,
        "not HTTP but TLS: write https:// or wss:// in the URL"
    );
}

/// Node's TLS servers close the connection without a word.
#[test]
fn plain_http_to_a_tls_server_that_only_closes_is_recognised() {
    let config = Arc::new(self_signed().1);
    let server = Raw::start(move |stream| {
        let mut first = [0];
        let is_tls = stream.peek(&mut first).is_ok() && first == [22];
        if is_tls {
            serve_tls(stream, Arc::clone(&config), SHORT);
        } else {
            let _ = (&stream).read(&mut [0; 4096]); // unread data would reset the connection
        }
    });
    let said = get_fails(&get("", "/x"), &server.url(), "closed");
    let advice = format!("write https://127.0.0.1:{}", server.port());
    assert!(said.contains(&advice), "{said}");
}

#[test]
fn a_plain_server_that_only_closes_is_not_said_to_speak_tls() {
    let server = answering(b"");
    let said = get_fails(&get("", "/x"), &server.url(), "closed");
    assert_eq!(said, "closed before the response");
}

/// The scenario's URL says https, unlike its target.
#[test]
fn tls_to_a_plain_server_in_a_scenario_is_recognised() {
    let bridge = Server::bridge(&[]);
    let lab = get("", &format!("https://127.0.0.1:{}/x", bridge.port()));
    let level = lab.level("go.ts", &bridge.url(), &[]);
    assert_eq!(level["requests"]["failed"], 2, "{level:#}");
    let failures = lab.failures();
    let says = |failure: &serde_json::Value| {
        let detail = failure["first"]["detail"].as_str();
        detail.is_some_and(|detail| detail.contains("write http://"))
    };
    assert!(failures.iter().any(says), "{failures:#?}");
}

const OWN: &str = r#"cert: "own.pem", key: "own.key""#;

#[test]
fn users_present_the_certificate_in_cert() {
    let (cert, key) = as_openssl_makes_it();
    let (own, own_key) = as_openssl_makes_it();
    let mut members = RootCertStore::empty();
    members.add(cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(members), provider);
    let config = server()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(vec![cert.der().clone()], der(&key))
        .unwrap();
    let target = start(config);

    let ca = contents();
    let issuer = Issuer::from_params(&ca, &key);
    let signed = CertificateParams::new(["user".to_owned()]).unwrap();
    let signed = signed.signed_by(&own_key, &issuer).unwrap();
    let with_certificate = lab(OWN, &cert)
        .with("own.pem", &signed.pem())
        .with("own.key", &own_key.serialize_pem());
    let level = with_certificate.level("go.ts", &target, &[]);
    assert_eq!(level["checks"]["passed"], 2, "{level:#}");

    let foreign = lab(OWN, &cert)
        .with("own.pem", &own.pem())
        .with("own.key", &own_key.serialize_pem());
    let level = foreign.level("go.ts", &target, &[]);
    assert_eq!(level["requests"]["failed"], 2, "{level:#}");
    let failures = foreign.failures();
    let told = failures[0]["first"]["detail"].to_string();
    assert!(told.contains("refuses the one in `cert`"), "{failures:#?}");

    let without = lab("", &cert);
    without.level("go.ts", &target, &[]);
    let failures = without.failures();
    let told = |failure: &serde_json::Value| failure["first"]["detail"].to_string();
    let told: Vec<String> = failures.iter().map(told).collect();
    assert!(
        told.iter()
            .any(|detail| detail.contains("`cert` and `key`")),
        "{told:#?}"
    );
}

#[test]
fn certificates_and_keys_outside_the_scenarios_folder_are_refused() {
    let (cert, key) = as_openssl_makes_it();
    let outside = tempfile::tempdir().unwrap();
    let write = |name: &str, contents: String| {
        let file = outside.path().join(name);
        fs::write(&file, contents).unwrap();
        file
    };
    let own_key = write("own.key", key.serialize_pem());
    let ca = write("ca.pem", cert.pem());
    let key_outside = format!(r#"cert: "server.pem", key: "{}""#, own_key.display());
    for (option, options) in [
        ("`ca`", format!(r#"ca: "{}""#, ca.display())),
        ("`key`", key_outside),
    ] {
        let ended = lab(&options, &cert).run("go.ts", "https://localhost:9", &[]);
        ended.refused(2, &[option, "--root"]);
    }
    let linked = lab(r#"ca: "link.pem""#, &cert);
    symlink(&ca, linked.path("link.pem")).unwrap();
    let ended = linked.run("go.ts", "https://localhost:9", &[]);
    ended.refused(2, &["`ca`", "link.pem", "--root"]);
    // With the folder permitted, the run gets as far as the target, which is not there.
    let permitted = linked.run("go.ts", "https://localhost:9", &["--root", "/"]);
    permitted.refused(4, &["localhost:9"]);
}

#[test]
fn a_key_that_does_not_belong_to_the_client_certificate_is_refused_before_the_run() {
    let (cert, _) = as_openssl_makes_it();
    let lab = lab(OWN, &cert)
        .with("own.pem", &cert.pem())
        .with("own.key", &KeyPair::generate().unwrap().serialize_pem());
    let ended = lab.run("go.ts", "https://localhost:9", &[]);
    ended.refused(
        2,
        &["the private key in `key` does not belong to the certificate in `cert`"],
    );
}

/// `openssl req -x509 -subj /CN=localhost` makes such a certificate.
#[test]
fn a_certificate_that_names_its_host_only_in_its_common_name_is_explained() {
    let key = KeyPair::generate().unwrap();
    let mut contents = CertificateParams::default();
    contents
        .distinguished_name
        .push(DnType::CommonName, "localhost");
    let cert = contents.self_signed(&key).unwrap();
    let config = server()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], der(&key))
        .unwrap();
    let ended = lab("", &cert).run("go.ts", &start(config), &[]);
    ended.refused(4, &["no subjectAltName", "subjectAltName=DNS:localhost"]);
}
