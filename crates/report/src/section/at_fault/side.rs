//! The side at fault, with the reason.

use record::Run;

use crate::words::Culprit;

/// Who is at fault, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtFault {
    pub(crate) culprit: Culprit,
    /// Name of the cause, if a finding explains the fault: `saturated thread`.
    pub(crate) cause: Option<&'static str>,
    /// One or more sentences with their full stops.
    pub(crate) reason: String,
}

impl AtFault {
    pub(super) fn new(culprit: Culprit, reason: impl Into<String>) -> Self {
        Self {
            culprit,
            cause: None,
            reason: reason.into(),
        }
    }

    /// Adds a sentence.
    pub(super) fn and(mut self, sentence: &str) -> Self {
        if !self.reason.is_empty() && !sentence.is_empty() {
            self.reason.push(' ');
        }
        self.reason.push_str(sentence);
        self
    }
}

/// The target, and the network to it unless the target is on this machine.
pub(super) fn nearest(run: &Run) -> Culprit {
    if is_loopback(&run.target) {
        Culprit::Target
    } else {
        Culprit::TargetOrNetwork
    }
}

/// Whether the address is one of the generator's own machine.
fn is_loopback(target: &str) -> bool {
    let (_, rest) = target.split_once("://").unwrap_or(("", target));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((v6, _)) => v6,
        None => host.split(':').next().unwrap_or_default(),
    };
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn addresses_of_this_machine_have_no_network_before_them() {
        for own in [
            "http://127.0.0.1:5000",
            "https://user@localhost/path",
            "ws://[::1]:4000/x",
            "nats://127.8.9.1",
            "localhost:80",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "http://10.0.0.7:80",
            "https://example.test/127.0.0.1",
            "http://localhost.example.test",
            "",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
