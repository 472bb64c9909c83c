//! A badge: the JSON that <https://shields.io/badges/endpoint-badge> turns into a picture.

use model::Verdict;
use record::Run;
use serde_json::json;

use crate::section::label;
use crate::section::status::highest_held;

/// Renders the verdict and the highest load that held as a badge.
pub fn badge(run: &Run) -> String {
    let held = highest_held(run).map(|level| label(&level.load));
    let (message, color) = match (run.verdict, held) {
        (Verdict::Passed, Some(load)) => (format!("holds {load}"), "brightgreen"),
        (Verdict::Passed, None) => ("measured".to_owned(), "blue"),
        (Verdict::Failed, Some(load)) => (format!("holds {load}"), "yellow"),
        (Verdict::Failed, None) => ("failed".to_owned(), "red"),
        (Verdict::Inconclusive, _) => ("inconclusive".to_owned(), "lightgrey"),
    };
    let badge =
        json!({ "schemaVersion": 1, "label": "headcount", "message": message, "color": color });
    format!("{badge:#}\n")
}

#[cfg(test)]
mod tests {
    use record::{Level, Load, ThresholdResult};
    use serde_json::Value;

    use super::*;

    fn of(verdict: Verdict, held: &[Option<bool>]) -> (Value, Value) {
        let levels = (0..).zip(1..).zip(held).map(|((index, number), _)| Level {
            index,
            load: Load {
                users: number * 10,
                ..Load::default()
            },
            ..Level::default()
        });
        let thresholds = (0..).zip(held).map(|(level, held)| ThresholdResult {
            level,
            held: *held,
            ..ThresholdResult::default()
        });
        let run = Run {
            verdict,
            levels: levels.collect(),
            thresholds: thresholds.collect(),
            ..Run::default()
        };
        let badge: Value = serde_json::from_str(&badge(&run)).unwrap();
        assert_eq!(badge["schemaVersion"], 1);
        (badge["message"].clone(), badge["color"].clone())
    }

    #[test]
    fn a_badge_tells_the_highest_load_below_the_first_failure() {
        let (held, broke) = (Some(true), Some(false));
        let passed = of(Verdict::Passed, &[held, held]);
        assert_eq!(passed, ("holds 20 users".into(), "brightgreen".into()));
        let failed = of(Verdict::Failed, &[held, broke, held]);
        assert_eq!(failed, ("holds 10 users".into(), "yellow".into()));
        let none = of(Verdict::Failed, &[broke]);
        assert_eq!(none, ("failed".into(), "red".into()));
        let open = of(Verdict::Inconclusive, &[held, None]);
        assert_eq!(open, ("inconclusive".into(), "lightgrey".into()));
    }
}
