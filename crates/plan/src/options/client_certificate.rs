//! The certificate that the users present to the target.

use super::section::Section;
use super::values::path;
use crate::problem::{Flaw, Problems};

/// The files of a client certificate. Paths are relative to the scenario's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificateFiles {
    /// PEM file with the certificate, followed by the certificates of its issuers.
    pub cert: String,
    /// PEM file with the unencrypted private key.
    pub key: String,
}

/// Reads `cert` and `key`, which must be set together.
pub(super) fn read(root: &Section<'_>, problems: &mut Problems) -> Option<ClientCertificateFiles> {
    let fields = ["cert", "key"].map(|name| root.field(name));
    let given = fields.iter().any(|field| field.value.is_some());
    for field in fields.iter().filter(|field| field.value.is_none()) {
        if given {
            field.refuse(
                problems,
                Flaw::new("is missing: a client certificate needs `cert` and `key`"),
            );
        }
    }
    let [cert, key] = fields.map(|field| field.read_some(problems, path));
    Some(ClientCertificateFiles {
        cert: cert?,
        key: key?,
    })
}
