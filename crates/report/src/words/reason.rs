use model::{LossReason, MisdeliveryReason};
use record::{DropCause, NoneSucceeded};

/// Why a delivery was lost, behind a number: `3 never seen`.
pub(crate) fn lost(reason: LossReason) -> &'static str {
    match reason {
        LossReason::NeverSeen => "never seen",
        LossReason::ReceiverDisconnected => "receiver disconnected",
        LossReason::ReceiverLeft => "receiver left",
        LossReason::SendFailed => "send failed or refused",
        LossReason::Misplaced => "arrived at another place of the message",
        LossReason::OwnCopy => "sender's own copy never seen",
        LossReason::Unknown => "for another reason",
    }
}

/// Where a misdelivered message went, behind a number: `3 in another group`.
pub(crate) fn misdelivered(reason: MisdeliveryReason) -> &'static str {
    match reason {
        MisdeliveryReason::OutsideAudience => "outside the audience",
        MisdeliveryReason::AnotherGroup => "in another group",
        MisdeliveryReason::AnotherRun => "from another run",
        MisdeliveryReason::Garbled => "with a garbled stamp",
        MisdeliveryReason::Forgotten => "too old to know their audience",
        MisdeliveryReason::Unknown => "for another reason",
    }
}

/// Why planned starts were dropped.
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

/// What most users were busy with.
pub(super) fn busy_with(cause: DropCause) -> Option<&'static str> {
    match cause {
        DropCause::UsersWaiting => Some("mostly waiting for responses"),
        DropCause::UsersBusy => Some("mostly in the scenario's own pauses or work"),
        DropCause::GeneratorBehind | DropCause::Unknown => None,
    }
}

/// What nothing succeeded of.
pub(crate) fn none_succeeded(what: NoneSucceeded) -> &'static str {
    match what {
        NoneSucceeded::Request => "no request succeeded",
        NoneSucceeded::RoundTrip => "no message got its reply",
        NoneSucceeded::Connection => "no connection opened",
    }
}
