use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A delivery was left out.
    Dropped,
    /// A delivery was sent twice.
    Duplicated,
    /// A delivery was sent after its successor.
    Reordered,
    /// A listener in a wrong room received the message.
    Strayed,
    /// A delivery, an event or a response waited for the configured delay.
    Delayed,
    /// A delivery, an event or a response waited for the end of a stall.
    Stalled,
    /// A message arrived.
    Messages,
    /// A delivery got a number, with or without a fault.
    Deliveries,
    /// A byte was leaked.
    LeakedBytes,
}

const KINDS: [(Kind, &str, &str); 9] = [
    (
        Kind::Dropped,
        "dropped",
        "Deliveries dropped by fault injection",
    ),
    (
        Kind::Duplicated,
        "duplicated",
        "Deliveries duplicated by fault injection",
    ),
    (
        Kind::Reordered,
        "reordered",
        "Deliveries sent after their successor by fault injection",
    ),
    (
        Kind::Strayed,
        "strayed",
        "Messages also delivered to a listener in a wrong room by fault injection",
    ),
    (Kind::Delayed, "delayed", "Sends delayed by fault injection"),
    (
        Kind::Stalled,
        "stalled",
        "Sends held until the end of an injected stall",
    ),
    (
        Kind::Messages,
        "messages",
        "Messages received while faults were configured",
    ),
    (
        Kind::Deliveries,
        "deliveries",
        "Deliveries numbered while faults were configured",
    ),
    (
        Kind::LeakedBytes,
        "leaked_bytes",
        "Bytes leaked by fault injection",
    ),
];

/// Exact counts of the faults that took effect so far.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counters: [Counter; KINDS.len()],
}

impl Tally {
    /// Adds `n` and returns the previous count.
    pub fn add(&self, kind: Kind, n: u64) -> u64 {
        self.counters[kind as usize].inc_by(n)
    }

    /// The count so far.
    #[must_use]
    pub fn get(&self, kind: Kind) -> u64 {
        self.counters[kind as usize].get()
    }

    /// All counts, keyed by name.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let counts = KINDS
            .iter()
            .map(|(kind, name, _)| ((*name).to_owned(), Value::from(self.get(*kind))));
        Value::Object(counts.collect::<Map<_, _>>())
    }

    /// Registers the counts for `/metrics` as `faults_*_total`.
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
