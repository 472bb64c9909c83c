//! Reads the map of thresholds, in the user's order.

use super::section::Field;
use super::values::describe;
use crate::problem::{Flaw, Problem, Problems};
use crate::threshold::{Subject, Threshold};

pub(super) fn read(field: &Field<'_>, problems: &mut Problems) -> Vec<Threshold> {
    let mut thresholds = Vec::new();
    for (key, conditions) in field.open_free(problems).entries() {
        let subject = match Subject::parse(key) {
            Ok(subject) => subject,
            Err(error) => {
                problems.push(error.at(conditions.path.clone()));
                continue;
            }
        };
        let steps = conditions.one_or_many();
        if steps.is_empty() {
            conditions.refuse(
                problems,
                Flaw::new("is an empty list: expected a threshold"),
            );
        }
        for step in steps {
            match condition(&step, &subject) {
                Ok(threshold) => thresholds.push(threshold),
                Err(problem) => problems.push(problem),
            }
        }
    }
    thresholds
}

fn condition(step: &Field<'_>, subject: &Subject) -> Result<Threshold, Problem> {
    if let Some(text) = step.value.and_then(|value| value.as_str()) {
        return Threshold::parse(subject, text).map_err(|error| error.at(step.path.clone()));
    }
    let given = step.value.map(describe).unwrap_or_default();
    let message = format!("expected a threshold such as \"p95 < 100ms\", got {given}");
    Err(Flaw::new(message).at(&step.path))
}
