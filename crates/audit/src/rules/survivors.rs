//! In a flow of steps only those who came through a step do the next: where many fail, later steps are measured under
//! less load than the level says, on those who were lucky.

use crate::number::{percent, short};
use crate::{Desk, Results, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "survivors",
    says: "steps of a flow are measured on those alone who came that far",
    needs: "operations that are steps of a flow (`flow`)",
    instead: "for each step how many began it; or people made ready before the measured part",
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
            desk.lacks(level.name.clone(), "how many flows began and ended well");
            continue;
        };
        desk.checked();
        if 1.0 - ok / sent > MANY {
            desk.find(
                Severity::Doubtful,
                (level.name.clone(), &[level.at.as_str(), level.rows[0].at.as_str()]),
                "the times of its later steps are those of the survivors, under the load that was left",
                format!("{} of {} flows ended before their end ({})", short(sent - ok), short(sent), percent(1.0 - ok / sent)),
            );
        }
    }
}
