use std::fmt;
use std::sync::{Arc, OnceLock};

use model::{Fault, FaultKind};
use rustls::client::{Resumption, WantsClientCert, WebPkiServerVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, ConfigBuilder, Error, InconsistentKeys, RootCertStore, WantsVerifier};

use super::client_certificate::{ClientCertificate, unusable as unusable_own};
use super::fault::own_certificate;
use super::insecure::TrustAnybody;
use super::listed::{TrustListed, is_version_1};

/// The TLS configuration of a run: trusted certificates and offered protocols. Cheap to clone.
///
/// The certificate store is read once per run, on first use. Reading it takes milliseconds, which a run without TLS
/// saves.
#[derive(Clone)]
pub struct TlsSettings {
    trust: Arc<Trust>,
    http2: bool,
}

struct Trust {
    insecure: bool,
    extra_ca_pem: Option<Vec<u8>>,
    own: Option<ClientCertificate>,
    config: OnceLock<Result<Arc<ClientConfig>, Fault>>,
    config_with_http2: OnceLock<Result<Arc<ClientConfig>, Fault>>,
}

impl TlsSettings {
    /// Trusts the machine's store and the certificates in `extra_ca_pem`, as CAs and as a server's own certificate.
    /// With `insecure`, trusts every certificate.
    ///
    /// Sessions are not resumed: each connection makes a full handshake, like a new visitor. Unusable certificates in
    /// `extra_ca_pem` are a fault here. Other faults appear on first use.
    pub fn new(insecure: bool, extra_ca_pem: Option<&[u8]>) -> Result<Self, Fault> {
        Self::presenting(None, insecure, extra_ca_pem)
    }

    /// Like [`TlsSettings::new`], but also presents the certificate `own` to each peer that requests a certificate. A
    /// certificate that does not belong to its key is a fault here.
    pub fn presenting(
        own: Option<ClientCertificate>,
        insecure: bool,
        extra_ca_pem: Option<&[u8]>,
    ) -> Result<Self, Fault> {
        let check_now = extra_ca_pem.is_some() || own.is_some();
        let settings = Self {
            trust: Arc::new(Trust {
                insecure,
                extra_ca_pem: extra_ca_pem.map(<[u8]>::to_vec),
                own,
                config: OnceLock::new(),
                config_with_http2: OnceLock::new(),
            }),
            http2: false,
        };
        if check_now {
            settings.config()?; // reports bad certificates now, not at the first connection
        }
        Ok(settings)
    }

    /// The same settings, but offering HTTP/2 before HTTP/1.1.
    /// [`Stream::agreed_protocol`](crate::Stream::agreed_protocol) returns the peer's choice.
    #[must_use]
    pub fn offering_http2(&self) -> Self {
        Self {
            trust: Arc::clone(&self.trust),
            http2: true,
        }
    }

    pub(super) fn config(&self) -> Result<Arc<ClientConfig>, Fault> {
        let trust = &self.trust;
        let config = trust.config.get_or_init(|| trust.build().map(Arc::new));
        if !self.http2 {
            return config.clone();
        }
        let with_http2 = trust.config_with_http2.get_or_init(|| {
            let mut config = ClientConfig::clone(&*config.clone()?);
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            Ok(Arc::new(config))
        });
        with_http2.clone()
    }
}

impl Trust {
    fn build(&self) -> Result<ClientConfig, Fault> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key_provider = Arc::clone(&provider);
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&error.to_string()))?;
        let builder = if self.insecure {
            builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(TrustAnybody::new(provider)))
        } else {
            self.trusting(builder, provider)?
        };
        let mut config = match self.own.clone() {
            None => builder.with_no_client_auth(),
            Some(own) => {
                let presented = presented(own, &key_provider)
                    .map_err(|error| unusable_own(&own_certificate(&error)))?;
                builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(presented)))
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = Resumption::disabled();
        Ok(config)
    }

    fn trusting(
        &self,
        builder: ConfigBuilder<ClientConfig, WantsVerifier>,
        provider: Arc<CryptoProvider>,
    ) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, Fault> {
        let Some(pem) = &self.extra_ca_pem else {
            return Ok(builder.with_root_certificates(trusted(&[])?));
        };
        let listed = listed(pem)?;
        let roots = Arc::new(trusted(&listed)?);
        let chains = WebPkiServerVerifier::builder_with_provider(roots, provider)
            .build()
            .map_err(|error| unusable(&error.to_string()))?;
        Ok(builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TrustListed::new(chains, listed))))
    }
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSettings").finish_non_exhaustive()
    }
}

/// Checks that certificate and key belong together. That cannot be checked for a certificate of X.509 version 1, which
/// `openssl x509 -req` makes by default. The server decides whether it accepts such a certificate.
fn presented(own: ClientCertificate, provider: &CryptoProvider) -> Result<CertifiedKey, Error> {
    let key = provider.key_provider.load_private_key(own.key)?;
    let presented = CertifiedKey::new(own.chain, key);
    match presented.keys_match() {
        Err(Error::InvalidCertificate(reason)) if is_version_1(&reason) => Ok(presented),
        Ok(()) | Err(Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(presented),
        Err(error) => Err(error),
    }
}

fn trusted(extra: &[CertificateDer<'static>]) -> Result<RootCertStore, Fault> {
    let mut roots = RootCertStore::empty();
    // Errors are ignored: on a machine without a store, or with broken entries, a test with its own CA still works.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in extra {
        roots
            .add(certificate.clone())
            .map_err(|error| unusable(&error.to_string()))?;
    }
    Ok(roots)
}

/// The certificates of a PEM file, at least one.
fn listed(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|error| unusable(&error.to_string()))?;
    if certificates.is_empty() {
        return Err(unusable("they contain no certificate"));
    }
    Ok(certificates)
}

fn unusable(why: &str) -> Fault {
    Fault::script(
        FaultKind::Tls,
        format!("the extra CA certificates cannot be used: {why}"),
    )
}
