//! In a flow, only iterations that passed a step start the next one. If many fail, later steps are measured under a
//! lower load than the level states, and only for the remaining iterations.

use crate::finding::Severity;
use crate::number::percent;
use crate::results::Results;
use crate::rule::{Desk, Needs, Rule};
use format::precise;

pub(super) const RULE: Rule = Rule {
    name: "survivors",
    says: "the times of each step cover only the iterations that reached the step",
    needs: Needs::Figures("operations that are steps of a flow (`flow`)"),
    instead: "the number of iterations that reached each step, or users prepared before the measured time",
    check,
};

const MANY: f64 = 0.1;

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in results
        .levels
        .iter()
        .filter(|level| level.flow && level.rows.len() > 1)
    {
        let Some((ok, sent)) = level.total.hits().filter(|(_, sent)| *sent > 0.0) else {
            desk.lacks(
                level.name.clone(),
                "the numbers of flows started and completed",
            );
            continue;
        };
        desk.checked();
        if 1.0 - ok / sent > MANY {
            desk.find(
                Severity::Doubtful,
                (level.name.clone(), &[level.at.as_str(), level.rows[0].at.as_str()]),
                "the times of later steps cover only the flows that reached those steps, at a lower load",
                format!("{} of {} flows did not complete ({})", precise(sent - ok), precise(sent), percent(1.0 - ok / sent)),
            );
        }
    }
}
