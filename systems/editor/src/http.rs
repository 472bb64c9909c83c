//! The HTTP side: which request is for whom.

mod about;
mod front;
mod origin;
mod routes;

pub(crate) use front::Front;
pub(crate) use origin::{Origins, parse as parse_origin};
