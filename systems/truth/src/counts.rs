//! Counts of the requests to one path.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::clock::Nanos;
use crate::stall::Stall;
use crate::times::Times;

/// Maximum number of stalls that are listed. Older stalls are left out.
const LISTED_STALLS: usize = 1000;

/// Counts of the requests to one path.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) requests: u64,
    pub(crate) answers: BTreeMap<u16, u64>,
    pub(crate) reset: u64,
    pub(crate) closed: u64,
    pub(crate) hanging: u64,
    /// Number of requests whose client disconnected before the response.
    pub(crate) abandoned: u64,
    pub(crate) leaked_bytes: u64,
    /// Times from the kernel's receipt of a request to the writing of its response.
    pub(crate) time: Times,
    pub(crate) waited: Times,
    /// Number of responses that each stall held.
    stalls: BTreeMap<u64, u64>,
}

impl Counts {
    pub(crate) fn held(&mut self, stall: u64) {
        *self.stalls.entry(stall).or_default() += 1;
        if self.stalls.len() > LISTED_STALLS {
            self.stalls.pop_first();
        }
    }

    pub(crate) fn answered(&mut self, status: u16, time: Nanos) {
        *self.answers.entry(status).or_default() += 1;
        self.time.add(time);
    }

    /// The stalls that held at least one response, with times on `CLOCK_MONOTONIC`.
    pub(crate) fn stalls(&self, stall: &Stall, first: Nanos) -> Value {
        let list = self.stalls.iter().map(|(number, held)| {
            let begin = first + stall.begin(*number);
            json!({ "begin_ns": begin, "end_ns": begin + stall.lasts, "held": held })
        });
        list.collect()
    }

    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let answers = self.answers.iter();
        let answers = answers.map(|(status, n)| (status.to_string(), Value::from(*n)));
        let mut all = Map::new();
        let mut put = |name: &str, value: Value| drop(all.insert(name.to_owned(), value));
        put("requests", self.requests.into());
        put("answers", Value::Object(answers.collect()));
        for (name, count) in [
            ("reset", self.reset),
            ("closed", self.closed),
            ("hanging", self.hanging),
            ("abandoned", self.abandoned),
            ("leaked_bytes", self.leaked_bytes),
        ] {
            put(name, count.into());
        }
        put("time", self.time.to_json());
        put("waited", self.waited.to_json());
        all
    }
}
