use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use model::Fault;
use plan::Options;
use wire::{ClientCertificate, TlsSettings};

use crate::prepare::PrepareError;

/// Maximum size of a file of certificates in bytes. A bundle of all public authorities has about 250 kB.
const LARGEST: u64 = 4 << 20;

/// The certificates that the options name, as read from their files.
#[derive(Debug, Default)]
pub struct Certificates {
    /// PEM certificates to trust, from `ca`.
    ca_pem: Option<Vec<u8>>,
    /// The certificate that the users present, from `cert` and `key`.
    own: Option<ClientCertificate>,
}

impl Certificates {
    /// Reads the files. Paths are relative to `base`. The files must be in the folder `root`, so that a scenario from
    /// someone else cannot use the keys of the person who runs it.
    pub(crate) fn read(options: &Options, base: &Path, root: &Path) -> Result<Self, PrepareError> {
        let within = |option: &str, path: &str| {
            let file = script::file_within(base, root, path);
            let file = file.map_err(|why| PrepareError::Unusable(format!("`{option}`: {why}")))?;
            contents(option, &file)
        };
        let ca_pem = options.ca.as_deref().map(|path| within("ca", path));
        let own = options.client_certificate.as_ref().map(|files| {
            let (cert, key) = (within("cert", &files.cert)?, within("key", &files.key)?);
            ClientCertificate::from_pem(&cert, &key)
                .map_err(|fault| PrepareError::Unusable(fault.detail))
        });
        Ok(Self {
            ca_pem: ca_pem.transpose()?,
            own: own.transpose()?,
        })
    }

    /// Certificates that came from the coordinator of a fleet.
    pub(crate) fn shipped(ca_pem: Option<String>) -> Self {
        Self {
            ca_pem: ca_pem.map(String::into_bytes),
            own: None,
        }
    }

    /// The certificates to trust, if an agent of a fleet can use them too. A private key stays on this machine.
    pub(crate) fn to_ship(&self) -> Result<Option<String>, String> {
        if self.own.is_some() {
            return Err(
                "`cert` and `key` cannot be used with a fleet: a private key is not sent to agents"
                    .to_owned(),
            );
        }
        let pem = self.ca_pem.clone().map(String::from_utf8).transpose();
        pem.map_err(|_| "`ca` is not text".to_owned())
    }

    /// The TLS settings of the run. Returns a fault if a certificate cannot be used.
    pub(crate) fn settings(&self, insecure: bool) -> Result<TlsSettings, Fault> {
        TlsSettings::presenting(self.own.clone(), insecure, self.ca_pem.as_deref())
    }
}

/// Reads at most `LARGEST` bytes, because a path such as `/dev/zero` has no end.
fn contents(option: &str, path: &Path) -> Result<Vec<u8>, PrepareError> {
    let unusable = |why: String| {
        let file = path.display();
        PrepareError::Unusable(format!("cannot read `{option}` {file}: {why}"))
    };
    let mut contents = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut contents));
    read.map_err(|why| unusable(why.to_string()))?;
    if contents.len() as u64 > LARGEST {
        return Err(unusable(format!("larger than {LARGEST} bytes")));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_certificate_file_is_refused() {
        let refused = contents("ca", Path::new("/dev/zero")).unwrap_err();
        assert!(refused.to_string().contains("larger than"), "{refused}");
    }
}
