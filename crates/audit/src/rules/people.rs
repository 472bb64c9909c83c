//! Users pause for Z between requests that take R. With X requests per second, there are N = X·(R + Z) users and c =
//! X·R requests in flight. Therefore c concurrent flows correspond to c·(R + Z) / R users, where R is measured.

use crate::claim::{Claim, Kind};
use crate::figure::Figure;
use crate::finding::Severity;
use crate::number::time;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "users-converted",
    says: "the conversion from concurrent flows to people does not fit the measured times",
    needs: Needs::Claim("a claim of kind `people`"),
    instead: "the conversion, stated together with the response time R and think time Z that it uses, for a realistic \
              mix",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::People) {
        let (Some(stated), Some(think)) = (claim.users, claim.think_s) else {
            desk.lacks(claim.text.clone(), "the pause between requests (`think`)");
            continue;
        };
        for level in results.levels_of(claim) {
            let Some((users, typical)) = level.users.as_ref().zip(typical(claim, level)) else {
                desk.lacks(
                    claim.text.clone(),
                    "concurrent users and the time of one request",
                );
                continue;
            };
            desk.checked();
            let response = typical.value / 1000.0;
            let stands_for = |think: f64| users.value * (response + think) / response;
            let (least, most) = (stands_for(think.low), stands_for(think.high));
            // The ranges are disjoint, or the upper end of the stated range is far beyond what is possible.
            if stated.low > most || stated.high < least {
                desk.find(
                    Severity::Unsupported,
                    (
                        claim.text.clone(),
                        &[claim.at.as_str(), typical.at.as_str()],
                    ),
                    "with the measured time, the conversion gives another number of people",
                    format!(
                        "{} × ({} + {} to {} s) / {1} = {} to {}; stated: {} to {}",
                        precise(users.value),
                        time(typical.value),
                        precise(think.low),
                        precise(think.high),
                        precise(least.round()),
                        precise(most.round()),
                        precise(stated.low),
                        precise(stated.high)
                    ),
                );
            }
        }
    }
}

/// Returns the time that the claim names, or otherwise the mean or the median.
fn typical(claim: &Claim, level: &Level) -> Option<Figure> {
    let row = claim.row.as_deref();
    let named = claim.of.iter().find_map(|of| level.figure(row, of));
    named
        .or_else(|| level.figure(row, "mean"))
        .or_else(|| level.figure(row, "p50"))
        .filter(|time| time.value > 0.0)
}
