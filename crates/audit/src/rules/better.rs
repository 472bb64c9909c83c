//! "Better" is more success and rate, and less time, in every figure that is told; and what became worse beside it
//! belongs into the same sentence.

use crate::number::short;
use crate::{Claim, Desk, Kind, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "better",
    says: "what is called better is worse in its figures, or everything beside it became worse",
    needs: "a claim of the kind better",
    instead: "all figures of both, side by side, from repeated runs under the same load",
    check,
};

/// A time that grew by more than this became worse.
const WORSE: f64 = 1.2;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in results.claims_of(Kind::Better) {
        let levels = results.levels_of(claim);
        let (Some(before), Some(after)) = (levels.first(), levels.get(1)) else {
            continue;
        };
        desk.checked();
        told(claim, before, after, desk);
        beside(claim, before, after, desk);
    }
}

fn told(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let mut worse = Vec::new();
    for of in &claim.of {
        let row = claim.row.as_deref();
        let (Some(one), Some(other)) = (before.figure(row, of), after.figure(row, of)) else {
            desk.lacks(claim.text.clone(), "the figures before and after");
            continue;
        };
        let more_is_better = matches!(of.as_str(), "rate" | "success" | "ok" | "received");
        let got_worse = if more_is_better {
            other.value < one.value
        } else {
            other.value > one.value
        };
        if got_worse {
            worse.push(format!(
                "{of} {} → {}",
                short(one.value),
                short(other.value)
            ));
        }
    }
    if worse.is_empty() {
        return;
    }
    let all = worse.len() == claim.of.len();
    desk.find(
        if all {
            Severity::Impossible
        } else {
            Severity::Unsupported
        },
        (
            claim.text.clone(),
            &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
        ),
        if all {
            "it is worse"
        } else {
            "some of it is worse"
        },
        worse.join(", "),
    );
}

fn beside(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    let mut slower = Vec::new();
    let mut compared = 0;
    for row in &before.rows {
        for (name, time) in row.times.each().filter(|(name, _)| name != "min") {
            let Some(now) = after
                .figure(Some(&row.name), &name)
                .filter(|_| time.value > 0.0)
            else {
                continue;
            };
            compared += 1;
            if now.value / time.value > WORSE {
                slower.push(format!(
                    "{} {name} {} → {}",
                    row.name,
                    short(time.value),
                    short(now.value)
                ));
            }
        }
    }
    if compared >= 4 && 2 * slower.len() > compared {
        let more = slower.len().saturating_sub(4);
        slower.truncate(4);
        let rest = if more > 0 {
            format!(", and {more} more")
        } else {
            String::new()
        };
        desk.find(
            Severity::Unsupported,
            (claim.text.clone(), &[claim.at.as_str(), after.at.as_str()]),
            "most times beside it became worse",
            format!("{}{rest} (ms; of {compared} compared)", slower.join(", ")),
        );
    }
}
