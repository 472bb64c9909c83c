//! The HTTP interface: routes, request bodies and responses.

mod body;
pub(crate) mod chat;
mod front;
mod rooms;
mod routes;
mod sessions;

pub(crate) use front::Front;
pub(crate) use routes::router;
