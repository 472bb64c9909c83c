//! Proportional growth means y2 / y1 = u2 / u1. The efficiency of a step is (y2 / y1) / (u2 / u1): 1 is linear, 0.5
//! half of that. Less than proportional ("sub-linear") growth has an efficiency below 1, from the first level to the
//! last.
//!
//! A time is not 0 without users, so it may grow along a line that does not start at 0. For times, the rule therefore
//! compares the slopes of the steps.

use crate::claim::{Claim, Kind};
use crate::figure::Figure;
use crate::finding::Severity;
use crate::measure::Measure;
use crate::results::{Level, Results};
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "scaling",
    says: "the figures contradict a claim of linear or sub-linear growth",
    needs: Needs::Claim("a claim of kind `linear` or `sub-linear`"),
    instead: "several levels up to the limit, each repeated, and a fitted model (the Universal Scalability Law)",
    check,
};

/// Efficiency above which growth is linear within rounding and noise.
const LINEAR: f64 = 0.8;
/// Efficiency below which growth is not linear, even with noise.
const NOT_LINEAR: f64 = 0.6;

struct Step<'a> {
    from: &'a Level,
    to: &'a Level,
    /// The figure before and after.
    figures: (Figure, Figure),
    users: (f64, f64),
}

impl Step<'_> {
    /// Growth factors of the figure and of the users.
    fn growth(&self) -> (f64, f64) {
        (
            self.figures.1.value / self.figures.0.value,
            self.users.1 / self.users.0,
        )
    }

    fn efficiency(&self) -> f64 {
        self.growth().0 / self.growth().1
    }

    /// Returns the range of the efficiency if both figures were rounded, or both truncated.
    fn possible(&self) -> (f64, f64) {
        let (before, after) = &self.figures;
        let growths = [0.0, 0.5, 1.0].map(|below| {
            let low = |figure: &Figure| figure.value - below * figure.slack;
            let high = |figure: &Figure| figure.value + (1.0 - below) * figure.slack;
            let least = low(after).max(0.0) / high(before);
            (least, high(after) / low(before).max(0.0))
        });
        let users = self.growth().1;
        let least = growths
            .iter()
            .map(|(least, _)| *least)
            .fold(f64::INFINITY, f64::min);
        let most = growths.iter().map(|(_, most)| *most).fold(0.0, f64::max);
        (least / users, most / users)
    }

    /// Returns the range of the figure's growth per additional user.
    fn slope(&self) -> (f64, f64) {
        let (before, after) = &self.figures;
        let users = self.users.1 - self.users.0;
        (
            (after.low() - before.high()) / users,
            (after.high() - before.low()) / users,
        )
    }
}

fn check(results: &Results, desk: &mut Desk<'_>) {
    for claim in &results.claims {
        if !matches!(claim.kind, Kind::Linear | Kind::SubLinear) {
            continue;
        }
        for of in &claim.of {
            if claim.levels.len() < 2 {
                desk.checked();
                desk.find(
                    Severity::Unsupported,
                    (claim.text.clone(), &[claim.at.as_str()]),
                    "a single level cannot show growth",
                    format!("levels with {of}: {}", claim.levels.len()),
                );
                continue;
            }
            let levels = results.levels_of(claim);
            let pairs = levels.windows(2).map(|pair| (pair[0], pair[1]));
            let steps: Vec<Step<'_>> = pairs
                .filter_map(|(from, to)| step(claim, of, from, to))
                .collect();
            if steps.is_empty() {
                desk.lacks(
                    claim.text.clone(),
                    "the figure and the number of users of two levels",
                );
                continue;
            }
            desk.checked();
            if claim.kind == Kind::SubLinear {
                sub_linear(claim, of, (&levels, &steps), desk);
            } else if Measure::of(of) == Measure::Time {
                line(claim, of, &steps, desk);
            } else {
                proportional(claim, of, &steps, desk);
            }
        }
    }
}

fn step<'a>(claim: &Claim, of: &str, from: &'a Level, to: &'a Level) -> Option<Step<'a>> {
    let row = claim.row.as_deref();
    let figure = |level: &Level| level.figure(row, of).filter(|figure| figure.value > 0.0);
    let (before, after): (Figure, Figure) = (figure(from)?, figure(to)?);
    let users = |level: &Level| level.users.as_ref().map(|users| users.value);
    let users = (users(from).filter(|users| *users > 0.0)?, users(to)?);
    (users.1 > users.0).then_some(Step {
        from,
        to,
        figures: (before, after),
        users,
    })
}

