//! Runs all checks. The checks that matter most to a newcomer come first.

pub mod complaint;
mod cycles;
pub(crate) mod error;
mod floors;
mod graph;
mod imports;
mod js;
mod length;
mod licences;
mod limit;
mod links;
mod manifests;
mod metadata;
mod modules;
mod path;
mod places;
mod prose;
mod protocols;
mod ratchet;
mod reach;
pub mod repository;
mod resolve;
mod rust;
mod shape;
mod words;

use complaint::Complaint;
use error::OpenError;
use limit::Excesses;
use repository::Repository;

/// Checks a repository. Returns the complaints, sorted by file and line.
pub fn tidy(repository: &Repository) -> Vec<Complaint> {
    let checks = [
        floors::check,
        manifests::check,
        licences::check,
        reach::check,
        links::check,
        limits,
        places::check,
        prose::check,
        protocols::check,
        words::check,
    ];
    let mut complaints: Vec<_> = checks.iter().flat_map(|check| check(repository)).collect();
    complaints.sort();
    complaints.dedup();
    complaints
}

fn limits(repository: &Repository) -> Vec<Complaint> {
    ratchet::compare(repository, &excesses(repository))
}

/// Everything that exceeds a limit.
fn excesses(repository: &Repository) -> Excesses {
    let checks = [length::found, shape::found, cycles::found];
    checks.iter().flat_map(|found| found(repository)).collect()
}

/// Lowers the limits in the ratchet to the current sizes. It never raises a limit, and adds entries only if there is no
/// ratchet yet. Later exceptions must be added by hand.
pub fn bless(repository: &Repository) -> Result<(), OpenError> {
    ratchet::lower(repository, &excesses(repository))
}
