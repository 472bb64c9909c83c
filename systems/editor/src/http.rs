//! The HTTP interface, which routes requests to Socket.IO, Yjs, the page and the common endpoints.

mod about;
mod front;
mod routes;

pub(crate) use front::Front;
