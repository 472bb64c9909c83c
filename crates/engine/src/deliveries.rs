//! Converts the ledgers' counts into the form of the record.

use std::collections::BTreeMap;

use delivery::{CutOff, Tally};
use model::LossReason;
use record::{Deliveries, Mismatch, Misplaced, OwnCopies};

pub(crate) fn deliveries_of(tally: Tally, first: Option<Mismatch>) -> Deliveries {
    let lost = |why| tally.lost.get(&why).copied().unwrap_or(0);
    Deliveries {
        messages: tally.messages,
        unsent: tally.unsent,
        expected: tally.expected,
        own_copies: OwnCopies {
            expected: tally.own_copies,
            lost: lost(LossReason::OwnCopy),
            unexpected: tally.echoes,
        },
        misplaced: Misplaced {
            stamps: tally.misplaced,
            lost: lost(LossReason::Misplaced),
            first,
        },
        in_snapshots: tally.in_snapshots,
        delivered: tally.delivered,
        late: tally.late,
        lost: tally
            .lost
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(reason, count)| (*reason, *count))
            .collect(),
        cut_off: cut_off_of(&tally.cut_off),
        duplicated: tally.duplicated,
        reordered: tally.reordered,
        misdelivered: tally.misdelivered,
        whole_audience: tally.last.count(),
        clock_error_ms: None,
        latency: tally.latency,
        blocks: stats::Blocks::default(),
        first: tally.first,
        median: tally.median,
        last: tally.last,
    }
}

fn cut_off_of(counts: &BTreeMap<CutOff, u64>) -> record::CutOff {
    let of = |why| counts.get(&why).copied().unwrap_or(0);
    record::CutOff {
        iteration_failed: of(CutOff::IterationFailed),
        iteration_ended: of(CutOff::IterationEnded),
        level_ended: of(CutOff::LevelEnded),
    }
}
