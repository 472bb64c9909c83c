//! A live stream whose pieces each wait for the previous response runs at piece length / response time of real time.

use crate::finding::Severity;
use crate::number::time;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "slower-than-real-time",
    says: "processing a piece of a live stream takes longer than the piece lasts, so the delay grows without limit",
    needs: Needs::Figures("the length of stream that each operation carries (`carries`)"),
    instead: "pieces sent at a fixed rate, without waiting for responses; the delay behind the source; the real-time \
              factor",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            let (Some(piece), Some(mean)) = (&row.carries_ms, &row.times.mean) else {
                continue;
            };
            desk.checked();
            if mean.low() > piece.high() {
                desk.find(
                    Severity::Unsupported,
                    (level.call(row), &[mean.at.as_str(), piece.at.as_str()]),
                    format!(
                        "processing {} of stream takes {}: too slow for live use, whatever the percentiles are",
                        time(piece.value),
                        time(mean.value)
                    ),
                    format!(
                        "{} / {} = {} × real time",
                        time(piece.value),
                        time(mean.value),
                        precise(piece.value / mean.value)
                    ),
                );
            }
        }
    }
}
