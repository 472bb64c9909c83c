use std::collections::BTreeSet;

use model::TagFilter;
use plan::{Subject, SubjectKind};
use rustc_hash::FxHashMap;

use super::names::NAMES_LIMIT;

/// Names of operations that occurred outside the measured time of a level. They explain why a threshold has no data.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnmeasuredNames {
    names: FxHashMap<SubjectKind, BTreeSet<String>>,
}

impl UnmeasuredNames {
    pub(crate) fn note(&mut self, kind: SubjectKind, name: &str) {
        let names = self.names.entry(kind).or_default();
        if names.len() < NAMES_LIMIT && !names.contains(name) {
            names.insert(name.to_owned());
        }
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

    /// Adds the names of another worker.
    pub(crate) fn merge(&mut self, other: Self) {
        for (kind, names) in other.names {
            for name in names {
                self.note(kind, &name);
            }
        }
    }
}
