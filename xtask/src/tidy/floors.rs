//! Checks dependencies between crates: each crate may use only crates on lower floors.

use super::complaint::Complaint;
use super::metadata::{Dependency, Package};
use super::repository::Repository;

/// The floor of each crate of the load tester, as in `ARCHITECTURE.md`.
const FLOORS: &[(&str, u8)] = &[
    ("model", 0),
    ("stats", 1),
    ("plan", 1),
    ("clocksync", 1),
    ("format", 2),
    ("delivery", 2),
    ("probe", 2),
    ("record", 2),
    ("wire", 3),
    ("audit", 3),
    ("capacity", 3),
    ("comparison", 3),
    ("script", 4),
    ("report", 4),
    ("engine", 5),
    ("harness", 6),
    ("fleet", 7),
    ("selftest", 7),
    ("study", 7),
    ("headcount", 8),
];

/// The crate that the systems share.
const KIT: &str = "kit";

/// The only crate of the load tester that may use the systems.
const BINARY: &str = "headcount";

enum Place {
    Floor(u8),
    System,
    Tool,
    /// The crate that uses crates of every floor. No crate may use it.
    Top,
}

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let members = &repository.workspace.members;
    let mut complaints = Vec::new();
    for package in members {
        let Some(place) = place_of(package) else {
            complaints.push(Complaint::of_file(
                &package.manifest,
                format!("`{}` has no floor: assign one in xtask/src/tidy/floors.rs and in ARCHITECTURE.md", package.name),
            ));
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| dependency.ours)
        {
            let used = members.iter().find(|member| member.name == dependency.name);
            let reason = used
                .and_then(place_of)
                .and_then(|below| refusal(package, &place, dependency, &below));
            complaints
                .extend(reason.map(|reason| complaint(repository, package, dependency, &reason)));
        }
    }
    complaints
}

/// Returns the place of a crate. Crates under `systems/` have no floor, because the load tester only measures them.
fn place_of(package: &Package) -> Option<Place> {
    if package.folder.starts_with("systems/") {
        return Some(Place::System);
    }
    match package.name.as_str() {
        "xtask" => return Some(Place::Tool),
        "fuzz" => return Some(Place::Top),
        _ => {}
    }
    FLOORS
        .iter()
        .find(|(name, _)| *name == package.name)
        .map(|(_, floor)| Place::Floor(*floor))
}

fn refusal(user: &Package, place: &Place, used: &Dependency, below: &Place) -> Option<String> {
    let (from, to) = (&user.name, &used.name);
    match (place, below) {
        (Place::Floor(upper), Place::Floor(lower)) if lower < upper => None,
        (Place::Top, Place::Floor(_)) => None,
        (_, Place::Top) => Some(format!("nothing may use `{to}`")),
        (Place::Top, _) => Some(format!(
            "`{from}` may use only the crates of the load tester"
        )),
        (Place::Floor(upper), Place::Floor(lower)) => Some(format!(
            "`{from}` is on floor {upper} and may not use `{to}` on floor {lower}: dependencies go down only"
        )),
        (Place::Floor(_), Place::System) if from == BINARY => None,
        (Place::Floor(_), Place::System) => Some(format!(
            "only `{BINARY}` may use the systems: `{from}` must not know `{to}`"
        )),
        (Place::System, Place::System) if to == KIT && from != KIT => None,
        (Place::System, _) => Some(format!(
            "the systems share `{KIT}` and nothing else, so that an error in one codec is not cancelled \
             by the same error in another: `{from}` must not use `{to}`"
        )),
        (Place::Tool, _) | (_, Place::Tool) => Some(format!(
            "xtask is independent: no dependency between `{from}` and `{to}`"
        )),
    }
}

fn complaint(
    repository: &Repository,
    package: &Package,
    used: &Dependency,
    reason: &str,
) -> Complaint {
    let names = |line: &str| line.split(['.', ' ', '=']).next() == Some(used.name.as_str());
    match repository.text(&package.manifest).lines().position(names) {
        Some(index) => Complaint::at(&package.manifest, index + 1, reason),
        None => Complaint::of_file(&package.manifest, reason),
    }
}
