//! A change shows its cause only if nothing else changed.

use crate::claim::{Claim, Kind};
use crate::finding::Severity;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "more-than-one-change",
    says: "the two compared levels differ in more than the stated change",
    needs: Needs::Claim("a claim that compares two levels"),
    instead: "two levels with the same load, length and version, and only one change between them",
    check,
};

const LENGTHS: f64 = 1.2;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in &results.claims {
        if !matches!(
            claim.kind,
            Kind::Change | Kind::Better | Kind::Same | Kind::Cliff | Kind::Linear
        ) {
            continue;
        }
        let levels = results.levels_of(claim);
        for pair in levels.windows(2) {
            compare(claim, pair[0], pair[1], desk);
        }
    }
}

fn compare(claim: &Claim, before: &Level, after: &Level, desk: &mut Desk<'_>) {
    if before.conditions.is_empty() && after.conditions.is_empty() && before.duration_s.is_none() {
        return desk.lacks(
            claim.text.clone(),
            "the settings of each level (`conditions`)",
        );
    }
    desk.checked();
    let mut differ: Vec<String> = before
        .conditions
        .iter()
        .filter_map(|(name, one)| {
            after
                .conditions
                .get(name)
                .filter(|other| *other != one)
                .map(|other| format!("{name}: {one} → {other}"))
        })
        .collect();
    if before.pooled != after.pooled {
        differ.push(format!("loads mixed: {} → {}", mixed(before), mixed(after)));
    }
    // If the numbers of users differ, the claim is about the effect of more users, so no other condition may change.
    let between_loads = before.users != after.users;
    let allowed = usize::from(!between_loads);
    if differ.len() > allowed {
        let severity = Severity::Unsupported;
        desk.find(
            severity,
            (
                claim.text.clone(),
                &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
            ),
            "more than one condition changed between the levels",
            differ.join(", "),
        );
    }
    if let Some((one, other)) = before.duration_s.as_ref().zip(after.duration_s.as_ref()) {
        let ratio = one.low().max(other.low()) / one.high().min(other.high()).max(1e-9);
        if ratio > LENGTHS {
            let words = format!(
                "{}: {} s, {}: {} s",
                before.name,
                precise(one.value),
                after.name,
                precise(other.value)
            );
            desk.find(
                Severity::Doubtful,
                (
                    claim.text.clone(),
                    &[claim.at.as_str(), before.at.as_str(), after.at.as_str()],
                ),
                "the runs differ in length",
                words,
            );
        }
    }
}

fn mixed(level: &Level) -> String {
    if level.pooled.is_empty() {
        "none".to_owned()
    } else {
        level.pooled.join(", ")
    }
}
