//! Contradictions in the engine's own state, such as a connection whose user does not exist. Each is a bug of headcount
//! and would make the measurements wrong, so it ends the run.

/// The contradictions that one worker has found.
#[derive(Debug, Default)]
pub(crate) struct Inconsistencies {
    count: u64,
    first: Option<&'static str>,
}

impl Inconsistencies {
    pub(crate) fn note(&mut self, what: &'static str) {
        self.count += 1;
        self.first.get_or_insert(what);
    }

    /// Takes the contradictions, described for the user. `None` if there are none, which is always the case unless
    /// headcount has a bug.
    pub(crate) fn take(&mut self) -> Option<String> {
        let first = self.first.take()?;
        let count = std::mem::take(&mut self.count);
        let more = match count {
            1 => String::new(),
            _ => format!(" (and {} more contradictions)", count - 1),
        };
        Some(format!(
            "bug in headcount: {first}{more}; the measurements would be wrong, so the run ends; please report it with the \
             scenario"
        ))
    }
}

#[cfg(test)]
mod tests {
    use crate::empty_world::empty_world;

    #[test]
    fn the_first_contradiction_is_reported_with_the_number_of_others() {
        let mut world = empty_world();
        assert_eq!(world.base.inconsistencies.take(), None);
        world.broke(7, model::Fault::target(model::FaultKind::Closed, "gone"));
        let found = world.base.inconsistencies.take().unwrap();
        assert!(
            found.starts_with("bug in headcount: a connection that is not in the table broke; "),
            "{found}"
        );
        world.base.inconsistent("a");
        world.base.inconsistent("b");
        world.base.inconsistent("c");
        let found = world.base.inconsistencies.take().unwrap();
        assert!(
            found.starts_with("bug in headcount: a (and 2 more contradictions); "),
            "{found}"
        );
        assert_eq!(world.base.inconsistencies.take(), None);
    }
}
