//! Runs all checks. The checks that matter most to a newcomer come first.

pub mod complaint;
mod floors;
mod js;
mod length;
mod licences;
mod links;
mod manifests;
mod metadata;
mod places;
mod prose;
mod ratchet;
mod reach;
pub mod repository;
mod rust;
mod words;

use complaint::Complaint;
use repository::{OpenError, Repository};

/// Checks a repository. Returns the complaints, sorted by file and line.
pub fn tidy(repository: &Repository) -> Vec<Complaint> {
    let checks = [
        floors::check,
        manifests::check,
        licences::check,
        reach::check,
        links::check,
        length::check,
        places::check,
        prose::check,
        words::check,
    ];
    let mut complaints: Vec<_> = checks.iter().flat_map(|check| check(repository)).collect();
    complaints.sort();
    complaints.dedup();
    complaints
}

/// Lowers the limits in the ratchet to the current sizes. It never raises a limit, and adds entries only if there is no
/// ratchet yet. Later exceptions must be added by hand.
pub fn bless(repository: &Repository) -> Result<(), OpenError> {
    ratchet::lower(repository, &length::oversized(repository))
}
