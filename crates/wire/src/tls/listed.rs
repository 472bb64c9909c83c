use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};

/// Verifies as `chains` does, but also accepts a server certificate that is exactly one of those that the user listed.
///
/// `openssl req -x509` makes a CA certificate (`CA:TRUE`), which people use for the server itself. OpenSSL, curl, Node
/// and Python accept this, but webpki refuses a CA certificate as a server certificate. The user names the exact bytes
/// to trust, so nobody else can use this exception. The name and the dates are checked as for any certificate.
#[derive(Debug)]
pub(super) struct TrustListed {
    chains: Arc<WebPkiServerVerifier>,
    listed: Vec<CertificateDer<'static>>,
}

impl TrustListed {
    pub(super) fn new(
        chains: Arc<WebPkiServerVerifier>,
        listed: Vec<CertificateDer<'static>>,
    ) -> Self {
        Self { chains, listed }
    }
}

/// Whether the only objection is that the certificate's issuer is unknown, or that the certificate is a CA. webpki
/// checks the dates first, so an expired certificate fails with another error.
fn is_about_trust(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => true,
        Error::InvalidCertificate(reason) => is_ca_as_server(reason),
        _ => false,
    }
}

/// Whether a certificate is refused because it is a CA's.
pub(super) fn is_ca_as_server(reason: &CertificateError) -> bool {
    matches!(
        only_in_webpki(reason),
        Some(webpki::Error::CaUsedAsEndEntity)
    )
}

/// Whether a certificate cannot be read because it is of X.509 version 1.
pub(super) fn is_version_1(reason: &CertificateError) -> bool {
    matches!(
        only_in_webpki(reason),
        Some(webpki::Error::UnsupportedCertVersion)
    )
}

/// The reason of webpki, if rustls has no variant for it.
pub(super) fn only_in_webpki(reason: &CertificateError) -> Option<&webpki::Error> {
    match reason {
        CertificateError::Other(OtherError(cause)) => cause.downcast_ref(),
        _ => None,
    }
}

impl ServerCertVerifier for TrustListed {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify = |intermediates: &[CertificateDer<'_>]| {
            let chains = &self.chains;
            chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        };
        if !self.listed.contains(end_entity) {
            return verify(intermediates);
        }
        // A listed certificate needs no chain. Without a chain, every error is about the certificate itself.
        match verify(&[]) {
            Err(error) if is_about_trust(&error) => {
                let certificate = ParsedCertificate::try_from(end_entity)?;
                rustls::client::verify_server_name(&certificate, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}
