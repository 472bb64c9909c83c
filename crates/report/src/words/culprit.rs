use model::LossReason;

/// Who is at fault. Where the measurements leave two possible, both are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Culprit {
    /// Nothing failed.
    Nobody,
    /// The system under test.
    Target,
    /// The network between headcount and the target, including the resolution of names.
    Network,
    /// headcount, or its machine.
    Generator,
    /// The scenario, including the options of the run.
    Script,
    /// The target or the network.
    TargetOrNetwork,
    /// The target or the scenario.
    TargetOrScript,
    /// The measurements do not show it.
    Unknown,
}

impl Culprit {
    /// The word at the start of a line.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Nobody => "Nobody",
            Self::Target => "The target",
            Self::Network => "The network",
            Self::Generator => "The generator",
            Self::Script => "The script",
            Self::TargetOrNetwork => "The target or the network",
            Self::TargetOrScript => "The target or the script",
            Self::Unknown => "Unknown",
        }
    }
}

/// Explains a reason for losses in one sentence.
pub(crate) fn lost_because(reason: LossReason) -> &'static str {
    match reason {
        LossReason::NeverSeen => {
            "The messages were sent, and the receivers stayed connected and listened for the whole settling time."
        }
        LossReason::ReceiverDisconnected => {
            "The receiver's connection broke, or the target closed it."
        }
        LossReason::ReceiverLeft => {
            "The script stopped listening, or closed the connection, before the message was due."
        }
        LossReason::SendFailed => "The send failed, or the target refused the message.",
        LossReason::Misplaced => {
            "The messages arrived, but their stamps were not where the channel looks."
        }
        LossReason::OwnCopy => {
            "The target sends no copy to the sender, or the channel's audience should not include the sender."
        }
        LossReason::Unknown => "The record does not name the reason.",
    }
}
