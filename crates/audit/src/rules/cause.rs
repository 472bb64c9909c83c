//! A resource is a bottleneck, or none, by figures of the process that is said to be full; not of the machine, which has
//! other processes and several cores, nor of the generator.

use crate::{Desk, Kind, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "cause-not-measured",
    says: "a cause is named, or ruled out, whose figures were not taken",
    needs: "a claim of the kind cause",
    instead: "CPU of the process and of its busiest thread, its memory, queues and pools, while the load was on",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Cause) {
        let why = match claim.measured.as_deref() {
            Some("process") => {
                desk.checked();
                continue;
            }
            Some("machine") => "the figure is that of the whole machine",
            Some("generator") => "the figure is that of the load generator",
            Some("none") => "no figure was taken",
            _ => {
                desk.lacks(claim.text.clone(), "whose figure it is (`measured`)");
                continue;
            }
        };
        desk.checked();
        desk.find(
            Severity::Unsupported,
            (claim.text.clone(), &[claim.at.as_str()]),
            "the cause was not measured",
            why,
        );
    }
}
