//! The side at fault for lost deliveries, by the reasons that the ledger recorded.

use std::collections::BTreeMap;

use format::count;
use model::{FaultKind, LossReason};
use record::{Deliveries, Failure, Level, Run};

use super::failures::of_failure;
use super::side::{AtFault, nearest};
use crate::section::label;
use crate::words;
use crate::words::Culprit;

/// Names the side at fault for the most frequent reason of losses, on one channel or on all. `None` if nothing was lost.
pub(super) fn of(run: &Run, level: &Level, channel: Option<&str>) -> Option<AtFault> {
    let mut all = Deliveries::default();
    for (name, one) in &level.measured.deliveries {
        if channel.is_none_or(|channel| channel == name) {
            all.merge(one);
        }
    }
    let reasons: &BTreeMap<LossReason, u64> = &all.lost;
    let (reason, number) = reasons.iter().max_by_key(|(_, number)| **number)?;
    let lost = all.lost_count();
    if *number == 0 {
        return None;
    }
    let head = if *number == lost {
        format!("All {} lost deliveries", count(lost))
    } else {
        format!("{} of {} lost deliveries", count(*number), count(lost))
    };
    let none_arrived = all.received() == 0;
    let culprit = culprit(run, level, *reason, none_arrived);
    let why = if none_arrived && *reason == LossReason::NeverSeen {
        "No message arrived at all, so the channel's audience may be wrong."
    } else {
        words::lost_because(*reason)
    };
    let reason_of_end = (*reason == LossReason::ReceiverDisconnected)
        .then(|| end_of_connections(run, level))
        .flatten();
    Some(
        AtFault::new(culprit, format!("{head}: {}. {why}", words::lost(*reason)))
            .and(&reason_of_end.map_or_else(String::new, |end| end.reason)),
    )
}

fn culprit(run: &Run, level: &Level, reason: LossReason, none_arrived: bool) -> Culprit {
    match reason {
        LossReason::NeverSeen if none_arrived => Culprit::TargetOrScript,
        // The connections stayed open, and TCP delivers what was sent on them.
        LossReason::NeverSeen => Culprit::Target,
        LossReason::ReceiverDisconnected => {
            let end = end_of_connections(run, level);
            end.map_or_else(|| nearest(run), |end| end.culprit)
        }
        LossReason::ReceiverLeft => Culprit::Script,
        LossReason::SendFailed => {
            let failed = super::failures::of(run, level, |_| true);
            failed.map_or_else(|| nearest(run), |failed| failed.culprit)
        }
        LossReason::Misplaced | LossReason::OwnCopy => Culprit::TargetOrScript,
        LossReason::Unknown => Culprit::Unknown,
    }
}

/// Explains why connections of users ended, by the most frequent failure that ends one.
fn end_of_connections(run: &Run, level: &Level) -> Option<AtFault> {
    let ended = level.target.as_ref().map(|target| &target.ends);
    if ended.is_some_and(|ends| !ends.is_empty()) {
        let reason = "The target's process ended.";
        return Some(AtFault::new(Culprit::Target, reason));
    }
    let requests = &level.measured.requests;
    let ends_one = |failure: &&Failure| {
        let kinds = [
            FaultKind::Closed,
            FaultKind::Reset,
            FaultKind::Protocol,
            FaultKind::TooLarge,
        ];
        kinds.contains(&failure.kind) && !requests.contains_key(&failure.what)
    };
    let failures = level.measured.failures.iter().filter(ends_one);
    let most = failures.max_by_key(|failure| failure.count)?;
    Some(of_failure(run, most, &format!("at {}", label(&level.load))))
}
