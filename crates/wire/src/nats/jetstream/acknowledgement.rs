use crate::decimal;

/// The response to a message of a consumer, which is published to the message's reply subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// The message was processed.
    Ack,
    /// The message was not processed and is to be delivered again.
    Nak {
        /// The time until then, in nanoseconds; 0 for at once.
        delay_ns: u64,
    },
    /// The message is being processed, so the server must wait longer.
    InProgress,
    /// The message is never to be delivered again.
    Term,
}

impl Acknowledgement {
    /// Appends the payload.
    pub fn encode(self, out: &mut Vec<u8>) {
        match self {
            Self::Ack => out.extend_from_slice(b"+ACK"),
            Self::Nak { delay_ns: 0 } => out.extend_from_slice(b"-NAK"),
            Self::Nak { delay_ns } => {
                out.extend_from_slice(b"-NAK {\"delay\":");
                decimal::push(out, delay_ns);
                out.push(b'}');
            }
            Self::InProgress => out.extend_from_slice(b"+WPI"),
            Self::Term => out.extend_from_slice(b"+TERM"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payloads_of_the_documentation() {
        let table = [
            (Acknowledgement::Ack, "+ACK"),
            (Acknowledgement::Nak { delay_ns: 0 }, "-NAK"),
            (
                Acknowledgement::Nak {
                    delay_ns: 5_000_000_000,
                },
                r#"-NAK {"delay":5000000000}"#,
            ),
            (Acknowledgement::InProgress, "+WPI"),
            (Acknowledgement::Term, "+TERM"),
        ];
        for (acknowledgement, expected) in table {
            let mut out = Vec::new();
            acknowledgement.encode(&mut out);
            assert_eq!(out, expected.as_bytes());
        }
    }
}
