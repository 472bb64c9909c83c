use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

/// What a fault did, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A delivery was left out.
    Dropped,
    /// A delivery was made twice.
    Duplicated,
    /// A delivery went out behind its successor.
    Reordered,
    /// Somebody in a wrong room got the message.
    Strayed,
    /// Something left later by the ordered delay.
    Delayed,
    /// Something waited for the end of a stall.
    Stalled,
    /// A message came in.
    Messages,
    /// A delivery was numbered, whatever fell on it.
    Deliveries,
    /// A byte was kept for ever.
    LeakedBytes,
}

const KINDS: [(Kind, &str, &str); 9] = [
    (Kind::Dropped, "dropped", "Deliveries left out on order"),
    (
        Kind::Duplicated,
        "duplicated",
        "Deliveries made twice on order",
    ),
    (
        Kind::Reordered,
        "reordered",
        "Deliveries sent behind their successor on order",
    ),
    (
        Kind::Strayed,
        "strayed",
        "Messages handed to a listener in a wrong room on order",
    ),
    (Kind::Delayed, "delayed", "Sendings delayed on order"),
    (
        Kind::Stalled,
        "stalled",
        "Sendings that waited for the end of an ordered stall",
    ),
    (
        Kind::Messages,
        "messages",
        "Messages that came in while faults were on",
    ),
    (
        Kind::Deliveries,
        "deliveries",
        "Deliveries looked at while faults were on",
    ),
    (
        Kind::LeakedBytes,
        "leaked_bytes",
        "Bytes kept for ever on order",
    ),
];

/// Exactly what the faults did until now.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counters: [Counter; KINDS.len()],
}

impl Tally {
    /// Counts `n` more and returns how many there were before.
    pub fn add(&self, kind: Kind, n: u64) -> u64 {
        self.counters[kind as usize].inc_by(n)
    }

    /// How many until now.
    #[must_use]
    pub fn get(&self, kind: Kind) -> u64 {
        self.counters[kind as usize].get()
    }

    /// Each count under its name.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let counts = KINDS
            .iter()
            .map(|(kind, name, _)| ((*name).to_owned(), Value::from(self.get(*kind))));
        Value::Object(counts.collect::<Map<_, _>>())
    }

    /// Shows the counts in `/metrics` as `faults_*_total`.
    pub fn register(&self, registry: &mut Registry) {
        for (kind, name, help) in KINDS {
            let counter = self.counters[kind as usize].clone();
            registry.register(format!("faults_{name}"), help, counter);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_stands_at_its_own_place() {
        for (place, (kind, ..)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, place);
        }
    }
}
