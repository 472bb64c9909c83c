//! Why a NATS server cannot be used, with the option that may help.

use std::error::Error;
use std::io;

use async_nats::rustls::{AlertDescription, CertificateError, Error as TlsError};
use async_nats::{ConnectError, ConnectErrorKind};
use url::Url;

use crate::access::NatsAccess;

/// The cause of a failed connection.
pub(crate) fn cause(error: &ConnectError, access: &NatsAccess, url: &Url) -> String {
    if error.kind() == ConnectErrorKind::AuthorizationViolation {
        return if access.has_credentials(url) {
            "the server refuses the credentials".to_owned()
        } else {
            "the server requires credentials: give --nats-creds, --nats-token, or USER:PASSWORD@ in the URL"
                .to_owned()
        };
    }
    let advice = match tls_error(error) {
        Some(TlsError::AlertReceived(alert)) => of_alert(*alert, access),
        Some(TlsError::InvalidCertificate(why)) => of_certificate(why),
        _ => None,
    };
    advice.map_or_else(|| error.to_string(), |advice| format!("{advice} ({error})"))
}

/// What is wrong with the server's certificate.
fn of_certificate(why: &CertificateError) -> Option<&'static str> {
    match why {
        CertificateError::UnknownIssuer => Some(
            "the server's certificate is signed by an unknown authority: give the authority with --nats-ca",
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Some("the server's certificate is for another name than that in the URL")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            Some("the server's certificate has expired")
        }
        _ => None,
    }
}

/// What a server that ends the handshake wants.
fn of_alert(alert: AlertDescription, access: &NatsAccess) -> Option<&'static str> {
    let is_about_us = matches!(
        alert,
        AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::AccessDenied
    );
    is_about_us.then_some(if access.certificate.is_some() {
        "the server refuses the certificate of --nats-cert"
    } else {
        "the server requires a client certificate: give --nats-cert and --nats-key"
    })
}

/// The error of TLS within a failed connection.
fn tls_error(error: &ConnectError) -> Option<&TlsError> {
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(tls) = cause.downcast_ref::<TlsError>() {
            return Some(tls);
        }
        // The source of an I/O error is the source of the error that it wraps, so the latter would be skipped.
        let wrapped = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        if let Some(tls) = wrapped.and_then(|wrapped| wrapped.downcast_ref::<TlsError>()) {
            return Some(tls);
        }
        next = cause.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause_of(error: &ConnectError, access: &NatsAccess) -> String {
        cause(error, access, &Url::parse("tls://host").unwrap())
    }

    fn tls(error: TlsError) -> ConnectError {
        ConnectError::with_source(ConnectErrorKind::Io, io::Error::other(error))
    }

    #[test]
    fn a_refused_connection_names_the_option_that_may_help() {
        let nothing = NatsAccess::default();
        let token = NatsAccess {
            token: Some("s3cret".to_owned()),
            ..NatsAccess::default()
        };
        let violation = || ConnectError::new(ConnectErrorKind::AuthorizationViolation);
        assert!(cause_of(&violation(), &nothing).contains("--nats-creds"));
        let refused = cause_of(&violation(), &token);
        assert_eq!(refused, "the server refuses the credentials");
        let alert = || {
            tls(TlsError::AlertReceived(
                AlertDescription::CertificateRequired,
            ))
        };
        assert!(cause_of(&alert(), &nothing).contains("--nats-cert"));
        let unknown = async_nats::rustls::CertificateError::UnknownIssuer;
        assert!(cause_of(&tls(unknown.into()), &nothing).contains("--nats-ca"));
        let reset = ConnectError::with_source(ConnectErrorKind::Io, "connection reset");
        assert!(cause_of(&reset, &nothing).contains("connection reset"));
    }
}
