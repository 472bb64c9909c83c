//! The stable `--json` shape.

use serde_json::{Value, json};

use crate::Run;

/// The summary of a run.
pub fn summary(run: &Run) -> Value {
    json!({ "verdict": run.verdict.to_string(), "seed": run.seed })
}
