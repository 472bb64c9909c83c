use model::{Fault, FaultKind};

/// An error that the server reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerError<'a> {
    /// The server's text, such as `Authorization Violation`.
    pub text: &'a str,
}

impl<'a> ServerError<'a> {
    /// Whether the connection continues after the error. The server closes it after all others.
    pub fn leaves_connection(&self) -> bool {
        let survivors = [
            "permissions violation",
            "invalid subject",
            "invalid publish subject",
            "maximum subscriptions",
        ];
        survivors.iter().any(|words| self.begins(words))
    }

    /// The error as a fault: of the generator if headcount read too slowly, else of the target.
    pub fn fault(&self) -> Fault {
        if self.begins("slow consumer") {
            return Fault::generator(
                FaultKind::Resources,
                format!(
                    "NATS error '{}': headcount did not read fast enough; use more workers or less load",
                    self.text
                ),
            );
        }
        let denials = [
            "permissions violation",
            "authorization violation",
            "authentication",
            "authorization timeout",
            "user authentication",
            "account authentication",
            "maximum subscriptions",
            "maximum connections",
            "maximum account",
        ];
        let kind = if denials.iter().any(|words| self.begins(words)) {
            FaultKind::Denied
        } else if self.leaves_connection() {
            FaultKind::Protocol
        } else {
            FaultKind::Closed
        };
        Fault::target(kind, format!("NATS error '{}'", self.text))
    }

    /// The subject of the subscription that the server refused, if this is the reason.
    pub fn subject_of_subscription(&self) -> Option<&'a str> {
        let words = "permissions violation for subscription to \"";
        let rest = self.begins(words).then(|| &self.text[words.len()..])?;
        rest.split_once('"').map(|(subject, _)| subject)
    }

    fn begins(&self, words: &str) -> bool {
        let start = self.text.get(..words.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_of_the_documentation() {
        let table = [
            ("Unknown Protocol Operation", false, FaultKind::Closed),
            ("Stale Connection", false, FaultKind::Closed),
            ("Slow Consumer", false, FaultKind::Resources),
            ("Maximum Payload Violation", false, FaultKind::Closed),
            ("Maximum Connections Exceeded", false, FaultKind::Denied),
            ("Authorization Violation", false, FaultKind::Denied),
            ("authorization violation", false, FaultKind::Denied),
            ("User Authentication Expired", false, FaultKind::Denied),
            ("Invalid Subject", true, FaultKind::Protocol),
            (
                "Permissions Violation for Publish to \"a\"",
                true,
                FaultKind::Denied,
            ),
            (
                "Permissions Violation for Subscription to \"a\"",
                true,
                FaultKind::Denied,
            ),
        ];
        for (text, leaves, kind) in table {
            let error = ServerError { text };
            assert_eq!(
                (error.leaves_connection(), error.fault().kind),
                (leaves, kind),
                "{text}"
            );
            assert!(error.fault().detail.contains(text));
        }
    }

    #[test]
    fn a_refused_subscription_is_named() {
        let subject = |text| ServerError { text }.subject_of_subscription();
        assert_eq!(
            subject("Permissions Violation for Subscription to \"a.*\""),
            Some("a.*")
        );
        assert_eq!(
            subject("Permissions Violation for Subscription to \"a\" using queue \"q\""),
            Some("a")
        );
        assert_eq!(subject("Permissions Violation for Publish to \"a\""), None);
        assert_eq!(subject("Stale Connection"), None);
    }
}
