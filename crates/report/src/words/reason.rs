use model::{LossReason, MisdeliveryReason};
use record::{DropCause, NoneSucceeded};

/// Formats why deliveries were lost. The text follows a number: `3 never seen`.
pub(crate) fn lost(reason: LossReason) -> &'static str {
    match reason {
        LossReason::NeverSeen => "never received",
        LossReason::ReceiverDisconnected => "receiver disconnected",
        LossReason::ReceiverLeft => "receiver left",
        LossReason::SendFailed => "send failed or refused",
        LossReason::Misplaced => "stamp in another place of the message",
        LossReason::OwnCopy => "sender's own copy never received",
        LossReason::Unknown => "for another reason",
    }
}

/// Formats why messages count as misdelivered. The text follows a number: `3 in another group`.
pub(crate) fn misdelivered(reason: MisdeliveryReason) -> &'static str {
    match reason {
        MisdeliveryReason::OutsideAudience => "outside the audience",
        MisdeliveryReason::AnotherGroup => "in another group",
        MisdeliveryReason::AnotherRun => "from another run",
        MisdeliveryReason::Garbled => "with a garbled stamp",
        MisdeliveryReason::Forgotten => "older than the ledger remembers",
        MisdeliveryReason::Unknown => "for another reason",
    }
}

/// Formats why planned starts were dropped.
pub(crate) fn dropped(cause: DropCause) -> String {
    match cause {
        DropCause::GeneratorBehind => "the generator was behind".to_owned(),
        DropCause::Unknown => "for another reason".to_owned(),
        DropCause::UsersWaiting | DropCause::UsersBusy => {
            let busy = busy_with(cause).unwrap_or_default();
            format!("all users busy, {busy}")
        }
    }
}

/// Formats what most users were doing. `None` if the cause is not about users.
pub(super) fn busy_with(cause: DropCause) -> Option<&'static str> {
    match cause {
        DropCause::UsersWaiting => Some("mostly waiting for responses"),
        DropCause::UsersBusy => Some("mostly in the scenario's own pauses or work"),
        DropCause::GeneratorBehind | DropCause::Unknown => None,
    }
}

/// Formats which kind of operation never succeeded.
pub(crate) fn none_succeeded(what: NoneSucceeded) -> &'static str {
    match what {
        NoneSucceeded::Request => "no request succeeded",
        NoneSucceeded::RoundTrip => "no message got its reply",
        NoneSucceeded::Connection => "no connection opened",
    }
}
