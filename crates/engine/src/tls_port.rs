//! Recognises a target that speaks TLS although users send it plain HTTP.
//!
//! Some TLS servers respond with an alert, which `wire` recognises. Others close the connection without a word or send
//! an HTTP error. Therefore, if nothing succeeded, a TLS handshake after the level shows whether the target speaks TLS.

use model::{Fault, FaultKind, Nanos, Side, without_credentials};
use record::Measured;
use url::Url;
use wire::TlsSettings;

use crate::ask;
use crate::clock::Clock;
use crate::config::RunConfig;

/// Time limit of the handshake. A server that speaks TLS needs milliseconds; other servers may ignore the handshake.
const PATIENCE: Nanos = Nanos::from_secs(1);

/// Adds the cause to the failures, if nothing succeeded because the target speaks TLS.
pub(crate) fn explain(measured: &mut Measured, config: &RunConfig, clock: Clock) {
    if measured.only_failures().is_none() {
        return;
    }
    let failures = measured.failures.iter_mut();
    let may_be: Vec<_> = failures
        .filter(|failure| failure.side == Side::Target && is_possible(failure.kind))
        .collect();
    if may_be.is_empty() || !speaks_tls(config, clock) {
        return;
    }
    for failure in may_be {
        failure.first.detail.push_str(&advice(config));
    }
}

/// Like [`explain`], for the fault that ended `setup`.
pub(crate) fn explain_fault(fault: &mut Fault, config: &RunConfig, clock: Clock) {
    let may_be = fault.side == Side::Target && is_possible(fault.kind);
    if may_be && speaks_tls(config, clock) {
        fault.detail.push_str(&advice(config));
    }
}

/// Whether a TLS server may respond to plain HTTP with a failure of this kind.
fn is_possible(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::Closed | FaultKind::Reset | FaultKind::Status
    )
}

fn speaks_tls(config: &RunConfig, clock: Clock) -> bool {
    let Some(url) = with_tls(&config.target) else {
        return false;
    };
    let Ok(anybody) = TlsSettings::new(true, None) else {
        return false;
    };
    let allow_any = config.target_is_mine;
    ask::preflight_within(PATIENCE, &url, allow_any, &anybody, clock).is_ok()
}

/// The target with TLS on the same port. `None` if it uses TLS already.
fn with_tls(target: &Url) -> Option<Url> {
    if target.scheme() != "http" {
        return None;
    }
    let port = target.port_or_known_default();
    let mut url = target.clone();
    url.set_scheme("https").ok()?;
    url.set_port(port).ok()?;
    Some(url)
}

fn advice(config: &RunConfig) -> String {
    let written = config.target_as_written();
    let written = without_credentials(&written);
    let (scheme, rest) = written.split_once(':').unwrap_or(("http", &written));
    format!("; the target speaks TLS on this port: write {scheme}s:{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_port_is_asked_for_tls() {
        let check = |target: &str, expected: Option<&str>| {
            let url = with_tls(&Url::parse(target).unwrap());
            assert_eq!(url.as_ref().map(Url::as_str), expected);
        };
        check("http://a.test:8443/x", Some("https://a.test:8443/x"));
        check("http://a.test/", Some("https://a.test:80/"));
        check("https://a.test/", None);
    }
}
