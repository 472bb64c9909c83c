//! The HTTP interface. Each operation declares its name, path, access, input and response in one place ([`Route`],
//! [`Write`], [`Read`]). Routing, access checks and the `OpenAPI` description are generated from these declarations, so
//! they cannot contradict each other.

mod answer;
mod caller;
mod describe;
mod door;
mod input;
mod operation;
mod route;
mod routes;
mod system;

pub(crate) use crate::market::Market;
pub use door::DoorConfig;
pub(crate) use door::{Door, DoorError};
pub(crate) use input::{Empty, NoQuery, PageQuery};
pub(crate) use operation::{Read, Write};
pub(crate) use route::{Access, Route};
pub(crate) use routes::router;

/// The state that all handlers share.
pub(crate) type Shared = std::sync::Arc<Market>;
