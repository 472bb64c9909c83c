//! The local addresses of the users.

use std::collections::HashSet;
use std::net::IpAddr;

use serde_json::Value;

use super::section::Field;
use super::values::text;
use crate::problem::{Flaw, Problems, quoted};
use crate::source::{SOURCES_LIMIT, source_addresses};

/// Reads all addresses in the user's order. Repeated addresses are dropped, because each would get two shares of the
/// users.
pub(super) fn read(field: &Field<'_>, problems: &mut Problems) -> Vec<IpAddr> {
    let parts = field.one_or_many();
    let read = parts
        .iter()
        .filter_map(|part| part.read_some(problems, addresses));
    let mut all: Vec<IpAddr> = read.collect::<Vec<_>>().concat();
    let mut seen = HashSet::new();
    all.retain(|address| seen.insert(*address));
    if all.len() > SOURCES_LIMIT {
        let flaw = Flaw::new(format!("more than {SOURCES_LIMIT} addresses"));
        field.refuse(problems, flaw);
    }
    all
}

fn addresses(value: &Value) -> Result<Vec<IpAddr>, Flaw> {
    let text = text(value)?;
    source_addresses(text).map_err(|why| Flaw::new(format!("{}: {why}", quoted(text))))
}
