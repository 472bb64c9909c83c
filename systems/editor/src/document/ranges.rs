use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of clocks, keyed by client.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(BTreeMap<u64, Vec<Range<u32>>>);

impl Ranges {
    /// Adds a range. Call [`Self::merge`] before reading.
    pub(super) fn push(&mut self, client: u64, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let ranges = self.0.entry(client).or_default();
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }

    /// Sorts the ranges and merges those that touch or overlap.
    pub(super) fn merge(&mut self) {
        for ranges in self.0.values_mut() {
            ranges.sort_by_key(|range| range.start);
            ranges.dedup_by(|next, before| {
                let touch = next.start <= before.end;
                if touch {
                    before.end = before.end.max(next.end);
                }
                touch
            });
        }
    }

    /// The clients and their ranges, in descending order of client ids, as in Yjs.
    pub(super) fn clients(&self) -> impl ExactSizeIterator<Item = (u64, &[Range<u32>])> {
        self.0
            .iter()
            .rev()
            .map(|(client, ranges)| (*client, &**ranges))
    }

    pub(super) fn extend(&mut self, other: &Self) {
        for (client, ranges) in other.clients() {
            for range in ranges {
                self.push(client, range.clone());
            }
        }
        self.merge();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
