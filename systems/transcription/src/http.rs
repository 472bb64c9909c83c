//! The HTTP interface: routes, request bodies and responses. Bodies and errors have the form of the service of the field
//! report.

mod answer;
mod describe;
mod query;
mod routes;
mod sessions;
mod transcribe;

pub(crate) use answer::detail;
pub(crate) use query::FormatQuery;
pub(crate) use routes::router;
