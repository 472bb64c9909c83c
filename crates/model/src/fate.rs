use serde::{Deserialize, Serialize};

/// The reason why a delivery never happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossReason {
    /// No cause is known: the message was sent, and the receiver listened for the whole settling time.
    NeverSeen,
    /// The receiver's connection broke, or the target closed it, within the settling time of the message.
    ReceiverDisconnected,
    /// The receiver's script stopped listening or closed its connection within the settling time of the message.
    ReceiverLeft,
    /// The send failed, or the target refused the message.
    SendFailed,
    /// The message reached the receiver, but its stamp was not where the channel looks.
    Misplaced,
    /// The sender's own copy, which the channel's audience includes, never arrived.
    OwnCopy,
    /// A reason in an older record that this version does not know.
    #[serde(other)]
    Unknown,
}

impl LossReason {
    /// The identifier of the reason in records.
    pub fn id(self) -> &'static str {
        match self {
            Self::NeverSeen => "never_seen",
            Self::ReceiverDisconnected => "receiver_disconnected",
            Self::ReceiverLeft => "receiver_left",
            Self::SendFailed => "send_failed",
            Self::Misplaced => "misplaced",
            Self::OwnCopy => "own_copy",
            Self::Unknown => "unknown",
        }
    }
}

/// The reason why a message is misdelivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MisdeliveryReason {
    /// The receiver is in the sender's group but not in the channel's audience. It may be the sender itself.
    OutsideAudience,
    /// The receiver is in another group, which is a breach of isolation.
    AnotherGroup,
    /// The message is from an earlier run.
    AnotherRun,
    /// The received stamp was changed.
    Garbled,
    /// The message is so old that the ledger no longer stores its audience.
    Forgotten,
    /// A reason in an older record that this version does not know.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loss_reason_has_the_identifier_that_records_hold() {
        for reason in [
            LossReason::NeverSeen,
            LossReason::ReceiverDisconnected,
            LossReason::ReceiverLeft,
            LossReason::SendFailed,
            LossReason::Misplaced,
            LossReason::OwnCopy,
            LossReason::Unknown,
        ] {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.id());
        }
    }
}
