use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why it stops there: one cause out of a closed list, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which of the list.
    pub cause: Cause,
    /// In one sentence: `a rate limiter lets through 100 requests per 15 min and source address`.
    pub what: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The levels that show it, counted from 0.
    pub levels: Vec<usize>,
    /// Those of them in which most that failed failed for it: they say nothing of the target's capacity.
    pub limits: Vec<usize>,
    /// What it rests on, one sentence each.
    pub evidence: Vec<String>,
    /// What could not be told, one sentence each.
    pub unknown: Vec<String>,
    /// What to try, one sentence each.
    pub advice: Vec<String>,
    /// Its figures by name; which there are depends on the cause.
    pub figures: BTreeMap<String, Value>,
}

/// The closed list of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The target, or something before it, lets through so many requests in some time and refuses the others.
    RateLimiter,
}

impl Cause {
    /// As people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimiter => "rate limiter",
        }
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It fits, and other causes fit nearly as well.
    Low,
    /// Other causes would be a coincidence.
    High,
    /// The target says so itself, and what was counted agrees.
    Certain,
}

impl Confidence {
    /// As people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::High => "high",
            Self::Certain => "certain",
        }
    }
}
