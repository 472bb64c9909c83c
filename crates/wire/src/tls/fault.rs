//! Says what is wrong when a TLS session or a certificate is refused, and what to do.

use std::time::Duration;

use model::{Fault, FaultKind};
use rustls::pki_types::{ServerName, UnixTime};
use rustls::{AlertDescription, CertificateError, Error, InconsistentKeys, InvalidMessage};

use super::listed;

pub(super) fn tls_fault(detail: &str) -> Fault {
    Fault::target(FaultKind::Tls, detail)
}

pub(super) fn from_rustls(error: &Error) -> Fault {
    let detail = match error {
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => "the peer does not speak TLS: write http:// or ws:// in the URL".to_owned(),
        Error::InvalidCertificate(reason) => refused(reason),
        Error::AlertReceived(alert) => alerted(*alert),
        other => format!("TLS failed: {other}"),
    };
    tls_fault(&detail)
}

/// Why the client certificate of the options cannot be used.
pub(super) fn own_certificate(error: &Error) -> String {
    match error {
        Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            "the private key in `key` does not belong to the certificate in `cert`; `openssl x509 -noout -pubkey -in \
             CERT` and `openssl pkey -pubout -in KEY` must print the same"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// Why the peer's certificate is refused.
fn refused(reason: &CertificateError) -> String {
    match reason {
        CertificateError::UnknownIssuer => {
            "the certificate's issuer is not trusted: add its CA, or accept any certificate"
                .to_owned()
        }
        reason if listed::is_ca_as_server(reason) => {
            "the certificate is a CA certificate that you do not trust: add exactly this certificate, or accept any \
             certificate"
                .to_owned()
        }
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => for_another_name(expected, presented),
        CertificateError::ExpiredContext { time, not_after } => format!(
            "the certificate expired {} ago: renew it, or accept any certificate",
            between(*not_after, *time)
        ),
        CertificateError::NotValidYetContext { time, not_before } => format!(
            "the certificate becomes valid in {}: check the clocks of both machines",
            between(*time, *not_before)
        ),
        other => match listed::only_in_webpki(other) {
            Some(webpki::Error::UnsupportedCertVersion) => {
                "the certificate has no extensions (X.509 version 1), which is not supported, even if any certificate is \
                 accepted: make one with a subjectAltName (`openssl req -x509 -addext subjectAltName=DNS:HOST`)"
                    .to_owned()
            }
            Some(reason) => format!("the certificate is not accepted: {reason}"),
            None => format!("the certificate is not accepted: {other}"),
        },
    }
}

/// `presented` has the names of the certificate as webpki writes them: `DnsName("a.test")`, `IpAddress(127.0.0.1)`.
fn for_another_name(expected: &ServerName<'_>, presented: &[String]) -> String {
    let host = expected.to_str();
    let plain = |name: &String| {
        let inner = name
            .split_once('(')
            .and_then(|(_, it)| it.strip_suffix(')'));
        inner.unwrap_or(name).trim_matches('"').to_owned()
    };
    let names: Vec<String> = presented.iter().map(plain).collect();
    if names.is_empty() {
        let kind = match expected {
            ServerName::IpAddress(_) => "IP",
            _ => "DNS",
        };
        return format!(
            "the certificate names no host: it has no subjectAltName, and its common name (CN) does not count. Make one \
             with subjectAltName={kind}:{host} (`openssl req -addext`), or accept any certificate"
        );
    }
    let names = names.join(", ");
    format!(
        "the certificate is for another name: it is valid for {names}, but not for {host}. Write a valid name in the URL, \
         or accept any certificate"
    )
}

fn between(earlier: UnixTime, later: UnixTime) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let passed = Duration::from_secs(later.as_secs().saturating_sub(earlier.as_secs()));
    match passed.as_secs() / DAY {
        0 => format!("{} s", passed.as_secs()),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}

/// What an alert of the peer means. Alerts about a certificate concern the client's own one.
fn alerted(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::CertificateRequired => {
            "the peer requires a client certificate: set `cert` and `key` in the options".to_owned()
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA => format!(
            "the peer requires a client certificate, or refuses the one in `cert` (TLS alert {alert:?})"
        ),
        AlertDescription::ProtocolVersion => {
            "the peer speaks neither TLS 1.2 nor TLS 1.3".to_owned()
        }
        other => format!("the peer sent TLS alert {other:?}"),
    }
}
