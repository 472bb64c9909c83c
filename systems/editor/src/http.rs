//! The HTTP side: which request is for whom.

mod front;
mod routes;

pub(crate) use front::Front;
