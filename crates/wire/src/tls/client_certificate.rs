use model::{Fault, FaultKind};
use rustls::pki_types::pem::{Error, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The certificate and the private key with which a client proves who it is (mutual TLS).
#[derive(Debug)]
pub struct ClientCertificate {
    pub(super) chain: Vec<CertificateDer<'static>>,
    pub(super) key: PrivateKeyDer<'static>,
}

impl ClientCertificate {
    /// Reads certificate and key from PEM. `chain_pem` has the client's certificate, followed by those of its issuers.
    /// Unusable text is a fault of the script. [`TlsSettings::presenting`](crate::TlsSettings::presenting) checks that
    /// the certificate and the key belong together.
    pub fn from_pem(chain_pem: &[u8], key_pem: &[u8]) -> Result<Self, Fault> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain_pem).collect();
        let chain = chain.map_err(|error| unusable(&format!("`cert`: {error}")))?;
        if chain.is_empty() {
            return Err(unusable("the file in `cert` contains no certificate"));
        }
        let key = PrivateKeyDer::from_pem_slice(key_pem).map_err(|error| match error {
            Error::NoItemsFound => unusable(
                "the file in `key` contains no unencrypted private key (`openssl pkey` decrypts keys)",
            ),
            other => unusable(&format!("`key`: {other}")),
        })?;
        Ok(Self { chain, key })
    }
}

impl Clone for ClientCertificate {
    fn clone(&self) -> Self {
        Self {
            chain: self.chain.clone(),
            key: self.key.clone_key(),
        }
    }
}

pub(super) fn unusable(why: &str) -> Fault {
    Fault::script(
        FaultKind::Tls,
        format!("the client certificate cannot be used: {why}"),
    )
}
