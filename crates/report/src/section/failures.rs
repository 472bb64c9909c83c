//! Failures with their side and kind, and the first example of each.

use std::collections::BTreeMap;

use format::{Column, Row, Table, count, seconds};
use model::{FaultKind, Side};
use record::{Example, Failure, Level, Run};

use super::levels::{Lead, all_operations};
use super::{Block, Section, at_most, label};

/// All failures of one side, kind and name, with their counts per level.
#[derive(Clone, Debug)]
pub(crate) struct Group<'a> {
    pub(crate) side: Side,
    pub(crate) kind: FaultKind,
    pub(crate) what: &'a str,
    pub(crate) by_level: Vec<(String, u64)>,
    pub(crate) first: &'a Example,
}

impl Group<'_> {
    fn total(&self) -> u64 {
        self.by_level.iter().map(|(_, number)| number).sum()
    }

    /// Formats the counts: `3 at 50 users, 12 at 200 users`. Of many levels, only the first two and the last are shown.
    pub(crate) fn counts(&self) -> String {
        let all = self.by_level.iter();
        let mut told: Vec<String> = all
            .map(|(place, number)| format!("{} {place}", count(*number)))
            .collect();
        if told.len() > 4 {
            let last = told.len() - 1;
            told.splice(2..last, ["…".to_owned()]);
        }
        told.join(", ")
    }
}

/// Returns all failures of a run, the most frequent first. Failures outside the levels are included.
pub(crate) fn groups(run: &Run) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(Side, FaultKind, &str), Group<'_>> = BTreeMap::new();
    let setup = run.setup.iter().flat_map(|setup| &setup.failures);
    let outside = run
        .script_faults
        .iter()
        .map(|failure| ("outside the levels".to_owned(), failure));
    let levels = run.levels.iter().flat_map(|level| {
        let place = format!("at {}", label(&level.load));
        level
            .measured
            .failures
            .iter()
            .map(move |failure| (place.clone(), failure))
    });
    let setup = setup.map(|failure| ("in setup".to_owned(), failure));
    let teardown = run.teardown.iter().flat_map(|it| &it.failures);
    let teardown = teardown.map(|failure| ("in teardown".to_owned(), failure));
    for (place, failure) in outside.chain(setup).chain(levels).chain(teardown) {
        add(&mut groups, place, failure);
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.total()));
    groups
}

fn add<'a>(
    groups: &mut BTreeMap<(Side, FaultKind, &'a str), Group<'a>>,
    place: String,
    failure: &'a Failure,
) {
    let group = groups
        .entry((failure.side, failure.kind, &failure.what))
        .or_insert_with(|| Group {
            side: failure.side,
            kind: failure.kind,
            what: &failure.what,
            by_level: Vec::new(),
            first: &failure.first,
        });
    group.by_level.push((place, failure.count));
    if failure.first.at_s < group.first.at_s {
        group.first = &failure.first;
    }
}

/// Formats the time, user, step and location of a failure: `3.25 s, user-3, step talk, room.ts:12:5`.
pub(crate) fn circumstances(example: &Example) -> String {
    let parts = [
        Some(seconds(example.at_s)),
        example.user.clone(),
        example.step.as_ref().map(|step| format!("step {step}")),
        example.location.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Builds the full section.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let (groups, lead) = (groups(run), Lead::of(run));
    let columns = vec![
        Column::words("side"),
        Column::words("kind"),
        Column::name("where"),
        Column::words("count"),
        Column::words("first example"),
        Column::words("time, user, step, location"),
    ];
    let rows = groups.iter().map(|group| {
        let cells = [
            group.side.to_string(),
            group.kind.to_string(),
            group.what.to_owned(),
            group.counts(),
            group.first.detail.clone(),
            circumstances(group.first),
        ];
        Row::plain(cells.into_iter().map(Some).collect())
    });
    let mut blocks = vec![Block::Table(Table::new(columns, rows.collect()))];
    blocks.extend(
        groups
            .iter()
            .filter_map(|group| group.first.frame.clone())
            .map(Block::Code),
    );
    blocks.push(Block::List(
        run.levels
            .iter()
            .filter_map(|level| none_failed(level, lead))
            .collect(),
    ));
    Section::unless_empty("Failures", blocks)
}

/// Returns the upper bound of the failure rate for a level without failures. `None` if the level is invalid or had
/// failures.
pub(crate) fn none_failed(level: &Level, lead: Lead) -> Option<String> {
    let counts = none_failed_counts(level, lead)?;
    let bounds = at_most(all_operations(level, lead).count, level)?;
    Some(format!("{counts}: {bounds}"))
}

/// Returns the number of operations, for a level without failures. `None` if the level is invalid or had failures.
pub(crate) fn none_failed_counts(level: &Level, lead: Lead) -> Option<String> {
    let all = all_operations(level, lead);
    if level.is_invalid() || all.failed > 0 || all.count == 0 {
        return None;
    }
    let at = label(&level.load);
    Some(format!(
        "none of {} operations failed at {at}",
        count(all.count)
    ))
}

#[cfg(test)]
mod tests {
    use record::Timings;

    use super::*;

    fn counted(count: u64) -> std::collections::BTreeMap<String, Timings> {
        let timings = Timings {
            count,
            ..Timings::default()
        };
        [("/".to_owned(), timings)].into()
    }

    fn level() -> Level {
        let mut level = Level::default();
        level.phases.duration_s = 10.0;
        level.load.users = 50;
        level.measured.round_trips = counted(1_000);
        level.measured.connections = counted(50);
        level
    }

    #[test]
    fn connections_that_only_carry_messages_are_no_operations() {
        let none = |lead| none_failed(&level(), lead).unwrap();
        let said = none(Lead::RoundTrips);
        assert!(said.starts_with("none of 1,000 operations"), "{said}");
        let said = none(Lead::Iterations);
        assert!(said.starts_with("none of 1,050 operations"), "{said}");
    }

    #[test]
    fn a_connection_that_failed_stands_for_the_messages_it_would_have_carried() {
        let mut level = level();
        level
            .measured
            .connections
            .values_mut()
            .for_each(|one| one.failed = 3);
        let all = all_operations(&level, Lead::RoundTrips);
        assert_eq!((all.failed, all.count), (3, 1_003));
    }
}