fn least_efficient<'a, 'b>(steps: &'b [Step<'a>]) -> Option<&'b Step<'a>> {
    let by = |one: &&Step<'_>, other: &&Step<'_>| one.efficiency().total_cmp(&other.efficiency());
    steps.iter().min_by(by)
}

/// Checks that a figure that is 0 without users grows in proportion to the users.
fn proportional(claim: &Claim, of: &str, steps: &[Step<'_>], desk: &mut Desk<'_>) {
    let Some(step) = least_efficient(steps) else {
        return;
    };
    let efficiency = step.efficiency();
    if efficiency < NOT_LINEAR && step.possible().1 < NOT_LINEAR {
        tell(
            claim,
            of,
            step,
            (Severity::Impossible, "is not linear"),
            desk,
        );
    } else if efficiency < LINEAR {
        tell(
            claim,
            of,
            step,
            (Severity::Unsupported, "is hardly linear"),
            desk,
        );
    }
}

/// Checks that a time grows along a line, which need not start at 0.
fn line(claim: &Claim, of: &str, steps: &[Step<'_>], desk: &mut Desk<'_>) {
    let Some(weakest) = least_efficient(steps) else {
        return;
    };
    let stands = |step: &&Step<'_>| step.slope().1 <= 0.0;
    let still = steps.iter().find(stands);
    let bends = steps.windows(2).find(|pair| {
        let ((low, high), (next_low, next_high)) = (pair[0].slope(), pair[1].slope());
        next_high.max(0.0) < NOT_LINEAR * low || high.max(0.0) < NOT_LINEAR * next_low
    });
    let in_proportion = steps.iter().all(|step| {
        let (least, most) = step.possible();
        least < 1.0 / NOT_LINEAR && most > NOT_LINEAR
    });
    let bends = bends.filter(|_| !in_proportion);
    if let Some(step) = still {
        tell(
            claim,
            of,
            step,
            (Severity::Impossible, "does not grow"),
            desk,
        );
    } else if let Some([_, step]) = bends {
        tell(
            claim,
            of,
            step,
            (Severity::Impossible, "does not grow in a straight line"),
            desk,
        );
    } else if steps.len() < 2 && weakest.efficiency() < NOT_LINEAR {
        let what = "is not proportional to users, and two levels cannot show another line";
        tell(claim, of, weakest, (Severity::Unsupported, what), desk);
    }
}

/// Checks the growth from the first level to the last. A single step that grows as fast as the users is reported too.
fn sub_linear(
    claim: &Claim,
    of: &str,
    (levels, steps): (&[&Level], &[Step<'_>]),
    desk: &mut Desk<'_>,
) {
    let whole = levels.first().zip(levels.last());
    let whole = whole.and_then(|(first, last)| step(claim, of, first, last));
    let Some(whole) = whole else {
        return;
    };
    let by = |one: &&Step<'_>, other: &&Step<'_>| one.efficiency().total_cmp(&other.efficiency());
    let worst = steps.iter().max_by(by).unwrap_or(&whole);
    if whole.possible().0 > 1.0 - 1e-9 && whole.efficiency() > 1.0 {
        let what = "grows as fast as the users, or faster";
        tell(claim, of, &whole, (Severity::Impossible, what), desk);
    } else if worst.efficiency() > 0.95 {
        tell(
            claim,
            of,
            worst,
            (Severity::Unsupported, "grows as fast as the users"),
            desk,
        );
    }
}

fn tell(
    claim: &Claim,
    of: &str,
    step: &Step<'_>,
    (severity, what): (Severity, &str),
    desk: &mut Desk<'_>,
) {
    let growth = step.growth();
    desk.find(
        severity,
        (
            claim.text.clone(),
            &[claim.at.as_str(), &step.figures.0.at, &step.figures.1.at],
        ),
        format!("{of} {what} from {} to {}", step.from.name, step.to.name),
        format!(
            "{of} × {} for users × {}: {} of linear growth",
            precise(growth.0),
            precise(growth.1),
            crate::number::percent(step.efficiency())
        ),
    );
}
