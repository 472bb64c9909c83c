//! The HTTP interface. Routing, access checks and the `OpenAPI` description are generated from the declarations of
//! operations, so they cannot contradict each other.

mod answer;
mod caller;
mod describe;
mod input;
mod routes;
mod system;

pub(crate) use routes::router;
