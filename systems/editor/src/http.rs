//! The HTTP side: which request is for whom.

mod about;
mod front;
mod routes;

pub(crate) use front::Front;
