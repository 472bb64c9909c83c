//! Only figures of the process itself show whether a resource is a bottleneck. Figures of the machine include other
//! processes and several cores. Figures of the generator describe only the generator.

use crate::claim::Kind;
use crate::finding::Severity;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};

pub(super) const RULE: Rule = Rule {
    name: "cause-not-measured",
    says: "the report names or rules out a cause that it did not measure",
    needs: Needs::Claim("a claim of kind `cause`"),
    instead: "CPU of the process and of its busiest thread, its memory, queues and pools, during the load",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Cause) {
        let why = match claim.measured.as_deref() {
            Some("process") => {
                desk.checked();
                continue;
            }
            Some("machine") => "the figure covers the whole machine",
            Some("generator") => "the figure covers the load generator",
            Some("none") => "nothing was measured",
            _ => {
                desk.lacks(claim.text.clone(), "the source of the figure (`measured`)");
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
