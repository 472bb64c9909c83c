//! The HTTP interface: routes, request bodies and responses. Bodies and errors have the form of the service of the field
//! report.

mod describe;
mod page;
mod routes;
mod sessions;
mod transcribe;

pub(crate) use routes::router;
