//! Limits the number of names, so that the size of the measurements does not depend on the script.

use rustc_hash::FxHashMap;

/// Maximum number of names of one kind that are counted separately. Further names are counted together, so scripts
/// should use few distinct names.
pub(crate) const NAMES_LIMIT: usize = 500;
pub(crate) const OTHER_NAMES: &str = "(further names)";
/// From this number of names on, new tags are counted together for each name. The remaining names are for requests
/// without tags.
const TAGGED_LIMIT: usize = 400;

/// Names of one family with their values. Values are accessed by index, so that the hot path looks up a name only once.
#[derive(Clone, Debug)]
pub(super) struct Named<T> {
    index: FxHashMap<String, usize>,
    pub(super) values: Vec<(String, T)>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self {
            index: FxHashMap::default(),
            values: Vec::new(),
        }
    }
}

impl<T> Named<T> {
    pub(super) fn entry(&mut self, name: &str, fresh: impl FnOnce() -> T) -> usize {
        if let Some(&at) = self.index.get(name) {
            return at;
        }
        if self.values.len() >= NAMES_LIMIT && name != OTHER_NAMES {
            return self.entry(OTHER_NAMES, fresh);
        }
        self.values.push((name.to_owned(), fresh()));
        self.index.insert(name.to_owned(), self.values.len() - 1);
        self.values.len() - 1
    }

    /// Like [`Named::entry`], for a name that may end with tags.
    pub(super) fn tagged_entry(&mut self, name: &str, fresh: impl FnOnce() -> T) -> usize {
        let full = self.values.len() >= TAGGED_LIMIT && !self.index.contains_key(name);
        let further = full.then(|| model::with_further_tags(name)).flatten();
        self.entry(further.as_deref().unwrap_or(name), fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_without_end_are_counted_together_for_each_name() {
        let mut names = Named::<u32>::default();
        let mut count = |name: &str| {
            let at = names.tagged_entry(name, || 0);
            names.values[at].1 += 1;
        };
        for user in 0..1000 {
            count(&format!("GET /{{user={user}}}"));
            count(&format!("POST /{{user={user}}}"));
        }
        count("GET /{user=1}");
        count("GET /");
        let value = |name: &str| names.values[names.index[name]].1;
        assert_eq!(names.values.len(), 400 + 2 + 1);
        assert_eq!(value("GET /{user=1}"), 2);
        assert_eq!(value("GET /{further tags}"), 800);
        assert_eq!(value("POST /{further tags}"), 800);
        assert_eq!(value("GET /"), 1);
    }
}
