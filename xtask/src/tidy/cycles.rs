//! Finds files of a crate that import from each other or call methods in each other, directly or through others. A module
//! and one of its own modules may do so.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::graph::{Edge, Graph, edges_of};
use super::imports::Imports;
use super::limit::{Excess, Excesses, Kind, Subject};
use super::ratchet;
use super::repository::Repository;

/// Returns imports without which there would be no cycle. Those that the ratchet allows are taken out first.
pub(super) fn found(repository: &Repository) -> Excesses {
    let imports = Imports::between_files(repository);
    let files: Vec<&str> = imports.files().into_iter().collect();
    let numbers: BTreeMap<&str, usize> = files.iter().copied().zip(0..).collect();
    let number = |(from, to): (&str, &str)| (numbers[from], numbers[to]);
    let names = |(from, to): Edge| &imports.of[files[from]][files[to]];

    let mut graph = Graph::new(files.len(), imports.families().map(number));
    let mut allowed = Vec::new();
    let entries = ratchet::subjects(repository, Kind::Import);
    for (from, to) in imports.pairs() {
        let is_allowed = entries
            .iter()
            .any(|entry| entry.path == from && entry.name == to);
        let edge = number((from, to));
        if is_allowed {
            allowed.push(edge);
        } else {
            graph.add(edge);
        }
    }
    let mut cycles = graph.break_cycles(|edge| names(edge).len());
    // An allowed import that closes no cycle any more is an import like any other.
    for edge in allowed {
        match graph.cycle_with(edge) {
            Some(cycle) => drop(cycles.insert(edge, cycle)),
            None => graph.add(edge),
        }
    }
    let found = cycles.into_iter().map(|((from, to), cycle)| {
        let subject = Subject {
            kind: Kind::Import,
            path: files[from].to_owned(),
            name: files[to].to_owned(),
        };
        let edges = edges_of(&cycle).map(|edge| (files[edge.0], files[edge.1], names(edge)));
        (subject, excess(&edges.collect::<Vec<_>>()))
    });
    found.collect()
}

/// Describes a cycle. Each import has the names that are imported, with their lines.
fn excess(cycle: &[(&str, &str, &BTreeMap<String, usize>)]) -> Excess {
    let mut remedy = "these files depend on each other:".to_owned();
    let mut first = None;
    for (from, to, names) in cycle {
        let Some((name, line)) = names.iter().min_by_key(|(_, line)| **line) else {
            continue;
        };
        let further = match names.len() {
            1 => String::new(),
            all => format!(" and {} more", all - 1),
        };
        let _ = write!(
            remedy,
            "\n    {from}:{line} {} `{name}`{further} from {to}",
            if name.contains("::") {
                "calls"
            } else {
                "imports"
            }
        );
        first.get_or_insert((*from, *to, name, *line));
    }
    let mut at = (String::new(), 1);
    if let Some((from, to, name, line)) = first {
        let _ = write!(
            remedy,
            "\n    remedy: move `{name}` to a file below both {from} and {to}"
        );
        at = (from.to_owned(), line);
    }
    Excess {
        size: 1,
        at,
        remedy,
    }
}
