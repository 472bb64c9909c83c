use std::collections::BTreeSet;

use model::{Nanos, TagFilter};
use plan::{Subject, SubjectKind};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::names::NAMES_LIMIT;

/// What occurred outside the measured time of a level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Unmeasured {
    /// Names of operations. They explain why a threshold has no data.
    names: FxHashMap<SubjectKind, BTreeSet<String>>,
    /// For each request name, by its index, the response time of the quickest request that succeeded.
    quickest: FxHashMap<usize, Nanos>,
}

impl Unmeasured {
    /// Notes a request that succeeded.
    pub(crate) fn succeeded(&mut self, request: usize, response: Nanos) {
        let quickest = self.quickest.entry(request).or_insert(response);
        *quickest = response.min(*quickest);
    }

    /// The response time of the quickest request whose name passes.
    pub(crate) fn quickest(&self, passes: impl Fn(usize) -> bool) -> Option<Nanos> {
        let passing = self
            .quickest
            .iter()
            .filter(|(request, _)| passes(**request));
        passing.map(|(_, response)| *response).min()
    }

    pub(crate) fn note(&mut self, kind: SubjectKind, name: &str) {
        let names = self.names.entry(kind).or_default();
        if names.len() < NAMES_LIMIT && !names.contains(name) {
            names.insert(name.to_owned());
        }
    }

    /// The names of a kind that occurred outside the measured time, perhaps also in it.
    pub(crate) fn names(&self, kind: SubjectKind) -> impl Iterator<Item = &String> {
        self.names.get(&kind).into_iter().flatten()
    }

    /// Whether an operation of this subject occurred outside the measured time.
    pub(crate) fn has(&self, subject: &Subject) -> bool {
        let (Some(name), Some(names)) = (&subject.name, self.names.get(&subject.kind)) else {
            return false;
        };
        match subject.kind {
            SubjectKind::Request => {
                let wanted = TagFilter::of(name);
                names
                    .iter()
                    .any(|known| known == name || wanted.selects(known))
            }
            _ => names.contains(name),
        }
    }

    /// Adds the names of another worker. The times are in its measurements.
    pub(crate) fn merge(&mut self, other: Self) {
        for (kind, names) in other.names {
            for name in names {
                self.note(kind, &name);
            }
        }
    }
}
