//! The HTTP interface: operations, streams and their `OpenAPI` description.

mod acknowledge;
mod describe;
mod enumerate;
mod input;
mod multicast;
mod operation;
mod register;
mod routes;
mod streams;
mod watch;

pub(crate) use routes::router;
