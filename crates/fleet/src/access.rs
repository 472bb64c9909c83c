//! The way to a NATS server, and what proves to the server who we are.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use async_nats::ConnectOptions;
use model::without_credentials;
use url::Url;
use wire::nats::Credentials;
use wire::{ClientCertificate, TlsSettings};

use crate::error::FleetError;

/// The environment variables from which the command line takes the access to a NATS server.
pub const ACCESS_VARIABLES: [&str; 5] = [
    "HEADCOUNT_NATS_TOKEN",
    "HEADCOUNT_NATS_CREDS",
    "HEADCOUNT_NATS_CERT",
    "HEADCOUNT_NATS_KEY",
    "HEADCOUNT_NATS_CA",
];

/// The NATS server of a fleet, with the credentials for it.
#[derive(Clone, Default)]
pub struct NatsAccess {
    /// URL of the server. It may contain a user and a password, or a token as the user.
    pub url: String,
    /// Token, if the URL has no credentials.
    pub token: Option<String>,
    /// Credentials file of a user (`.creds`): a JWT and a seed. It takes precedence over a token and a password.
    pub creds: Option<PathBuf>,
    /// PEM files of the client's certificate and its key.
    pub certificate: Option<CertificateFiles>,
    /// PEM file of the authorities that the server's certificate must come from; `None`: those of the machine.
    pub ca: Option<PathBuf>,
}

/// The files of a certificate.
#[derive(Clone, Debug)]
pub struct CertificateFiles {
    /// The certificate, followed by those of its issuers.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl fmt::Debug for NatsAccess {
    /// Shows no secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsAccess")
            .field("url", &self.shown())
            .finish_non_exhaustive()
    }
}

impl NatsAccess {
    /// Access to a server that requires no credentials.
    pub fn to(url: String) -> Self {
        Self {
            url,
            ..Self::default()
        }
    }

    /// The URL without credentials.
    pub(crate) fn shown(&self) -> String {
        without_credentials(&self.url).into_owned()
    }

    /// Whether something proves to the server who we are, apart from a certificate.
    pub(crate) fn has_credentials(&self, url: &Url) -> bool {
        self.creds.is_some() || self.token.is_some() || !url.username().is_empty()
    }

    /// Adds credentials and certificates. All files are checked here, because the client reads those of TLS only when it
    /// connects, and reports a certificate without its key as a failed connection.
    pub(crate) fn apply(
        &self,
        url: &Url,
        options: ConnectOptions,
    ) -> Result<ConnectOptions, FleetError> {
        let options = self.with_credentials(url, options)?;
        self.check_certificates()?;
        let mut options = match &self.certificate {
            None => options,
            // The client reads them again for each connection, so they can be renewed while it works.
            Some(files) => options.add_client_certificate(files.cert.clone(), files.key.clone()),
        };
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone());
        }
        // Without this, somebody between us and the server could pretend that it does not speak TLS.
        Ok(options.require_tls(self.certificate.is_some() || self.ca.is_some()))
    }

    fn with_credentials(
        &self,
        url: &Url,
        options: ConnectOptions,
    ) -> Result<ConnectOptions, FleetError> {
        if let Some(file) = &self.creds {
            let unusable = |why: String| unusable("--nats-creds", file, why);
            let text = fs::read_to_string(file).map_err(|why| unusable(why.to_string()))?;
            Credentials::from_file(&text).map_err(|fault| unusable(fault.detail))?;
            let options = options.credentials(&text);
            return options.map_err(|why| unusable(why.to_string()));
        }
        Ok(match (url.username(), url.password()) {
            ("", _) => match &self.token {
                Some(token) => options.token(token.clone()),
                None => options,
            },
            (token, None) => options.token(token.to_owned()),
            (user, Some(password)) => {
                options.user_and_password(user.to_owned(), password.to_owned())
            }
        })
    }

    fn check_certificates(&self) -> Result<(), FleetError> {
        if let Some(files) = &self.certificate {
            let cert = read("--nats-cert", &files.cert)?;
            let key = read("--nats-key", &files.key)?;
            let own = ClientCertificate::from_pem(&cert, &key);
            let own = own.and_then(|own| TlsSettings::presenting(Some(own), false, None));
            own.map_err(|fault| unusable("--nats-cert", &files.cert, fault.detail))?;
        }
        if let Some(ca) = &self.ca {
            let settings = TlsSettings::new(false, Some(&read("--nats-ca", ca)?));
            settings.map_err(|fault| unusable("--nats-ca", ca, fault.detail))?;
        }
        Ok(())
    }
}

fn read(option: &'static str, file: &Path) -> Result<Vec<u8>, FleetError> {
    fs::read(file).map_err(|why| unusable(option, file, why.to_string()))
}

fn unusable(option: &'static str, file: &Path, why: String) -> FleetError {
    FleetError::File {
        option,
        file: file.to_owned(),
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_credentials_of_a_server_are_never_shown() {
        let access = NatsAccess {
            url: "nats://ada:secret@host:4222".to_owned(),
            token: Some("secret".to_owned()),
            ..NatsAccess::default()
        };
        let shown = format!("{access:?}");
        assert!(
            shown.contains("host:4222") && !shown.contains("secret"),
            "{shown}"
        );
    }

    #[test]
    fn a_certificate_or_ca_that_cannot_be_used_names_its_option_and_file() {
        let missing = PathBuf::from("/missing.pem");
        let certificate = CertificateFiles {
            cert: missing.clone(),
            key: missing.clone(),
        };
        let url = Url::parse("tls://host").unwrap();
        for (option, access) in [
            (
                "--nats-creds",
                NatsAccess {
                    creds: Some(missing.clone()),
                    ..NatsAccess::default()
                },
            ),
            (
                "--nats-cert",
                NatsAccess {
                    certificate: Some(certificate),
                    ..NatsAccess::default()
                },
            ),
            (
                "--nats-ca",
                NatsAccess {
                    ca: Some(missing),
                    ..NatsAccess::default()
                },
            ),
        ] {
            let refused = access.apply(&url, ConnectOptions::new()).err().unwrap();
            let text = refused.to_string();
            assert!(
                text.contains(option) && text.contains("/missing.pem"),
                "{text}"
            );
        }
    }
}
