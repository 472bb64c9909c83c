//! A level needs measured times to be called good or bad.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "verdict-without-data",
    says: "a level is called good or bad without any measured time",
    needs: Needs::Claim("a claim of kind `verdict`"),
    instead: "\"no data\" as a third verdict",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Verdict) {
        for level in results.levels_of(claim) {
            desk.checked();
            let measured = level
                .all_rows()
                .any(|row| row.times.each().any(|(_, time)| time.value > 0.0));
            if !measured {
                desk.find(
                    Severity::Unsupported,
                    (claim.text.clone(), &[claim.at.as_str(), level.at.as_str()]),
                    format!("{} has no measured time", level.name),
                    "every time is 0 or not stated",
                );
            }
        }
    }
}
