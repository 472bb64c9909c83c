//! Proportional: y2 / y1 = u2 / u1. The efficiency of a step is (y2 / y1) / (u2 / u1): 1 is linear, 0.5 half of it.
//! Less than proportional ("sub-linear") is an efficiency below 1.

use crate::number::short;
use crate::{Claim, Desk, Figure, Kind, Level, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "scaling",
    says: "what is called linear or sub-linear is not, by its own figures",
    needs: "a claim of the kinds linear, sub-linear",
    instead: "several levels up to the limit, each repeated, and a model fitted to them (the Universal Scalability Law)",
    check,
};

/// More than this is linear for all that rounding and noise can do.
const LINEAR: f64 = 0.8;
/// Less than this is not linear, whatever the noise.
const NOT_LINEAR: f64 = 0.6;

struct Step<'a> {
    from: &'a Level,
    to: &'a Level,
    /// Growth of the figure and of the users.
    growth: (f64, f64),
    at: [String; 2],
}

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in &results.claims {
        if !matches!(claim.kind, Kind::Linear | Kind::SubLinear) {
            continue;
        }
        for of in &claim.of {
            let steps = steps(results, claim, of);
            if claim.levels.len() < 2 {
                desk.checked();
                desk.find(
                    Severity::Unsupported,
                    (claim.text.clone(), &[claim.at.as_str()]),
                    "one level shows no growth of anything",
                    format!("levels with {of}: {}", claim.levels.len()),
                );
                continue;
            }
            if steps.is_empty() {
                desk.lacks(claim.text.clone(), "the figure and the users of two levels");
                continue;
            }
            desk.checked();
            let worst = match claim.kind {
                Kind::Linear => steps
                    .into_iter()
                    .min_by(|one, other| efficiency(one).total_cmp(&efficiency(other))),
                _ => steps
                    .into_iter()
                    .max_by(|one, other| efficiency(one).total_cmp(&efficiency(other))),
            };
            if let Some(step) = worst {
                tell(claim, of, &step, desk);
            }
        }
    }
}

fn steps<'a>(results: &'a Results, claim: &Claim, of: &str) -> Vec<Step<'a>> {
    let levels = results.levels_of(claim);
    let pairs = levels.windows(2).map(|pair| (pair[0], pair[1]));
    pairs
        .filter_map(|(from, to)| step(claim, of, from, to))
        .collect()
}

fn step<'a>(claim: &Claim, of: &str, from: &'a Level, to: &'a Level) -> Option<Step<'a>> {
    let figure = |level: &Level| {
        level
            .figure(claim.row.as_deref(), of)
            .filter(|figure| figure.value > 0.0)
    };
    let (before, after): (Figure, Figure) = (figure(from)?, figure(to)?);
    let users =
        to.users.as_ref()?.value / from.users.as_ref().filter(|users| users.value > 0.0)?.value;
    let growth = (after.value / before.value, users);
    (users > 1.0).then_some(Step {
        from,
        to,
        growth,
        at: [before.at, after.at],
    })
}

fn efficiency(step: &Step<'_>) -> f64 {
    step.growth.0 / step.growth.1
}

fn tell(claim: &Claim, of: &str, step: &Step<'_>, desk: &mut Desk<'_>) {
    let efficiency = efficiency(step);
    let (severity, what) = match claim.kind {
        Kind::Linear if efficiency < NOT_LINEAR => (Severity::Impossible, "is not linear"),
        Kind::Linear if efficiency < LINEAR => (Severity::Unsupported, "is hardly linear"),
        Kind::SubLinear if efficiency > 1.0 => (
            Severity::Impossible,
            "grows as fast as the users, or faster",
        ),
        Kind::SubLinear if efficiency > 0.95 => {
            (Severity::Unsupported, "grows as fast as the users")
        }
        _ => return,
    };
    desk.find(
        severity,
        (
            claim.text.clone(),
            &[claim.at.as_str(), step.at[0].as_str(), step.at[1].as_str()],
        ),
        format!("{of} {what} from {} to {}", step.from.name, step.to.name),
        format!(
            "{of} × {} for users × {}: {} of linear",
            short(step.growth.0),
            short(step.growth.1),
            crate::number::percent(efficiency)
        ),
    );
}
