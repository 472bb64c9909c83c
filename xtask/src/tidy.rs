//! All checks, in the order in which a newcomer would want to hear of them.

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

/// Everything that is wrong with a repository, by file and line.
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

/// Lowers the ratchet to what is there now. It never raises a number and never adds one, unless
/// there is no ratchet yet: a file may outgrow the limit only by a line that somebody wrote.
pub fn bless(repository: &Repository) -> Result<(), OpenError> {
    ratchet::lower(repository, &length::oversized(repository))
}
