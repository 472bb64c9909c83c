//! Selects what a threshold is about.

use std::collections::BTreeMap;

use model::TagFilter;
use plan::{SubjectKind, Threshold};
use record::{Measured, Timings};

/// The timings of the threshold's subject, merged.
pub(super) fn timings(threshold: &Threshold, measured: &Measured) -> Option<Timings> {
    let name = threshold.subject.name.as_deref();
    let mut each: Vec<&Timings> = match threshold.subject.kind {
        SubjectKind::Request => requests(&measured.requests, name),
        SubjectKind::RoundTrip => selected(&measured.round_trips, name).collect(),
        SubjectKind::Step => selected(&measured.steps, name).collect(),
        SubjectKind::Connection => selected(&measured.connections, name).collect(),
        _ => Vec::new(),
    };
    let mut sum = each.pop()?.clone();
    for one in each {
        sum.merge(one);
    }
    Some(sum)
}

fn requests<'a>(map: &'a BTreeMap<String, Timings>, name: Option<&str>) -> Vec<&'a Timings> {
    let Some(name) = name else {
        return map.values().collect();
    };
    let filter = TagFilter::of(name);
    let selects = |(counted, _): &(&String, &Timings)| filter.selects(counted);
    map.iter().filter(selects).map(|(_, one)| one).collect()
}

pub(super) fn selected<'a, T>(
    map: &'a BTreeMap<String, T>,
    name: Option<&str>,
) -> impl Iterator<Item = &'a T> {
    map.iter()
        .filter(move |(known, _)| name.is_none_or(|name| name == known.as_str()))
        .map(|(_, one)| one)
}
