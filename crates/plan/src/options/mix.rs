//! `mix`: scenarios by weight.

use super::section::Field;
use super::values::whole;
use crate::mix::Mix;
use crate::problem::{Flaw, Problems};

/// Maximum weight of a scenario.
const HEAVIEST: u32 = 10_000;
/// Maximum number of scenarios.
const MOST_SCENARIOS: usize = 100;

pub(super) fn read(field: &Field<'_>, problems: &mut Problems) -> Option<Mix> {
    field.value?;
    let known = problems.len();
    let weights: Vec<(String, u32)> = field
        .open_free(problems)
        .entries()
        .map(|(name, field)| {
            let weight = field.read(problems, 1, |value| whole(value, 1, HEAVIEST));
            (name.clone(), weight)
        })
        .collect();
    if problems.len() > known {
        return None;
    }
    if weights.is_empty() || weights.len() > MOST_SCENARIOS {
        let message = format!("expected 1 to {MOST_SCENARIOS} scenarios with their weights");
        let hint = "e.g. mix: { register: 50, enumerate: 30 } for two exported functions";
        field.refuse(problems, Flaw::with_hint(message, hint));
        return None;
    }
    Mix::new(&weights)
        .map_err(|flaw| field.refuse(problems, flaw))
        .ok()
}
